import EventLog

/// Collects lines by their histories and puts them as ranges.
struct ObjectWriter: Sendable {
  /// The maximum number of waiting bytes after each call, not counting unfinished batches.
  private static let waitingBytesMax = 16 << 20

  private let storage: any ObjectStorage
  private let random: RandomText
  /// The lines of future ranges, by their last events.
  private var waiting: [FullEventID: Lines] = [:]
  /// The keys of ``waiting``, the largest range last. Cleared when lines are added.
  private var queue: [FullEventID] = []
  /// The objects that were put.
  private(set) var written: [RangeObject] = []

  /// Consecutive lines of one history.
  fileprivate struct Lines: Sendable {
    var range: EventRange
    /// The checksum of the last line.
    var checksum: LineChecksum
    /// Whether the next event is in the same batch as the last one.
    var hasMore: Bool
    var bytes: [UInt8]
  }

  init(_ storage: any ObjectStorage, _ random: RandomText) {
    self.storage = storage
    self.random = random
  }

  /// Adds lines, and puts at least one range that doesn't end within a batch of events.
  ///
  /// Therefore, a run that ends after any call has made progress.
  ///
  /// - Returns: The events that were put.
  mutating func add(_ batch: LineBatch) async throws(EventLogError) -> ReceiveResult {
    let batch = SplitBatch(batch)
    queue = []
    var result = ReceiveResult()
    for refusal in batch.result.refused { result.refuse(refusal) }
    for line in batch.lines {
      let before = FullEventID(
        device: line.event.device, sequence: line.event.sequence - 1,
        chain: line.checksum.before)
      // A batch of events isn't split, and may be this long.
      let byteCount = line.hasMore ? OpenBatch.bytesMax : line.bytes.count
      if let lines = waiting[before], !lines.hasMore,
        lines.bytes.count + byteCount > storage.rangeBytes
      {
        try await put(lines, &result)
      }
      if var lines = waiting.removeValue(forKey: before) {
        lines.add(line)
        waiting[line.event] = lines
      } else {
        waiting[line.event] = Lines(line)
      }
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

  /// The result of adding lines and putting all of them.
  static func dryRun(_ batch: LineBatch) -> ReceiveResult { SplitBatch(batch).result }

  /// Puts the largest waiting range.
  ///
  /// - Returns: The events that were put, or nil if none are waiting.
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

  /// Puts a range. If its name is taken by another object, the name gets an addition.
  @discardableResult
  mutating func put(
    _ name: RangeName, _ bytes: [UInt8]
  ) async throws(EventLogError) -> RangeObject {
    var name = name
    // Another device may have put the same range.
    let isStored = try await storage.put(
      bytes, as: { name.text }, or: { RangeContent(name, $0) != nil },
      choosing: { name = RangeName(name.range, name.checksum, addition: "." + random.next(8)) })
    guard isStored else { throw storage.namesAreTaken }
    let object = RangeObject(name: name, byteCount: Int64(bytes.count))
    written.append(object)
    return object
  }
}

extension ObjectWriter.Lines {
  fileprivate init(_ line: SplitBatch.Line) {
    self.init(
      range: EventRange(from: line.event.sequence, to: line.event), checksum: line.checksum,
      hasMore: line.hasMore, bytes: line.bytes)
  }

  fileprivate mutating func add(_ line: SplitBatch.Line) {
    range = EventRange(from: range.first, to: line.event)
    (checksum, hasMore) = (line.checksum, line.hasMore)
    bytes += line.bytes
  }
}
