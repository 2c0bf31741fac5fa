import EventLogTesting
import Testing

@testable import EventLog

/// A reading that was stored anywhere and gone on with comes to what reading all at once comes to.
@Suite struct StoredStatePropertyTests {
  @Test func `whatever the history and the cut, a stored reading goes on as if never stopped`()
    throws
  {
    let files = try StoredReading()
    for seed in RandomRounds(600) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 3...40)
      let lines = history.lines(order: seed)
      try Self.compare(lines, seed, files)
    }
  }

  @Test func `damage before the cut and behind it is told as by reading all at once`() throws {
    let files = try StoredReading()
    var codes: Set<JournalProblem.Code> = []
    for seed in RandomRounds(900) {
      var random = SplitMix64(seed: seed)
      let history = RandomHistory.maybeForked(seed: seed, sizes: 3...30)
      let lines = random.damaged(history.lines(order: seed))
      if lines.isEmpty { continue }
      codes.formUnion(try Self.compare(lines, seed, files))
    }
    let expected: [JournalProblem.Code] = [
      .gap, .fork, .repeatedLine, .outOfOrder, .unseenEvent, .chainMismatch,
      .line(.checksumMismatch), .line(.malformed),
    ]
    #expect(expected.filter { !codes.contains($0) } == [], "no journal of this run held these")
  }

  /// Stores at a random cut, once more at a later one, and compares all that there is to compare;
  /// the problems that the tail brought.
  @discardableResult
  private static func compare(
    _ lines: [[UInt8]], _ seed: UInt64, _ files: StoredReading
  ) throws -> Set<JournalProblem.Code> {
    var random = SplitMix64(seed: seed)
    let cuts = (0..<2).map { _ in Int.random(in: 1...lines.count, using: &random) }.sorted()
    try files.put(lines)
    let whole = try files.read()
    var place: StoredReading.Place?
    for cut in cuts {
      try files.put(lines[..<cut])
      let stopped = try files.read(on: place)
      // Such an end is not kept.
      if stopped.end.doubtfulTail != nil || stopped.pass.lastGood == nil { continue }
      let restored = try files.restored(StoredReading.checkpoint(of: stopped))
      let isSame = StoredReading.bytes(restored) == StoredReading.bytes(stopped)
      try #require(isSame, "EVENTLOG_SEED=\(seed)")
      place = restored
    }
    let before = place?.pass.problems.count ?? 0
    try files.put(lines)
    let resumed = try files.read(on: place)
    try compare(resumed, whole, seed)
    return Set(resumed.pass.problems.kept.dropFirst(before).map(\.code))
  }

  private static func compare(
    _ resumed: StoredReading.Place, _ whole: StoredReading.Place, _ seed: UInt64
  ) throws {
    let (left, right) = (StoredReading.snapshot(resumed), StoredReading.snapshot(whole))
    try #require(left.report == right.report, "EVENTLOG_SEED=\(seed)")
    try #require(left.conflicts == right.conflicts, "EVENTLOG_SEED=\(seed)")
    try #require(left.json() == right.json(), "EVENTLOG_SEED=\(seed)")
    try #require(left.damage == right.damage, "EVENTLOG_SEED=\(seed)")
    try #require(
      resumed.pass.problems.kept == whole.pass.problems.kept, "EVENTLOG_SEED=\(seed)")
    try #require(resumed.end.doubtfulTail == whole.end.doubtfulTail, "EVENTLOG_SEED=\(seed)")
    let (one, other) = (resumed.pass.ledger, whole.pass.ledger)
    try #require(left.frontier == right.frontier, "EVENTLOG_SEED=\(seed)")
    for device in other.devices.indices {
      let unstated = one.unstated(by: device).map { "\($0.device):\($0.sequence)" }
      let expected = other.unstated(by: device).map { "\($0.device):\($0.sequence)" }
      try #require(unstated == expected, "EVENTLOG_SEED=\(seed)")
      for sequence in 1...max(1, other.devices[device].last) {
        let clock = one.clock(of: device, at: sequence)
        try #require(clock == other.clock(of: device, at: sequence))
      }
    }
    // And all that is not asked here, as it would be stored.
    let isSame = StoredReading.bytes(resumed) == StoredReading.bytes(whole)
    try #require(isSame, "EVENTLOG_SEED=\(seed)")
  }
}
