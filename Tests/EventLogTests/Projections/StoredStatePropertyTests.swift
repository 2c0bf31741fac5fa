import EventLogTesting
import Testing

@testable import EventLog

/// A reading that was stored anywhere and resumed equals a reading of all lines at once.
@Suite(.tags(.random)) struct StoredStatePropertyTests {
  @Test func `a reading resumed from a checkpoint equals an uninterrupted one`()
    throws
  {
    let files = try StoredReading()
    for seed in RandomRounds(600) {
      let history = RandomHistory.maybeForked(seed: seed, sizes: 3...40)
      let lines = history.lines(order: seed)
      try Self.compare(lines, seed, files)
    }
  }

  @Test func `a resumed reading reports the same damage and gaps as an uninterrupted one`()
    throws
  {
    let files = try StoredReading()
    var codes: Set<String> = []
    var resumedCount = 0
    for seed in RandomRounds(900) {
      var random = SplitMix64(seed: seed)
      let history = RandomHistory.maybeForked(seed: seed, sizes: 3...30)
      let lines = random.damaged(history.lines(order: seed))
      if lines.isEmpty { continue }
      let resumed = try Self.compare(lines, seed, files)
      let report = resumed.pass.report
      codes.formUnion((report.problems + report.notes).map(\.code.text))
      if resumed.pass.isResumed { resumedCount += 1 }
    }
    let expected = ["gap", "fork", "repeatedLine", "checksumMismatch", "malformed", "deadBytes"]
    #expect(expected.filter { !codes.contains($0) } == [], "no journal of this run held these")
    #expect(resumedCount > Rounds.of(100))
  }

  @Test func `a resumed reading of copies that lost lines equals an uninterrupted one`() throws {
    let files = try StoredReading()
    var resumedCount = 0
    for seed in RandomRounds(200) {
      let world = HistoryWorld(seed: seed, drafts: RandomDrafts(seed: seed))
      var random = SplitMix64(seed: seed)
      let copy = world.copies.randomElement(using: &random)!
      var lines = world.history.lines(of: copy)
      if seed % 2 == 0 { lines.shuffle(using: &random) }
      if try Self.compare(lines, seed, files).pass.isResumed { resumedCount += 1 }
    }
    #expect(resumedCount > Rounds.of(20))
  }

  /// Stores a reading at a random line, again at a later one, and compares all results.
  @discardableResult
  private static func compare(
    _ lines: [[UInt8]], _ seed: UInt64, _ files: StoredReading
  ) throws -> StoredReading.Stopped {
    var random = SplitMix64(seed: seed)
    let cuts = (0..<2).map { _ in Int.random(in: 1...lines.count, using: &random) }.sorted()
    try files.put(lines)
    let whole = try files.read()
    var latest: StoredReading.Stopped?
    for cut in cuts {
      try files.put(lines[..<cut])
      let stopped = try files.read(resuming: latest)
      // No checkpoint is written for such an end.
      if stopped.end.doubtfulTail != nil || stopped.pass.lastGood == nil { continue }
      if !stopped.pass.unfinished.isEmpty || stopped.pass.ledger.users.isAmbiguous { continue }
      let restored = try files.restored(StoredReading.checkpoint(of: stopped))
      try #require(restored.pass.sink.broken(restored.pass.ledger) == [], "EVENTLOG_SEED=\(seed)")
      let isSame = StoredReading.bytes(restored) == StoredReading.bytes(stopped)
      try #require(isSame, "EVENTLOG_SEED=\(seed)")
      latest = restored
    }
    try files.put(lines)
    let resumed = try files.read(resuming: latest)
    try compare(resumed, whole, seed)
    return resumed
  }

  private static func compare(
    _ resumed: StoredReading.Stopped, _ whole: StoredReading.Stopped, _ seed: UInt64
  ) throws {
    let (left, right) = (StoredReading.snapshot(resumed), StoredReading.snapshot(whole))
    try #require(left.report == right.report, "EVENTLOG_SEED=\(seed)")
    try #require(left.conflicts == right.conflicts, "EVENTLOG_SEED=\(seed)")
    let (one, other) = (left.json(), right.json())
    try #require(
      String(decoding: one, as: UTF8.self) == String(decoding: other, as: UTF8.self),
      "EVENTLOG_SEED=\(seed)")
    try #require(resumed.end.doubtfulTail == whole.end.doubtfulTail, "EVENTLOG_SEED=\(seed)")
    let (found, expected) = (resumed.pass.report, whole.pass.report)
    try #require(
      Self.summaries(found.problems) == Self.summaries(expected.problems), "EVENTLOG_SEED=\(seed)")
    try #require(
      Self.summaries(found.notes) == Self.summaries(expected.notes), "EVENTLOG_SEED=\(seed)")
    try #require(left.frontier == right.frontier, "EVENTLOG_SEED=\(seed)")
    try #require(
      resumed.pass.ledger.everythingSeen == whole.pass.ledger.everythingSeen,
      "EVENTLOG_SEED=\(seed)")
    // Branches may have other numbers, unless all lines came in the same order.
    if expected.problems == [], whole.pass.ledger.index.strays.isEmpty,
      resumed.pass.ledger.index.strays.isEmpty
    {
      // Compares everything else as it would be stored.
      let isSame = StoredReading.bytes(resumed) == StoredReading.bytes(whole)
      try #require(isSame, "EVENTLOG_SEED=\(seed)")
    }
  }
}

extension StoredStatePropertyTests {
  /// The problems without their lines: which of two lines starts a fork or refers to a missing
  /// event may depend on where the first reading stopped.
  fileprivate static func summaries(_ problems: [JournalProblem]) -> Set<String> {
    Set(problems.map { "\($0.code.text) \($0.device ?? "") \($0.sequence ?? 0)" })
  }
}

extension Ledger {
  /// Everything that each event, held or missing, has seen.
  fileprivate var everythingSeen: [FullEventID: Set<FullEventID>] {
    var seen: [FullEventID: Set<FullEventID>] = [:]
    for branch in branches.indices {
      for sequence in branches[branch].first...branches[branch].last {
        let clock = clock(of: branch, at: sequence)
        let point = Point(branch: Int32(branch), sequence: sequence)
        seen[fullID(point)] = Set(
          clock.indices.flatMap { other -> [FullEventID] in
            let first = branches[other].first
            guard clock[other] >= first else { return [] }
            return (first...clock[other]).map {
              fullID(Point(branch: Int32(other), sequence: $0))
            }
          })
      }
    }
    return seen
  }
}
