/// The lines of an object that holds a range, checked to be what its name says.
struct RangeContent: Sendable {
  let bytes: [UInt8]
  private(set) var lines: [Line] = []
  private let first: Int64

  /// One event.
  struct Line: Sendable {
    /// Where it stands, without its LF.
    var place: Range<Int>
    var checksum: LineChecksum
    var seen: [EventID]
  }

  /// Nil for bytes that are less, more or something else than the range: what is not all there is
  /// not there yet.
  init?(_ name: RangeName, _ bytes: [UInt8]) {
    var collector = RangeContentCollector(name.range)
    var scanner = LineScanner()
    scanner.scanLines(bytes, into: &collector)
    guard collector.isSound, Int64(collector.lines.count) == name.range.count,
      collector.lines.last?.checksum == name.checksum, bytes.last == 0x0A
    else { return nil }
    self.bytes = bytes
    lines = collector.lines
    first = name.range.first
  }

  /// The checksum of an event of the range.
  func checksum(at sequence: Int64) -> LineChecksum { self[sequence].checksum }

  subscript(sequence: Int64) -> Line { lines[Int(sequence - first)] }
}

/// Collects lines as long as each continues the one before.
private struct RangeContentCollector: LineSink {
  private let range: EventRange
  var lines: [RangeContent.Line] = []
  var isSound = true
  var isStopped: Bool { !isSound }

  init(_ range: EventRange) { self.range = range }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    guard layout.sequence == range.first + Int64(lines.count), layout.sequence <= range.last,
      canonical.text(layout.device).utf8.elementsEqual(range.device.text.utf8),
      lines.last.map({ layout.checksum.continues($0.checksum) }) ?? true
    else {
      isSound = false
      return
    }
    let start = Int(position.offset)
    lines.append(
      .init(
        place: start..<(start + position.byteCount), checksum: layout.checksum,
        seen: layout.seen.map {
          EventID(device: DeviceID(trusted: canonical.text($0.device)), sequence: $0.sequence)
        }))
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    isSound = false
  }
}
