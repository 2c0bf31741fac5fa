import EventLog

/// The verified lines of an object with a range.
struct RangeContent: Sendable {
  let bytes: [UInt8]
  let history: RangeHistory
  private let lines: [RangeLines.Line]

  /// Returns nil if the bytes aren't exactly the lines of the range.
  init?(_ name: RangeName, _ bytes: [UInt8]) {
    let read = RangeLines(name.range, in: bytes)
    guard read.isSound, Int64(read.lines.count) == name.range.count,
      read.last == name.checksum, bytes.last == 0x0A
    else { return nil }
    self.bytes = bytes
    lines = read.lines
    history = RangeHistory(first: name.range.first, chains: read.chains, user: read.user)
  }

  /// The line of the event with this sequence, which must be in the range.
  subscript(sequence: Int64) -> RangeLines.Line { lines[Int(sequence - history.first)] }
}
