/// Collects lines by their histories and puts them as ranges.
struct ObjectWriter: Sendable {
  /// No more than this waits, whatever the sizes of the ranges.
  private static let waitingBytesMax = 16 << 20

  private let storage: any ObjectStorage
  private let random: RandomText
  /// What is to make one range, by the last event of it.
  private var waiting: [FullEventID: Lines] = [:]
  /// These by their sizes, the largest last, while nothing is added.
  private var queue: [FullEventID] = []
  /// What was put.
  private(set) var written: [RangeObject] = []

  /// Consecutive lines of one history.
  fileprivate struct Lines: Sendable {
    var range: EventRange
    /// Of the last one.
    var checksum: LineChecksum
    /// Whether the next event belongs with the last one.
    var hasMore: Bool
    var bytes: [UInt8]
  }

  init(_ storage: any ObjectStorage, _ random: RandomText) {
    self.storage = storage
    self.random = random
  }

  /// Takes lines, and puts at least one range, so that a run that ends behind any batch leaves
  /// something that counts.
  ///
  /// - Returns: what was put.
  mutating func add(_ batch: LineBatch) async throws(EventLogError) -> ReceiveResult {
    let sorter = LineSorter(batch)
    queue = []
    var result = ReceiveResult()
    for refusal in sorter.result.refused { result.refuse(refusal) }
    for line in sorter.lines {
      let before = FullEventID(
        device: line.range.device, sequence: line.range.first - 1, chain: line.checksum.before)
      // A batch stays together, and may be as long as this.
      let byteCount = line.hasMore ? OpenBatch.bytesMax : line.bytes.count
      if let lines = waiting[before], !lines.hasMore,
        lines.bytes.count + byteCount > storage.rangeBytes
      {
        try await put(lines, &result)
      }
      var lines = waiting.removeValue(forKey: before) ?? line
      if lines.range != line.range { lines.add(line) }
      waiting[line.range.end] = lines
    }
    var byteCount = waiting.values.reduce(0) { $0 + $1.bytes.count }
    for end in bySize(waiting.filter { !$0.value.hasMore }).reversed() {
      guard let lines = waiting[end] else { continue }
      byteCount -= lines.bytes.count
      try await put(lines, &result)
      if byteCount <= Self.waitingBytesMax { break }
    }
    return result
  }

  /// What would become of lines, if they were added and all was put.
  static func dryRun(_ batch: LineBatch) -> ReceiveResult { LineSorter(batch).result }

  /// Puts one of the ranges that wait.
  ///
  /// - Returns: what was put; nil where nothing waits.
  mutating func putNext() async throws(EventLogError) -> ReceiveResult? {
    if queue.isEmpty { queue = bySize(waiting) }
    guard let largest = queue.popLast().flatMap({ waiting[$0] }) else { return nil }
    var result = ReceiveResult()
    try await put(largest, &result)
    return result
  }

  private func bySize(_ lines: [FullEventID: Lines]) -> [FullEventID] {
    lines.map { (byteCount: $0.value.bytes.count, end: $0.key) }
      .sorted { ($0.byteCount, $1.end) < ($1.byteCount, $0.end) }.map(\.end)
  }

  private mutating func put(
    _ lines: Lines, _ result: inout ReceiveResult
  ) async throws(EventLogError) {
    try await put(RangeName(lines.range, lines.checksum), lines.bytes)
    waiting[lines.range.end] = nil
    result.received.insert(lines.range)
  }

  /// Puts a range. If something else has its name, it gets an addition.
  @discardableResult
  mutating func put(
    _ name: RangeName, _ bytes: [UInt8]
  ) async throws(EventLogError) -> RangeObject {
    var name = name
    // A taken name may be another device's copy of the range.
    try await storage.put(
      bytes, as: { name.text }, or: { RangeContent(name, $0) != nil },
      choosing: { name = RangeName(name.range, name.checksum, addition: "." + random.next(8)) })
    let object = RangeObject(name: name, byteCount: Int64(bytes.count))
    written.append(object)
    return object
  }
}

extension ObjectWriter.Lines {
  fileprivate mutating func add(_ line: ObjectWriter.Lines) {
    range = EventRange(from: range.first, to: line.range.end)
    (checksum, hasMore) = (line.checksum, line.hasMore)
    bytes += line.bytes
  }
}

/// Tells whose the lines of a batch are.
private struct LineSorter: LineSink {
  var lines: [ObjectWriter.Lines] = []
  /// As if all lines were taken that are events.
  var result = ReceiveResult()

  init(_ batch: LineBatch) {
    var scanner = LineScanner()
    scanner.scanLines(batch.bytes, into: &self)
  }

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    let event = FullEventID(
      device: DeviceID(trusted: canonical.text(layout.device)), sequence: layout.sequence,
      chain: layout.checksum.chain)
    lines.append(
      .init(
        range: EventRange(from: event.sequence, to: event), checksum: layout.checksum,
        hasMore: layout.hasMore, bytes: line.copy() + [0x0A]))
    result.received.insert(event, after: layout.checksum.before)
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    result.refuse(.init(device: nil, sequence: nil, code: .line(fault.code)))
  }
}
