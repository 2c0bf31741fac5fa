import EventLog
import EventLogCollections
import EventLogInspection
import Foundation
import Testing

/// Checks the claims of the README of the sample logs.
@Suite struct SampleLogTests {
  private func path(_ name: String) -> String {
    BuiltProduct.repository.appendingPathComponent("SampleLogs/\(name)").path
  }

  private func snapshot(_ name: String) throws -> Snapshot {
    try Journal(path: path(name), catalog: .standard).snapshot().snapshot
  }

  @Test(arguments: ["ada.jsonl", "two-devices.jsonl", "loop.jsonl"])
  func `a sample is sound and has no notes`(name: String) throws {
    let report = try Journal(path: path(name), catalog: .standard).verify()
    #expect(report.problems.isEmpty && report.notes.isEmpty)
    #expect(report.eventCount > 30)
  }

  @Test func `the sample of one device contains all types except habit.unarchived`() throws {
    var types: Set<String> = []
    var completions = 0
    _ = try Journal(path: path("ada.jsonl")).replay { event, _ in
      types.insert(event.type)
      if event.type.hasPrefix("completion.") { completions += 1 }
      return true
    }
    #expect(completions > 400)
    let missing = Set(SchemaCatalog.standard.typeNames).subtracting(types)
    #expect(missing == ["habit.unarchived"])
    let snapshot = try snapshot("ada.jsonl")
    let habits = snapshot.entities("habit")
    #expect(habits.map(\.id.key) == ["german", "piano", "read", "run", "water"])
    #expect(habits.filter { $0["archived"] == true }.map(\.id.key) == ["water"])
    #expect(snapshot.conflicts.isEmpty && snapshot.frontier.tips.count == 1)
  }

  @Test func `the sample of two devices has a conflict of each kind`() throws {
    let snapshot = try snapshot("two-devices.jsonl")
    #expect(
      snapshot.conflicts.map(\.id) == [
        "habit/piano#archived", "habit/read#name", "habit/read@2026-03-02#progress",
        "habit/run#schedule", "habit/run@2026-03-02#skipped", "habit/water#presence",
        "profile#weight", "settings#firstDay",
      ])
    #expect(snapshot.frontier.tips.count == 2)
  }

  @Test func `the damaged sample has each kind of damage at its documented line`() throws {
    let report = try Journal(path: path("damaged.jsonl"), catalog: .standard).verify()
    #expect(
      report.problems.map { "\($0.line) \($0.code.text)" } == [
        "15 checksumMismatch", "16 gap", "32 gap", "39 doubtfulTail",
      ])
    #expect(report.notes.map { "\($0.line) \($0.code.text)" } == ["9 repeatedLine"])
  }

  @Test func `the imported sample can be imported again and a copy projects the same bytes`() throws
  {
    let workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    try workplace.follow(
      """
      $ eventlog append SampleLogs/again.jsonl --user ada - < SampleLogs/loop.events.jsonl
      …
      $ mkdir elsewhere && cp SampleLogs/again.jsonl elsewhere/copy.jsonl
      $ eventlog project SampleLogs/again.jsonl --json > one
      $ eventlog project elsewhere/copy.jsonl --json > two
      $ cmp one two && eventlog verify elsewhere/copy.jsonl > verified
      $ eventlog project SampleLogs/again.jsonl habits completions > three
      $ eventlog project SampleLogs/loop.jsonl habits completions | cmp - three
      """)
    let snapshot = try snapshot("loop.jsonl")
    #expect(snapshot.entities("habit").count == 9)
    #expect(snapshot.entities("habit").flatMap(\.days).count == 164)
  }
}
