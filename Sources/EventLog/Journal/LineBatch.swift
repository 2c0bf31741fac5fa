/// Lines that are transferred from one journal to another unchanged.
///
/// Their order respects causality: an event comes after every event in the transfer that it has
/// seen.
package struct LineBatch: Sendable {
  /// The maximum number of bytes sent at a time, except for a single longer line.
  package static let bytesMax = 1 << 20
  /// The maximum number of lines sent at a time.
  package static let linesMax = 4096

  /// The lines, each with its LF.
  package private(set) var bytes: [UInt8] = []
  /// The number of lines.
  package private(set) var count = 0

  package init() {}

  /// Creates a batch of `count` lines, each with its LF.
  package init(trusted bytes: [UInt8], count: Int) {
    self.bytes = bytes
    self.count = count
  }

  /// Adds a line without its LF.
  package mutating func add(_ line: [UInt8]) {
    bytes += line
    bytes.append(0x0A)
    count += 1
  }

  package mutating func add(_ line: Span<UInt8>) {
    line.append(to: &bytes)
    bytes.append(0x0A)
    count += 1
  }

  /// Whether to send the lines even in the middle of a batch of events that exceeds the limits.
  var isOverfull: Bool {
    bytes.count >= Self.bytesMax + OpenBatch.bytesMax
      || count >= Self.linesMax + OpenBatch.countMax - 1
  }

  /// Whether to send the lines.
  package var isFull: Bool { bytes.count >= Self.bytesMax || count >= Self.linesMax }
  package var isEmpty: Bool { count == 0 }
}
