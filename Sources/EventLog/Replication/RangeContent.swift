/// The verified lines of an object with a range.
struct RangeContent: Sendable {
  let bytes: [UInt8]
  let history: RangeHistory
  private let lines: [Line]

  /// One event.
  struct Line: Sendable {
    /// The position in the object, without the LF.
    var byteRange: Range<Int>
    var seen: [FullEventID]
    /// Whether the next event is in the same batch.
    var hasMore: Bool
  }

  /// Returns nil if the bytes aren't exactly the lines of the range.
  init?(_ name: RangeName, _ bytes: [UInt8]) {
    var collector = RangeContentCollector(name.range)
    var scanner = LineScanner()
    scanner.scanLines(bytes, into: &collector)
    guard collector.isSound, Int64(collector.lines.count) == name.range.count,
      collector.last == name.checksum, bytes.last == 0x0A
    else { return nil }
    self.bytes = bytes
    lines = collector.lines
    history = RangeHistory(
      first: name.range.first, chains: collector.chains, user: collector.user)
  }

  /// The line of the event with this sequence, which must be in the range.
  subscript(sequence: Int64) -> Line { lines[Int(sequence - history.first)] }
}
