import EventLog
import EventLogRemotes

/// A message of the pipe protocol: a line with a JSON object, whose only member names the message.
enum PipeMessage: Sendable {
  /// The initiator's first message.
  case hello(PipeHello)
  /// The version of the protocol from here on.
  ///
  /// With the name of the server's schema file, which is nil if it has none, or `.none` if it
  /// exchanges none.
  case welcome(
    version: Int64, schema: SchemaFile.Name?? = .some(nil), keepsContents: Bool = false)
  /// The statement of a side, in parts: first that of the initiator, then that of the server.
  case statement(FrontierStatement, isLast: Bool)
  /// Requests the chains of events, each in the history of a given tip.
  case question([HistoryQuery])
  /// The chain of each requested event, or nil if it isn't held.
  case answer([UInt32?])
  /// Requests the lines of ranges, in parts.
  case read([EventRange], isLast: Bool)
  /// The number and the length of the lines after this message.
  case lines(count: Int, byteCount: Int)
  /// The end of the lines.
  case end
  /// The statement of the initiator, in parts, before its first lines.
  case announce(FrontierStatement, isLast: Bool)
  /// The result of received lines.
  case result(ReceiveResult)
  /// The sender's schema file; nil requests the server's, or says that it has none.
  case schema(SchemaFile?)
  /// The initiator's last message.
  case finish
  /// Confirms that all writes are durable, with notices for the user about the served journal.
  case finished(notices: [String])
  /// Requests the contents after a hash, or the first ones.
  case contents(after: String?)
  /// The next contents; none after the last.
  case held([ContentID])
  /// Requests bytes of a content.
  case fetch(ContentID, offset: Int64, count: Int)
  /// The number of bytes of a content that follow; 0 if it isn't there.
  case part(byteCount: Int)
  /// Announces the parts of a content.
  case offer(ContentID)
  /// The number of bytes of the offered content that are there, or nil if another one sends it.
  case taken(Int64?)
  /// Delays an answer; the amount of work done for it, if known, only grows.
  case wait(done: Int64?)
  /// The error that makes a side give up.
  case error(PipeComplaint)

  /// The version of the protocol that `Docs/Internals/Protocol.md` describes.
  static let version: Int64 = 1

  /// The name of the message in the protocol.
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
    case .schema: "schema"
    case .finish: "finish"
    case .finished: "finished"
    case .contents: "contents"
    case .held: "held"
    case .fetch: "fetch"
    case .part: "part"
    case .offer: "offer"
    case .taken: "taken"
    case .wait: "wait"
    case .error: "error"
    }
  }
}

/// The initiator's identity, and its versions of the protocol.
struct PipeHello: Sendable, Hashable {
  /// The versions of the protocol that the initiator supports.
  var versions: [Int64] = [PipeMessage.version]
  var user: String?
  var device: DeviceID?
  var isDryRun = false
  /// Whether the initiator transfers contents, and no events.
  var wantsContents = false
}

/// The error that makes a side give up.
struct PipeComplaint: Sendable, Hashable {
  /// A code of `EventLogError.Code`, or of a later version.
  var code: String
  var message: String
  var hint: String?
}
