import EventLogTesting
import Testing

@testable import EventLog

/// Events that stand in a journal under two names, against the brute-force ``Reference``.
@Suite struct ReissuePropertyTests {
  @Test func `an event with two names counts once, in whatever order`() throws {
    let journal = try HistoryJournal()
    var (aliasCount, conflictCount) = (0, 0)
    for seed in RandomRounds(500) {
      let history = RandomHistory.reissued(seed: seed, forgetting: seed % 3 == 0 ? 20 : 0)
      let reference = ReferenceState(history)
      for order in 0..<3 as Range<UInt64> {
        let snapshot = try journal.snapshot(history, lines: history.lines(order: seed &+ order))
        try #require(
          snapshot.report == reference.report, Self.difference(snapshot, reference, seed))
        try #require(snapshot.eventCount == history.entries.count, "EVENTLOG_SEED=\(seed)")
        try #require(
          ReferenceValue.plain(String(decoding: snapshot.json(), as: UTF8.self))
            == ReferenceValue.plain(String(decoding: reference.json, as: UTF8.self)),
          "EVENTLOG_SEED=\(seed)")
        aliasCount += snapshot.ledger.reissuedEvents.first?.otherNames.count ?? 0
        conflictCount += snapshot.conflicts.count
      }
    }
    #expect(aliasCount > 500 && conflictCount > 50)
  }

  @Test func `a candidate that gets another name is not a new one`() throws {
    var two = TwoDevices()
    let edited = two.history.append(
      two.phone, "habit.edited", "habit/read", ["name": "Read a book"])
    two.history.append(two.tablet, "habit.edited", "habit/read", ["name": "Read much"])
    var generator = SplitMix64(seed: 7)
    let events = edited.sequence...edited.sequence
    let history = two.history.reissued(
      [ReissuedRun(two.phone, as: "again", events), ReissuedRun(two.phone, as: "anew", events)],
      using: &generator)
    func isLate(_ entry: History.Entry) -> Bool { entry.id.device.text == "again-aaaaaaaa" }
    var reading = HistoryReading()
    reading.read(history.entries.filter { !isLate($0) }.map(\.line))
    let before = reading.snapshot
    reading.read(history.entries.filter(isLate).map(\.line))
    let after = reading.snapshot
    let names = ["again-aaaaaaaa:2", "anew-aaaaaaaa:2"]
    let shown = try [before, after].map { try #require($0.conflict("habit/read#name")) }
    let taken = shown.map(\.candidates[0].event)
    #expect(taken.map(\.description) == Array(names.reversed()))
    #expect(after.conflicts(since: before).isEmpty)
    #expect(
      after.fold.openConflicts(after.ledger, besides: [before.conflictCandidates]).isEmpty)
    #expect(before.conflicts(since: before).isEmpty)
    // And whoever was shown the old name settles by it.
    for (conflict, event) in zip(shown, taken) {
      let drafts = try Settlement(shown: conflict, choice: .candidate(event))
        .events(after.fold, after.ledger)
      #expect(drafts.map(\.data["name"]) == ["Read a book"])
    }
  }

  private static func difference(
    _ snapshot: Snapshot, _ reference: ReferenceState, _ seed: UInt64
  ) -> Comment {
    let (got, expected) = (snapshot.report, reference.report)
    let extra = got.filter { !expected.contains($0) }.map { "  fold only: \($0)" }
    let missing = expected.filter { !got.contains($0) }.map { "  reference only: \($0)" }
    return "EVENTLOG_SEED=\(seed)\n\((extra + missing).joined(separator: "\n"))"
  }
}
