/// Lines scanned on one thread for another: their bytes and layouts, in a few flat arrays.
struct ScannedBlock {
  /// The result for one line.
  private struct Entry {
    var position: LinePosition
    /// The line in `bytes`.
    var line: ByteRange
    /// Its canonical spelling in `bytes`; equals `line` if that is canonical.
    var canonical: ByteRange
    /// An index into `faults`, or −1 for an event.
    var fault: Int32
    var envelope: LineLayout.Envelope
    /// Its lists in `members` and `seen`.
    var members: ByteRange
    var seen: ByteRange
  }

  private var bytes: [UInt8] = []
  private var records: [Entry] = []
  private var members: [MemberLayout] = []
  private var seen: [SeenEntry] = []
  private var faults: [LineFault] = []

  /// The size in bytes at which a block is passed on.
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
    let (firstMember, firstSeen) = (members.count, seen.count)
    for index in layout.members.indices { members.append(layout.members[index]) }
    for index in layout.seen.indices { seen.append(layout.seen[index]) }
    addEntry(
      layout.envelope, firstMember, firstSeen, canonical: canonical, line: line, at: position)
  }

  /// Adds a line and numbers the names in it.
  @inline(__always)
  mutating func add(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    names: inout NameNumbers
  ) {
    let (firstMember, firstSeen) = (members.count, seen.count)
    var envelope = layout.envelope
    envelope.names = names.numbers(of: layout, canonical)
    for index in layout.members.indices {
      var member = layout.members[index]
      member.number = names.field(canonical, member.name)
      members.append(member)
    }
    for index in layout.seen.indices {
      var entry = layout.seen[index]
      entry.name = names.device(canonical, entry.device)
      seen.append(entry)
    }
    addEntry(envelope, firstMember, firstSeen, canonical: canonical, line: line, at: position)
  }

  @inline(__always)
  private mutating func addEntry(
    _ envelope: LineLayout.Envelope, _ firstMember: Int, _ firstSeen: Int,
    canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let lineRange = append(line)
    let isInPlace = canonical.isIdentical(to: line)
    let canonicalRange = isInPlace ? lineRange : append(canonical)
    records.append(
      Entry(
        position: position, line: lineRange, canonical: canonicalRange, fault: -1,
        envelope: envelope, members: ByteRange(firstMember, members.count),
        seen: ByteRange(firstSeen, seen.count)))
  }

  mutating func add(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    let range = append(line)
    faults.append(fault)
    records.append(
      Entry(
        position: position, line: range, canonical: range, fault: Int32(faults.count - 1),
        envelope: LineLayout.Envelope(), members: .none, seen: .none))
  }

  private mutating func append(_ span: Span<UInt8>) -> ByteRange {
    let start = bytes.count
    span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    return ByteRange(start, bytes.count)
  }

  /// Delivers the lines in order, until the sink stops.
  func deliver<Sink: LineSink>(into sink: inout Sink) {
    var layout = LineLayout()
    layout.members = LineList(partsOf: members)
    layout.seen = LineList(partsOf: seen)
    for index in records.indices {
      if sink.isStopped { return }
      let line = bytes.span.extracting(records[index].line.range)
      let fault = Int(records[index].fault)
      if fault >= 0 {
        sink.fault(faults[fault], line: line, at: records[index].position)
        continue
      }
      layout.envelope = records[index].envelope
      layout.members.move(to: records[index].members)
      layout.seen.move(to: records[index].seen)
      sink.event(
        layout, canonical: bytes.span.extracting(records[index].canonical.range), line: line,
        at: records[index].position)
    }
  }
}
