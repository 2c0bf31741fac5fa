/// A range of bytes within a line.
///
/// 32 bits suffice: a line is at most ``LineLimits/lineBytesMax`` bytes long.
package struct ByteRange: Sendable, Hashable {
  package var offset: Int32
  package var count: Int32

  static let none = ByteRange(offset: 0, count: 0)

  @inline(__always)
  package init(offset: Int32, count: Int32) {
    self.offset = offset
    self.count = count
  }

  @inline(__always)
  init(_ start: Int, _ end: Int) {
    offset = Int32(truncatingIfNeeded: start)
    count = Int32(truncatingIfNeeded: end &- start)
  }

  package var isEmpty: Bool { count == 0 }
  var start: Int { Int(offset) }
  var end: Int { Int(offset) + Int(count) }
  var range: Range<Int> { start..<end }
}

/// The limits of every line of a journal.
package enum LineLimits {
  /// The longest line, in bytes without its LF.
  package static let lineBytesMax = 1_048_576
  /// The shortest line that a writer produces, in bytes without its LF.
  static let lineBytesMin = 92
  /// The deepest nesting of objects and arrays; the line's own object is depth 1.
  package static let depthMax = 64
  /// The largest sequence number: 2^53 − 1, which every JSON reader represents exactly.
  package static let sequenceMax: Int64 = 9_007_199_254_740_991
  /// The bytes that end every line: `,"crc":"`, 16 digits, `"}`.
  package static let checksumTailBytes = 26
  /// The characters of a salt.
  package static let saltCount = 12
}
