/// The lines of a range, read from bytes as long as each line continues the previous one.
package struct RangeLines: Sendable {
  package private(set) var lines: [Line] = []
  /// The chains of the lines, starting with that of the event before the first one.
  package private(set) var chains: [UInt32] = []
  /// The checksum of the last line.
  package private(set) var last: LineChecksum?
  /// The user that the device joined as, if the range begins with the joining.
  package private(set) var user: String?
  /// False if a line is invalid or doesn't continue the previous one. Reading ends there.
  package private(set) var isSound = true
  private let range: EventRange

  /// One event.
  package struct Line: Sendable {
    /// The position in the bytes, without the LF.
    package var byteRange: Range<Int>
    package var seen: [FullEventID]
    /// Whether the next event is in the same batch.
    package var hasMore: Bool
  }

  package init(_ range: EventRange, in bytes: [UInt8]) {
    self.range = range
    var scanner = LineScanner()
    scanner.scanLines(bytes, into: &self)
  }
}

extension RangeLines: LineSink {
  package var isStopped: Bool { !isSound }

  package mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard layout.sequence == range.first + Int64(lines.count), layout.sequence <= range.last,
      canonical.text(layout.device).utf8.elementsEqual(range.device.text.utf8),
      last.map({ layout.checksum.before == $0.chain }) ?? true
    else {
      isSound = false
      return
    }
    if last == nil {
      chains.append(layout.checksum.before)
      if layout.sequence == 1 {
        user = Joining(layout, canonical).map { String(decoding: $0.user, as: UTF8.self) }
      }
    }
    chains.append(layout.checksum.chain)
    last = layout.checksum
    let start = Int(position.offset)
    let seen = layout.seen.map { entry in
      FullEventID(
        device: DeviceID(trusted: canonical.text(entry.device)), sequence: entry.sequence,
        chain: entry.chain)
    }
    lines.append(
      .init(
        byteRange: start..<(start + position.byteCount), seen: seen, hasMore: layout.hasMore))
  }

  package mutating func fault(
    _ fault: LineFault, line: Span<UInt8>, at position: LinePosition
  ) {
    isSound = false
  }
}
