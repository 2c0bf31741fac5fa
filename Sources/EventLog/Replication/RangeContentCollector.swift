/// Collects lines as long as each continues the previous one.
struct RangeContentCollector: LineSink {
  private let range: EventRange
  var lines: [RangeContent.Line] = []
  var chains: [UInt32] = []
  var last: LineChecksum?
  var user: String?
  var isSound = true
  var isStopped: Bool { !isSound }

  init(_ range: EventRange) { self.range = range }

  mutating func event(
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

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    isSound = false
  }
}
