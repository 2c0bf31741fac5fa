import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@Suite struct RecordedJournalTests {
  private func file(_ text: String, in folder: TemporaryFolder) throws -> URL {
    let url = URL(fileURLWithPath: folder.file("recorded.jsonl"))
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test func `a recorded journal is read from a file without writing next to it`() async throws {
    let (phone, _) = try await Devices.withOats()
    let folder = try TemporaryFolder()
    let url = try file(phone.lines().joined(separator: "\n") + "\n", in: folder)
    let journal = try RecordedJournal(url, records: Meal.self, catalog: .standard)
    #expect(journal.snapshot[.oats]?.kcal == 370)
    #expect(journal.events == (try phone.events()))
    #expect(try differences(between: journal, and: phone) == [])
    #expect(try SystemFileSystem().contents(of: folder.path) == ["recorded.jsonl"])
    let state = URL(fileURLWithPath: folder.file("expected.json"))
    try Data(phone.snapshot.json()).write(to: state)
    #expect(try differences(of: journal, from: .file(state)) == [])
    try expectState(of: phone.journal, matches: .file(state))
  }

  @Test func `an expected section that no collection has must be empty`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    let empty = #"{"completions":[],"habits":[],"profile":{},"#
    let meals = #""meals":[{"days":[],"fields":{"kcal":370},"id":"oats"}]}"#
    #expect(try differences(of: phone, from: .json(empty + meals)) == [])
    #expect(throws: EventLogError.self) {
      try differences(of: phone, from: .json(#"{"habits":[{"id":"read"}]}"#))
    }
  }

  @Test func `a recorded state without a declared section is a difference`() async throws {
    let (phone, _) = try await Devices.withOats()
    let text = try phone.lines().joined(separator: "\n") + "\n"
    let journal = try RecordedJournal(text: text, records: Meal.self)
    // Without its schema, the command prints no meals.
    let state = ExpectedState.json(#"{"user":"ada","habits":[],"profile":{}}"#)
    let found = try differences(of: journal, from: state)
    #expect(found.map(\.kind) == [.section] && found.map(\.entity) == ["meals"])
    #expect(found[0].description.hasPrefix("meals: the expected state lacks this section"))
    #expect(try differences(of: phone, from: state) == [], "A test of a store may compare a part.")
  }

  @Test func `a recorded journal can be created from a text or a history`() throws {
    var history = History(user: "ada")
    let phone = history.device("phone")
    history.append(phone, "meal.created", "meal/oats", ["name": "Oats"])
    let made = try RecordedJournal(history, records: Meal.self)
    let text = String(decoding: history.lines.joined(), as: UTF8.self)
    let read = try RecordedJournal(text: text, records: Meal.self)
    #expect(made.snapshot[.oats]?.name == "Oats")
    #expect(try differences(between: made, and: read) == [])
    // Without the record's declaration, its events are kept but change nothing.
    #expect(try RecordedJournal(text: text, catalog: .standard).snapshot.entities("meal").isEmpty)
  }

  @Test func `a journal with damage is refused`() async throws {
    let (phone, _) = try await Devices.withOats()
    var lines = try phone.lines()
    lines[1].replace("Oats", with: "Oaks")
    let text = lines.joined(separator: "\n") + "\n"
    let codes = [
      failure { () throws(EventLogError) in
        _ = try RecordedJournal(text: text, records: Meal.self)
      }?.code,
      failure { () throws(EventLogError) in
        _ = try RecordedJournal(text: "nothing\n", records: Meal.self)
      }?.code,
      failure { () throws(EventLogError) in
        _ = try RecordedJournal(URL(fileURLWithPath: "/nowhere.jsonl"), catalog: .standard)
      }?.code,
    ]
    #expect(codes == [.damaged, .notAJournal, .noJournal])
  }

  @Test func `a missing file with the expected state is an error`() async throws {
    let (phone, _) = try await Devices.withOats()
    #expect(
      failure { () throws(EventLogError) in
        _ = try differences(of: phone, from: .file(URL(fileURLWithPath: "/nowhere.json")))
      }?.code == .inputOutput)
  }

  @Test(arguments: ["two-devices", "ada", "loop"])
  func `a sample log differs from its expected state only if an event is missing`(_ name: String)
    throws
  {
    let url = SourceTree.top.appendingPathComponent("SampleLogs/\(name).jsonl")
    let journal = try RecordedJournal(url, catalog: .standard)
    let text = String(decoding: journal.snapshot.json(), as: UTF8.self)
    #expect(try differences(of: journal, from: .json(text)) == [])
    // Without its last event, the state differs.
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
    let earlier = try RecordedJournal(
      text: lines.dropLast().joined(separator: "\n") + "\n", catalog: .standard)
    #expect(try differences(between: earlier, and: journal) != [])
  }
}
