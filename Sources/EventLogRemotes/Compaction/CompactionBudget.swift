import EventLog

/// Limits the compaction of one sync, so that it delays the sync only briefly.
///
/// A later sync continues with the rest.
struct CompactionBudget: Sendable {
  private static let requestsMax = 64
  private static let bytesMax: Int64 = 8 << 20
  private static let millisecondsMax: Int64 = 20_000
  /// The number of objects merged at a time.
  static let mergedMax = 48
  /// The minimum size of a read that is used to estimate the throughput.
  private static let sampleBytesMin: Int64 = 32 << 10

  /// The reason why compaction ends for this sync.
  enum End { case spent, slow }

  let now: @Sendable () -> Int64
  private(set) var end: End?
  private var begunAt: Int64?
  private var requestCount = 0
  private var byteCount: Int64 = 0
  /// The number of bytes that the sync has read, and the time spent on reading them.
  private var (sampleBytes, sampleMilliseconds): (Int64, Int64) = (0, 0)

  init(_ now: @escaping @Sendable () -> Int64) { self.now = now }

  mutating func noteRead(_ byteCount: Int64, since start: Int64) {
    guard byteCount >= Self.sampleBytesMin else { return }
    sampleBytes += byteCount
    sampleMilliseconds += max(0, now() - start)
  }

  /// Spends the cost of a step.
  ///
  /// - Throws: `remoteFailed` if not enough is left. ``end`` then has the reason.
  mutating func spend(requests count: Int, bytes: Int64 = 0) throws(EventLogError) {
    try check(before: bytes)
    guard requestCount + count <= Self.requestsMax, byteCount + bytes <= Self.bytesMax else {
      throw over(.spent)
    }
    requestCount += count
    byteCount += bytes
  }

  /// Checks that there is time left to transfer `bytes` bytes.
  ///
  /// - Throws: `remoteFailed` if there isn't.
  mutating func check(before bytes: Int64 = 0) throws(EventLogError) {
    let start = begunAt ?? now()
    begunAt = start
    let ahead = sampleBytes > 0 ? Double(bytes) / Double(sampleBytes) : 0
    guard now() - start + Int64(ahead * Double(sampleMilliseconds)) <= Self.millisecondsMax else {
      throw over(.slow)
    }
  }

  private mutating func over(_ end: End) -> EventLogError {
    self.end = end
    return EventLogError(.remoteFailed, "The upkeep is over for this run.")
  }
}
