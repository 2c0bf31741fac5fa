/// One message of the pipe protocol: a line of JSON, an object with one member that names it.
enum PipeMessage: Sendable {
  /// A visitor's first words.
  case hello(PipeHello)
  /// The version that is spoken from here on.
  case welcome(version: Int64)
  /// What a side holds, in parts: first the visitor, then the server.
  case statement(FrontierStatement, isLast: Bool)
  /// Asks for the checksum of an event, in the history of its device that ends at a point.
  case question(EventID, HistoryPoint)
  case answer(LineChecksum?)
  /// Asks for the lines of ranges, in parts.
  case read([EventRange], isLast: Bool)
  /// So many lines stand behind this message, which have so many bytes together.
  case lines(count: Int, byteCount: Int)
  /// There are no more lines.
  case end
  /// What the visitor holds, in parts, before its first lines.
  case announce(FrontierStatement, isLast: Bool)
  /// What became of the lines.
  case reception(Reception)
  case finish
  case finished
  /// The answer takes longer.
  case wait
  /// The side that says this gives up, in its own words.
  case error(PipeComplaint)

  /// The version of the protocol that is described in `Docs/Protocol.md`.
  static let version: Int64 = 1

  /// What the message is called on the wire.
  var name: String {
    switch self {
    case .hello: "hello"
    case .welcome: "welcome"
    case .statement: "statement"
    case .question: "question"
    case .answer: "answer"
    case .read: "read"
    case .lines: "lines"
    case .end: "end"
    case .announce: "announce"
    case .reception: "reception"
    case .finish: "finish"
    case .finished: "finished"
    case .wait: "wait"
    case .error: "error"
    }
  }
}

/// Who comes, and what it speaks.
struct PipeHello: Sendable, Hashable {
  /// The versions of the protocol that the visitor speaks.
  var versions: [Int64] = [PipeMessage.version]
  var user: String?
  var device: DeviceID?
  var isRehearsal = false
}

/// Why one side gives up.
struct PipeComplaint: Sendable, Hashable {
  /// One of `EventLogError.Code`, or of a later version.
  var code: String
  var message: String
  var hint: String?
}
