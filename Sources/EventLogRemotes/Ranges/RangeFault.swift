import EventLog

/// A mismatch between an object and its name.
enum RangeFault: Sendable, CaseIterable {
  /// The object is a placeholder, whose content may arrive later.
  case empty
  /// The object ends too early, and matches up to there.
  case cutOff
  case damaged

  /// - Parameter bytes: The content, which isn't a valid ``RangeContent``.
  init(_ name: RangeName, _ bytes: [UInt8]) {
    if bytes.isEmpty {
      self = .empty
      return
    }
    let whole = bytes.lastIndex(of: 0x0A).map { Array(bytes[...$0]) } ?? []
    let read = RangeLines(name.range, in: whole)
    let isBeginning =
      read.isSound && Int64(read.lines.count) < name.range.count
      && (bytes.count == whole.count || bytes[whole.count] == UInt8(ascii: "{"))
    self = isBeginning ? .cutOff : .damaged
  }
}
