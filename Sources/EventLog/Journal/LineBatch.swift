/// Some lines of a journal on their way to another, as they stand there.
///
/// They are in an order that respects causality: an event stands behind every event that it has
/// seen and that is on the way too.
package struct LineBatch: Sendable {
  /// At most so many bytes are sent at a time, but always one line.
  package static let bytesMax = 1 << 20
  /// At most so many lines are sent at a time.
  package static let linesMax = 4096

  /// The lines, each ended by LF.
  package private(set) var bytes: [UInt8] = []
  /// How many lines.
  package private(set) var count = 0

  package init() {}

  /// Takes so many lines at once, each ended by LF.
  package init(trusted bytes: [UInt8], count: Int) {
    self.bytes = bytes
    self.count = count
  }

  /// Adds a line, given without its LF.
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

  /// Whether it is time to send it even in the middle of a batch of events: one that is longer than
  /// a batch may be.
  var isOverfull: Bool {
    bytes.count >= Self.bytesMax + OpenBatch.bytesMax
      || count >= Self.linesMax + OpenBatch.countMax - 1
  }

  /// Whether it is time to send it.
  package var isFull: Bool { bytes.count >= Self.bytesMax || count >= Self.linesMax }
  package var isEmpty: Bool { count == 0 }
}
