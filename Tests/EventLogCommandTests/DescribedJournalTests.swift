import EventLog
import EventLogTesting
import Foundation
import Testing

/// Journals whose app has left its declarations, at the terminal.
@Suite struct DescribedJournalTests {
  private struct Plant: Record {
    var name = ""
    var waterings = Counter<Int>()
    static let schema = Schema<Plant>(
      "plant", [.register("name", \.name), .counter("waterings", \.waterings)])
  }

  /// A folder with a journal, `a.jsonl`, of an app with plants.
  private func workplace() async throws -> Workplace {
    let workplace = try Workplace()
    let store = try await EventStore.open(
      URL(fileURLWithPath: workplace.file("a.jsonl")), user: "ada", device: "phone",
      records: Plant.self)
    _ = try await store.create(Plant.self, key: "fern") {
      $0.name = "Fern"
      $0.waterings += 2
    }
    try await store.close()
    return workplace
  }

  private func run(_ workplace: Workplace, _ words: String...) throws -> String {
    let run = try workplace.eventlog(words)
    #expect(run.code == 0 && run.errors.isEmpty, "\(run.errorText)")
    return run.text
  }

  @Test func `project shows the app's sections first, and others only with content`() async throws {
    let workplace = try await workplace()
    let text = try run(workplace, "project", "a.jsonl")
    #expect(text.hasPrefix("Plants\n") && text.contains("Fern"))
    #expect(!text.contains("Profile") && !text.contains("Habits") && text.contains("Conflicts"))
    _ = try run(workplace, "append", "a.jsonl", "habit.created", "habit/read", "name=Read")
    _ = try run(workplace, "append", "a.jsonl", "food.created", "food/oats", "name=Oats")
    let later = try run(workplace, "project", "a.jsonl")
    #expect(later.contains("Habits") && !later.contains("Profile"))
    #expect(later.contains("Also foods (1)"))
  }

  @Test func `project --json has the app's sections, and all others with content`() async throws {
    let workplace = try await workplace()
    func members() throws -> [String] {
      let text = try run(workplace, "project", "a.jsonl", "--json")
      guard case .object(let object) = try JSONValue(parsing: Array(text.utf8)) else { return [] }
      return object.members.map(\.name)
    }
    #expect(
      try members() == ["conflicts", "contested", "eventCount", "frontier", "plants", "user"])
    _ = try run(workplace, "append", "a.jsonl", "food.created", "food/oats", "name=Oats")
    _ = try run(workplace, "append", "a.jsonl", "plant.advanced", "plant/fern", "waterings=1")
    #expect(
      try members() == [
        "conflicts", "contested", "eventCount", "foods", "frontier", "plants", "user",
      ])
  }

  @Test func `a copy that was synced through a folder is described, too`() async throws {
    let workplace = try await workplace()
    _ = try workplace.eventlog(["sync", "a.jsonl", "shared"])
    _ = try workplace.eventlog(["sync", "b.jsonl", "shared", "--user", "ada"])
    let shown = try run(workplace, "project", "b.jsonl", "--json")
    #expect(try run(workplace, "project", "a.jsonl", "--json") == shown)
    #expect(try run(workplace, "diff", "a.jsonl", "b.jsonl").contains("same"))
    #expect(try run(workplace, "types", "b.jsonl").hasPrefix("plants"))
    #expect(try run(workplace, "types", "b.jsonl", "plant.advanced").contains("waterings"))
    let declaration = try run(workplace, "types", "b.jsonl", "--declaration")
    let declared = try CollectionSchema.file(SchemaCatalog().adding([Plant.self]).collections)
    #expect(declaration == declared.text + "\n")
  }

  @Test func `--schema and EVENTLOG_SCHEMA take precedence`() async throws {
    let workplace = try await workplace()
    for kind in ["option", "variable"] {
      try workplace.write(
        "\(kind).json",
        #"{"collections":[{"kind":"plant","section":"\#(kind)s","fields":{"name":"text"}}]}"#)
    }
    let chosen = ["EVENTLOG_SCHEMA": "variable.json"]
    let byVariable = try workplace.eventlog(["project", "a.jsonl"], environment: chosen)
    #expect(byVariable.text.hasPrefix("Variables\n"))
    let byOption = try workplace.eventlog(
      ["project", "a.jsonl", "--schema", "option.json"], environment: chosen)
    #expect(byOption.text.hasPrefix("Options\n"))
    // The saved schema doesn't apply, so a hint must not name it.
    let unknown = try workplace.eventlog(
      ["append", "a.jsonl", "no.such"], environment: chosen)
    #expect(unknown.code == 2 && unknown.errorText.contains("--schema FILE declares more"))
    let missing = try workplace.eventlog(
      ["project", "a.jsonl"], environment: ["EVENTLOG_SCHEMA": "none.json"])
    #expect(missing.code == 2 && missing.errorText.contains("Check the path in EVENTLOG_SCHEMA."))
  }

  @Test func `a file with declarations of a later version is named`() async throws {
    let content = #"{"collections":[{"kind":"plant","fields":{"name":"later"}}]}"#
    let workplace = try await workplace()
    let bytes = Array(content.utf8)
    let name = SchemaFile.Name(revision: 2, checksum: CRC32C.checksum(bytes)).text
    try workplace.write("a.eventlog/\(name)", bytes)
    let run = try workplace.eventlog(["project", "a.jsonl"])
    #expect(run.code == 0 && run.text.hasPrefix("Profile\n"))
    #expect(run.errorText.contains("a.eventlog/\(name) can't be read"))
  }
}
