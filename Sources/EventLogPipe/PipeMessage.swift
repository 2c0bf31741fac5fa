import EventLog

/// One message of the pipe protocol: a line of JSON, an object with one member that names it.
enum PipeMessage: Sendable {
  /// The initiator's first words.
  case hello(PipeHello)
  /// The version that is spoken from here on.
  case welcome(version: Int64)
  /// What a side holds, in parts: first the initiator, then the server.
  case statement(FrontierStatement, isLast: Bool)
  /// Asks for the chains of events, each in the history that a given event ends.
  case question([HistoryQuery])
  /// The chain of each event that was asked for; nil where it is not held.
  case answer([UInt32?])
  /// Asks for the lines of ranges, in parts.
  case read([EventRange], isLast: Bool)
  /// So many lines stand behind this message, which have so many bytes together.
  case lines(count: Int, byteCount: Int)
  /// There are no more lines.
  case end
  /// What the initiator holds, in parts, before its first lines.
  case announce(FrontierStatement, isLast: Bool)
  /// What became of the lines.
  case result(ReceiveResult)
  /// The initiator has nothing more to say.
  case finish
  /// What was written is durable; sentences for the person, about the served journal.
  case finished(notices: [String])
  /// The answer takes longer; how much work was done for it, if that is said: it only grows.
  case wait(done: Int64?)
  /// The side that says this gives up, in its own words.
  case error(PipeComplaint)

  /// The version of the protocol that is described in `Docs/Internals/Protocol.md`.
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
    case .result: "result"
    case .finish: "finish"
    case .finished: "finished"
    case .wait: "wait"
    case .error: "error"
    }
  }
}

/// Who comes, and what it speaks.
struct PipeHello: Sendable, Hashable {
  /// The versions of the protocol that the initiator speaks.
  var versions: [Int64] = [PipeMessage.version]
  var user: String?
  var device: DeviceID?
  var isDryRun = false
}

/// Why one side gives up.
struct PipeComplaint: Sendable, Hashable {
  /// One of `EventLogError.Code`, or of a later version.
  var code: String
  var message: String
  var hint: String?
}
