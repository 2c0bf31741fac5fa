/// Some lines that were scanned on one thread and wait for another: their bytes and layouts in a
/// few flat arrays.
struct ScannedBlock {
  /// What was found of one line.
  private struct Entry {
    var position: LinePosition
    /// Of the line in `bytes`.
    var line: Range<Int>
    /// Of its canonical spelling in `bytes`; the line itself where it is canonical.
    var canonical: Range<Int>
    /// An index into `faults`, or −1 for an event.
    var fault: Int
    var envelope: LineLayout.Envelope
    var members: Range<Int>
    var seen: Range<Int>
  }

  private var bytes: [UInt8] = []
  private var records: [Entry] = []
  private var members: [MemberLayout] = []
  private var seen: [SeenEntry] = []
  private var faults: [LineFault] = []

  /// A block is handed over when it holds so many bytes.
  static let bytesMax = 1 << 18

  var isFull: Bool { bytes.count >= Self.bytesMax }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    records.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    seen.removeAll(keepingCapacity: true)
    faults.removeAll(keepingCapacity: true)
  }

  mutating func add(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let lineRange = append(line)
    let isInPlace = canonical.isIdentical(to: line)
    let canonicalRange = isInPlace ? lineRange : append(canonical)
    let firstMember = members.count
    for member in layout.members { members.append(member) }
    let firstSeen = seen.count
    for entry in layout.seen { seen.append(entry) }
    records.append(
      Entry(
        position: position, line: lineRange, canonical: canonicalRange, fault: -1,
        envelope: layout.envelope, members: firstMember..<members.count,
        seen: firstSeen..<seen.count))
  }

  mutating func add(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    let range = append(line)
    faults.append(fault)
    records.append(
      Entry(
        position: position, line: range, canonical: range, fault: faults.count - 1,
        envelope: LineLayout.Envelope(), members: 0..<0, seen: 0..<0))
  }

  private mutating func append(_ span: Span<UInt8>) -> Range<Int> {
    let start = bytes.count
    span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    return start..<bytes.count
  }

  /// Hands the lines over in their order, until the sink has had enough.
  func deliver<Sink: LineSink>(into sink: inout Sink) {
    var layout = LineLayout()
    for record in records {
      if sink.isStopped { return }
      let line = bytes.span.extracting(record.line)
      if record.fault >= 0 {
        sink.fault(faults[record.fault], line: line, at: record.position)
        continue
      }
      layout.envelope = record.envelope
      layout.clear()
      for index in record.members { layout.members.append(members[index]) }
      for index in record.seen { layout.seen.append(seen[index]) }
      sink.event(
        layout, canonical: bytes.span.extracting(record.canonical), line: line,
        at: record.position)
    }
  }
}
