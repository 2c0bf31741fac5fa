import EventLog
import EventLogInspection
import EventLogTesting
import Testing

/// The fold compared with the brute-force ``Reference``, on random histories.
@Suite(.tags(.random)) struct FoldPropertyTests {
  @Test func `the state of a random history equals the reference, in any causal order`() throws {
    let journal = try HistoryJournal()
    var seen = Coverage()
    for seed in RandomRounds(2000, until: { seen.missing.isEmpty }) {
      let history = RandomHistory(seed: seed).history
      let reference = ReferenceState(history)
      let expected = reference.report
      let snapshot = try journal.snapshot(history)
      try #require(snapshot.report == expected, Self.difference(snapshot.report, expected, seed))
      try #require(Self.text(snapshot.json()) == Self.text(reference.json), "EVENTLOG_SEED=\(seed)")
      if seed % 4 == 0 {
        let shuffled = try journal.snapshot(history, lines: history.lines(order: seed))
        try #require(shuffled.json() == snapshot.json(), "EVENTLOG_SEED=\(seed)")
      }
      seen.note(snapshot, history)
    }
    #expect(seen.missing.isEmpty, "no history of this run held these")
  }

  @Test func `verify notes exactly the events that break a rule`() throws {
    let journal = try HistoryJournal()
    for seed in RandomRounds(500) {
      let history = RandomHistory(seed: seed).history
      let report = try journal.verify(history)
      try #require(report.problems.isEmpty, "EVENTLOG_SEED=\(seed)")
      for code in [JournalProblem.Note.brokenRule, .unknownType, .laterVersion] {
        let noted = report.notes.filter { $0.code == .note(code) }.map {
          "\($0.device!):\($0.sequence!)"
        }
        let expected = Reference(history).events.filter { event in
          switch code {
          case .brokenRule: event.breaksRule
          case .unknownType: event.version == 1 && !event.isKnown
          default: event.version > 1
          }
        }
        try #require(noted == expected.map(\.id.description), "EVENTLOG_SEED=\(seed) \(code)")
      }
    }
  }

  private static func text(_ json: [UInt8]) -> String {
    ReferenceValue.plain(String(decoding: json, as: UTF8.self))
  }

  private static func difference(_ got: [String], _ expected: [String], _ seed: UInt64) -> Comment {
    let extra = got.filter { !expected.contains($0) }.map { "  fold only: \($0)" }
    let missing = expected.filter { !got.contains($0) }.map { "  reference only: \($0)" }
    return "EVENTLOG_SEED=\(seed)\n\((extra + missing).joined(separator: "\n"))"
  }

  /// The cases that the histories of a run must include, so that the test covers them.
  private struct Coverage {
    private static let counters = ["progress", "eaten", "servings", "ml", "cheats"]
    private var found: Set<String> = []

    mutating func note(_ snapshot: Snapshot, _ history: History) {
      let increments = Set(
        history.entries.filter { $0.type.hasSuffix(".advanced") }.map(\.fullID))
      for conflict in snapshot.conflicts {
        let mechanism = Self.counters.contains(conflict.field) ? "counter" : "register"
        found.insert(conflict.kind == .presence ? "presence" : mechanism)
        if conflict.base == "deleted" { found.insert("deleted base") }
        if conflict.base == .null { found.insert("null base") }
        if conflict.candidates.count > 2 { found.insert("three candidates") }
        if conflict.candidates.contains(where: { $0.value == .null }) { found.insert("null") }
        if conflict.candidates.contains(where: { increments.contains($0.fullID) }) {
          found.insert("sum beside an import")
        }
        if conflict.entity.contains("@") { found.insert("day") }
        if mechanism == "counter", conflict.entity.hasPrefix("meal/") { found.insert("derived") }
        if conflict.entity == "diet" { found.insert("own singleton") }
      }
      if snapshot.entities("habit", includingDeleted: true).contains(where: \.isDeleted) {
        found.insert("hidden")
      }
    }

    var missing: [String] {
      [
        "presence", "counter", "register", "deleted base", "null base", "three candidates", "null",
        "day", "hidden", "derived", "own singleton", "sum beside an import",
      ].filter { !found.contains($0) }
    }
  }
}
