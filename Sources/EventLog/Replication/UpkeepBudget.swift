/// What the upkeep of one run may cost, so that it delays no sync for long.
///
/// A later run continues with what is left.
struct UpkeepBudget: Sendable {
  private static let requestsMax = 64
  private static let bytesMax: Int64 = 8 << 20
  private static let millisecondsMax: Int64 = 20_000
  /// How many objects are joined at a time.
  static let joinedMax = 48
  /// How many frontiers are removed, whatever else was done.
  static let frontiersMax = 16
  /// How long a shorter object takes to read says nothing about a longer one.
  private static let sampleBytesMin: Int64 = 32 << 10

  /// Why there is no more upkeep in this run.
  enum End { case spent, slow }

  let now: @Sendable () -> Int64
  private(set) var end: End?
  private var begunAt: Int64?
  private var requestCount = 0
  private var byteCount: Int64 = 0
  /// What the run has read, and how long that took.
  private var (sampleBytes, sampleMilliseconds): (Int64, Int64) = (0, 0)

  init(_ now: @escaping @Sendable () -> Int64) { self.now = now }

  mutating func noteRead(_ byteCount: Int64, since start: Int64) {
    guard byteCount >= Self.sampleBytesMin else { return }
    sampleBytes += byteCount
    sampleMilliseconds += max(0, now() - start)
  }

  /// Takes what a step costs.
  ///
  /// - Throws: `remoteFailed` if not enough is left. ``end`` then says why.
  mutating func spend(requests count: Int, bytes: Int64 = 0) throws(EventLogError) {
    try check(before: bytes)
    guard requestCount + count <= Self.requestsMax, byteCount + bytes <= Self.bytesMax else {
      throw over(.spent)
    }
    requestCount += count
    byteCount += bytes
  }

  /// Checks that there is time left to transfer so many bytes.
  ///
  /// - Throws: `remoteFailed` if there is not.
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
