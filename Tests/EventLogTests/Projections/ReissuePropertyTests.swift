import EventLogTesting
import Testing

@testable import EventLog

/// Events that stand in a journal under two names, against the brute-force ``Reference``.
@Suite struct ReissuePropertyTests {
  @Test func `an event with two names counts once, in whatever order`() throws {
    let journal = try HistoryJournal()
    var (aliasCount, conflictCount) = (0, 0)
    for seed in RandomRounds(1500) {
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
    #expect(aliasCount > 1000 && conflictCount > 100)
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
