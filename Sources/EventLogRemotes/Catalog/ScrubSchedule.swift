import EventLog

/// Schedules which verified objects a sync reads again, because a disk may lose a bit.
///
/// A round covers all objects that were verified when it began. Each sync has an allowance of
/// ``bytesPerRun``, and reads the next object once the allowances of several syncs cover its size.
/// Objects put during a round wait for the next one, so that each round ends.
///
/// A remote that verifies itself is trusted for longer: every 180th sync reads all of it.
///
/// The schedule is stored in `SyncRequest.known`, as entries that can't be keys of objects.
struct ScrubSchedule: Sendable {
  /// The number of bytes that a sync rereads on average.
  static let bytesPerRun: Int64 = 256 << 10
  /// The number of syncs that trust a remote that verifies itself: a month at six syncs a day.
  static let trustingRuns: Int64 = 180
  private static let runsMark = "runs "
  private static let savedMark = "saved "
  private static let waitingMark = "again "

  /// The keys of the objects that this round hasn't read yet.
  private var waiting: Set<String> = []
  /// The unused allowance of earlier syncs.
  private var savedBytes: Int64 = 0
  /// The number of syncs that have trusted the remote.
  private var runCount: Int64 = 0

  /// Removes the schedule's entries from `known`, and parses them.
  init(from known: inout Set<String>) {
    for entry in known {
      if entry.utf8.starts(with: Self.waitingMark.utf8) {
        waiting.insert(String(entry.dropFirst(Self.waitingMark.count)))
      } else if entry.utf8.starts(with: Self.savedMark.utf8) {
        savedBytes = max(0, Int64(entry.dropFirst(Self.savedMark.count)) ?? 0)
      } else if entry.utf8.starts(with: Self.runsMark.utf8) {
        runCount = max(0, Int64(entry.dropFirst(Self.runsMark.count)) ?? 0)
      } else {
        continue
      }
      known.remove(entry)
    }
  }

  /// The entries to store for the next sync.
  var entries: Set<String> {
    var entries = Set(waiting.map { Self.waitingMark + $0 })
    if savedBytes > 0 { entries.insert("\(Self.savedMark)\(savedBytes)") }
    if runCount > 0 { entries.insert("\(Self.runsMark)\(runCount)") }
    return entries
  }

  /// Returns the objects that this sync reads again.
  mutating func next(of objects: [RangeObject], checksItself: Bool) -> [RangeObject] {
    guard checksItself else { return next(of: objects).map { [$0] } ?? [] }
    runCount += 1
    guard runCount >= Self.trustingRuns else { return [] }
    runCount = 0
    return objects
  }

  /// Returns the object that this sync reads again, or nil if the allowance doesn't cover it yet.
  private mutating func next(of objects: [RangeObject]) -> RangeObject? {
    waiting.formIntersection(objects.map(\.key))
    if waiting.isEmpty { waiting = Set(objects.map(\.key)) }
    let due = objects.filter { waiting.contains($0.key) }
      .min { $0.key.precedes($1.key) }
    guard let due else { return nil }
    savedBytes += Self.bytesPerRun
    guard savedBytes >= due.byteCount else { return nil }
    savedBytes = 0
    waiting.remove(due.key)
    return due
  }
}
