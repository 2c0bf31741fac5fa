/// Collects lines by their histories and puts them as ranges.
struct ObjectWriter: Sendable {
  /// No more than this waits, whatever the sizes of the ranges.
  private static let waitingBytesMax = 16 << 20

  private let storage: any ObjectStorage
  private let random: RandomText
  /// Lines that are to make one range, by the last of them.
  private var waiting: [FullEventID: WaitingLines] = [:]
  /// What was put.
  private(set) var written: [RangeObject] = []

  /// Consecutive lines of one history.
  private struct WaitingLines: Sendable {
    var range: EventRange
    var checksum: LineChecksum
    var bytes: [UInt8] = []
    /// Whether the next event belongs with the last one.
    var hasMore = false
  }

  init(_ storage: any ObjectStorage, _ random: RandomText) {
    self.storage = storage
    self.random = random
  }

  /// Takes lines, and puts at least one range, so that a run that ends behind any batch leaves
  /// something that counts.
  ///
  /// - Returns: what was put.
  mutating func add(_ lines: LineBatch) async throws(EventLogError) -> ReceiveResult {
    let sorter = LineSorter(lines)
    var result = ReceiveResult()
    for refusal in sorter.result.refused { result.refuse(refusal) }
    for line in sorter.lines {
      let before = FullEventID(
        device: line.event.device, sequence: line.event.sequence - 1, chain: line.checksum.before)
      // A batch stays together, and may be as long as this.
      let reserve = line.hasMore ? OpenBatch.bytesMax : line.place.count + 1
      if let full = waiting[before], !full.hasMore,
        full.bytes.count + reserve > ObjectLimits.rangeBytes
      {
        try await put(full, &result)
      }
      let first = waiting.removeValue(forKey: before)
      let range = EventRange(from: first?.range.first ?? line.event.sequence, to: line.event)
      var next = WaitingLines(range: range, checksum: line.checksum, bytes: first?.bytes ?? [])
      next.bytes += lines.bytes[line.place]
      next.bytes.append(0x0A)
      next.hasMore = line.hasMore
      waiting[line.event] = next
    }
    repeat {
      guard let largest = largest(where: { !$0.hasMore }) else { break }
      try await put(largest, &result)
    } while waiting.values.reduce(0, { $0 + $1.bytes.count }) > Self.waitingBytesMax
    return result
  }

  /// What would become of lines, if they were added and all was put.
  static func dryRun(_ lines: LineBatch) -> ReceiveResult { LineSorter(lines).result }

  /// Puts one of the ranges that wait.
  ///
  /// - Returns: what was put; nil where nothing waits.
  mutating func putNext() async throws(EventLogError) -> ReceiveResult? {
    guard let largest = largest(where: { _ in true }) else { return nil }
    var result = ReceiveResult()
    try await put(largest, &result)
    return result
  }

  private func largest(where isWanted: (WaitingLines) -> Bool) -> WaitingLines? {
    waiting.values.filter(isWanted).max {
      ($0.bytes.count, $1.range.end) < ($1.bytes.count, $0.range.end)
    }
  }

  private mutating func put(
    _ lines: WaitingLines, _ result: inout ReceiveResult
  ) async throws(EventLogError) {
    try await put(lines.range, lines.checksum, lines.bytes)
    waiting[lines.range.end] = nil
    result.received.insert(lines.range)
  }

  /// Puts a range. Where something else has its name, it gets an addition.
  @discardableResult
  mutating func put(
    _ range: EventRange, _ checksum: LineChecksum, _ bytes: [UInt8]
  ) async throws(EventLogError) -> RangeObject {
    var name = RangeName(range, checksum)
    while try await !storage.put(name.text, bytes) {
      // Put by another device already, or by a run that was cut off behind it.
      if let there = try await storage.read(name.text), RangeContent(name, there) != nil { break }
      name = RangeName(range, checksum, addition: "." + random.next(8))
    }
    let object = RangeObject(name: name, byteCount: Int64(bytes.count))
    written.append(object)
    return object
  }
}

/// Tells whose the lines of a batch are.
private struct LineSorter: LineSink {
  struct Line {
    var event: FullEventID
    var checksum: LineChecksum
    var hasMore: Bool
    var place: Range<Int>
  }

  var lines: [Line] = []
  /// As if all lines were taken that are events.
  var result = ReceiveResult()

  init(_ lines: LineBatch) {
    var scanner = LineScanner()
    scanner.scanLines(lines.bytes, into: &self)
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let event = FullEventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence,
      chain: layout.checksum.chain)
    let start = Int(position.offset)
    lines.append(
      Line(
        event: event, checksum: layout.checksum, hasMore: layout.hasMore,
        place: start..<(start + position.byteCount)))
    result.received.insert(event, after: layout.checksum.before)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    result.refuse(.init(device: nil, sequence: nil, code: .line(fault.code)))
  }
}
