import EventLog

/// The time limits of the two sides of a pipe.
///
/// The protocol fixes the size limits.
package struct PipeLimits: Sendable, Hashable {
  /// The maximum time until the first answer to an initiator: 3 minutes.
  ///
  /// It includes the time to connect, in which `ssh` may ask for a password.
  package var connectingMilliseconds: Int64
  /// The maximum time of an initiator without anything useful, or without progress in sending: 1
  /// minute.
  package var patienceMilliseconds: Int64
  /// The maximum time of a message or an answer, with all its parts and despite any `wait`: 10
  /// minutes.
  package var messageMilliseconds: Int64
  /// The maximum time of a server without anything useful from the initiator: 10 minutes.
  ///
  /// The initiator may be reading a large journal.
  package var initiatorMilliseconds: Int64
  /// The interval of a server's `wait` messages: 10 seconds.
  package var waitMessageIntervalMilliseconds: Int64 = 10_000

  /// Creates limits in proportion to an initiator's patience.
  ///
  /// - Parameter patience: The maximum time of an initiator without anything useful, in
  ///   milliseconds. The limit of the first answer is three times as long; those of messages,
  ///   answers and initiators are ten times as long.
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

  // MARK: - Size limits

  /// The maximum length of a message without its lines: a line of a journal, and its surroundings.
  static let messageBytesMax = LineLimits.lineBytesMax + 1 << 16
  /// The maximum number of lines after a message.
  ///
  /// The last line of a full batch of lines may begin a batch of events, which is never split.
  static let batchLinesMax = LineBatch.linesMax - 1 + OpenBatch.countMax
  /// The maximum number of bytes of these lines, the last of which may have the maximum length.
  static let batchBytesMax = LineBatch.bytesMax + OpenBatch.bytesMax + LineLimits.lineBytesMax + 1
  /// The maximum number of entries of one list in a message; the rest is sent in more messages.
  static let partCountMax = 4096
  /// The maximum number of entries of one list in all parts of a message.
  static let totalCountMax = 1 << 16
  /// The maximum number of events in an initiator's questions.
  static let queryCountMax = 1 << 20
  /// The maximum number of an initiator's requests for ranges.
  static let readCountMax = 64
  /// The maximum number of consecutive batches without an event that the server accepts.
  static let fruitlessCountMax = 4096
  /// The maximum number of characters that are passed on from a text of the other side.
  static let wordCountMax = 500
  /// The maximum number of notices that are passed on to the user.
  static let noticeCountMax = 64
}
