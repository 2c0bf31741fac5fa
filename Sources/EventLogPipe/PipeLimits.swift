import EventLog

/// How long the sides of a pipe wait for each other.
///
/// How much they take of each other is fixed by the protocol.
package struct PipeLimits: Sendable, Hashable {
  /// How long an initiator waits for the first answer: the connection is made meanwhile, and `ssh`
  /// may ask a person for a password. 3 minutes.
  package var connectingMilliseconds: Int64
  /// How long an initiator goes on while nothing useful comes, be it that nothing comes at all, and
  /// how long it waits for the other side to take some bytes. 1 minute.
  package var patienceMilliseconds: Int64
  /// How long any one message may take, and any answer, in all its parts and whatever the other
  /// side says of how far it is. 10 minutes.
  package var messageMilliseconds: Int64
  /// How long a server goes on while nothing useful comes from an initiator, which may have much to
  /// read of its own. 10 minutes.
  package var initiatorMilliseconds: Int64
  /// How often a server says that it is not ready yet. 10 seconds.
  package var waitMilliseconds: Int64 = 10_000

  /// - Parameter patience: how long an initiator goes on while nothing useful comes, in
  ///   milliseconds. The first answer may take three times that; a message, an answer, and an
  ///   initiator ten times.
  package init(patience: Int64 = 60_000) {
    func times(_ factor: Int64) -> Int64 {
      let (product, isTooLong) = patience.multipliedReportingOverflow(by: factor)
      return isTooLong ? patience : product
    }
    patienceMilliseconds = patience
    connectingMilliseconds = times(3)
    messageMilliseconds = times(10)
    initiatorMilliseconds = messageMilliseconds
  }

  // MARK: - What the protocol fixes

  /// The longest message, without the lines behind it: a line of a journal, and room for what is
  /// said around it.
  static let messageBytesMax = LineLimits.lineBytesMax + 1 << 16
  /// The most lines behind one message: as many as go at a time, of which the last one may begin a
  /// batch of events. That is never cut in two.
  static let batchLinesMax = LineBatch.linesMax - 1 + OpenBatch.countMax
  /// The most bytes of them; the last line may be the longest.
  static let batchBytesMax = LineBatch.bytesMax + OpenBatch.bytesMax + LineLimits.lineBytesMax + 1
  /// The most entries of one list in a message; the others go into further messages.
  static let partCountMax = 4096
  /// The most entries of one list in all parts of a message.
  static let totalCountMax = 1 << 16
  /// The most events that an initiator asks about.
  static let queryCountMax = 1 << 20
  /// How many times an initiator may ask for ranges.
  static let readCountMax = 64
  /// How many batches in a row may bring a server nothing that it takes.
  static let fruitlessCountMax = 4096
  /// How many characters are passed on of anything that the other side says in words.
  static let wordCountMax = 500
  /// How many sentences for the person are passed on.
  static let noticeCountMax = 64
}
