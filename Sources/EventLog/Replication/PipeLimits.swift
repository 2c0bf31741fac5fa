/// How long the sides of a pipe wait for each other.
///
/// How much they take of each other is fixed by the protocol.
public struct PipeLimits: Sendable, Hashable {
  /// A visitor waits so long for the first answer: a connection is made meanwhile, and a person may
  /// be asked for a password. 3 minutes.
  public var connectingMilliseconds: Int64 = 180_000
  /// A visitor waits so long for the next bytes, also for the other side to take some. 1 minute.
  public var silenceMilliseconds: Int64 = 60_000
  /// Any one message is complete after so long, and any answer, however often the other side says
  /// that it is not ready yet. 10 minutes.
  public var messageMilliseconds: Int64 = 600_000
  /// A server waits so long for a visitor, who may have much to read of its own. 10 minutes.
  public var visitorMilliseconds: Int64 = 600_000
  /// A server says so often that it is not ready yet. 10 seconds.
  public var waitMilliseconds: Int64 = 10_000

  public init() {}

  // MARK: - What the protocol fixes

  /// A message is at most so long, without the lines behind it: a line of a journal, and room for
  /// what is said around it.
  static let messageBytesMax = LineLimits.lineBytesMax + 1 << 16
  /// The lines behind one message: a full batch, of which the last line may be the longest.
  static let batchBytesMax = LineBatch.bytesMax + LineLimits.lineBytesMax + 1
  /// One message names at most so many devices, ranges or users; what is more goes into further
  /// ones.
  static let partCountMax = 4096
  /// All of them together name at most so many.
  static let totalCountMax = 1 << 16
  /// A visitor asks at most so many questions.
  static let questionCountMax = 1 << 20
  /// A visitor has ranges read at most so many times.
  static let readCountMax = 64
  /// So many batches in a row may bring a server nothing that it takes.
  static let fruitlessCountMax = 4096
  /// Of what the other side says in words, so much is passed on.
  static let wordCountMax = 500
}
