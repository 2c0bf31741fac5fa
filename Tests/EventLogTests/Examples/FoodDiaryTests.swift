import EventLog
import EventLogTesting
import Foundation
import Testing

/// A food diary on a phone and a tablet, from the first declaration to a settled conflict. Read it
/// from top to bottom: it is an app's whole life with this library.
@Suite struct FoodDiaryTests {
  // One declaration per collection. Each property is tied to a field and to the rule by which
  // concurrent writes of it come together; event types, checks, merging and JSON follow.
  // README: begin
  struct Food: Record {
    var name = ""
    var kcal = 0
    var servings = 0
    var tags: Set<String> = []

    static let schema = Schema<Food>(
      "food",
      [
        .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
        .members("tags", \.tags),
      ])
  }
  // README: end

  @Test func `a journal is opened, written, watched and settled`() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    var shown: [[String]] = []
    func show(_ foods: [Stored<Food>]) { shown.append(foods.map(\.name)) }

    // README: begin
    let store = try await EventStore.open(url, user: "ada", device: "phone", records: Food.self)
    let oats = try await store.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 370
    }.id
    try await store.edit(oats) { $0.kcal = 380 }  // only what changed enters the event
    try await store.add(1, to: \.servings, of: oats)  // counts, whatever other devices add
    print(store.snapshot[oats]?.kcal ?? 0)  // a value, read without waiting

    for conflict in store.snapshot.conflicts {  // what devices wrote unknowing of each other
      try await store.resolve(conflict, taking: conflict.candidates[0].event)
    }
    for await state in store.changes {  // now, and after each change, also by other processes
      show(state.all(Food.self))
      // README: end
      break
    }
    #expect(shown == [["Oats"]])
    #expect(store.snapshot[oats]?.servings == 1)
    try await store.close()
  }

  @Test func `two devices work apart, meet, and a person settles what disagrees`() async throws {
    // Two devices of one user; in an app each would be a process on a machine of its own.
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 370
    }.id
    try await phone.sync(with: tablet)
    #expect(tablet.snapshot[oats]?.kcal == 370)

    // Offline: both count a serving, both tag, and both correct the calories, differently.
    try await phone.add(1, to: \.servings, of: oats)
    try await tablet.add(1, to: \.servings, of: oats)
    try await phone.include("grain", in: \.tags, of: oats)
    try await tablet.include("breakfast", in: \.tags, of: oats)
    try await phone.edit(oats) { $0.kcal = 380 }
    try await tablet.edit(oats) { $0.kcal = 389 }

    // They meet. Counters and sets have merged; the two corrections did not know of each other, so
    // both are kept, and a person is asked. Until then the later one shows.
    let report = try await phone.sync(with: tablet)
    #expect(phone.snapshot[oats]?.servings == 2)
    #expect(phone.snapshot[oats]?.tags == ["grain", "breakfast"])
    let conflict = try #require(report.newConflicts.first)
    #expect(report.newConflicts.count == 1 && conflict.field == "kcal" && conflict.base == 370)
    #expect(Set(conflict.candidates.map(\.value)) == [380, 389])
    #expect(phone.snapshot[oats]?.kcal == 389)

    // The person's choice is an event like any other: it travels, and settles it everywhere.
    let choice = try #require(conflict.candidates.first { $0.value == 380 })
    try await phone.resolve(conflict, taking: choice.event)
    try await phone.sync(with: tablet)
    #expect(tablet.snapshot.conflicts.isEmpty && tablet.snapshot[oats]?.kcal == 380)
    #expect(phone.snapshot.json() == tablet.snapshot.json())
  }

  @Test func `a form that was open while a sync came in replaces nothing unseen`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.kcal = 370 }.id
    try await phone.sync(with: tablet)

    // The phone shows a form; meanwhile the tablet's correction arrives.
    let form = phone.snapshot
    try await tablet.edit(oats) { $0.kcal = 389 }
    try await phone.sync(with: tablet)

    // Saving says as of which state the person decided, and is told what it would have replaced.
    do {
      try await phone.edit(oats, asOf: form) { $0.kcal = 380 }
      Issue.record("the edit replaced what nobody had seen")
    } catch {
      #expect(error.code == .changedMeanwhile && error.unseen.map(\.value) == [389])
    }
    #expect(phone.snapshot[oats]?.kcal == 389)
  }

  @Test func `deleting on one device and editing on the other is shown, not decided`() async throws
  {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.name = "Oats" }.id
    try await phone.sync(with: tablet)
    try await phone.delete(oats)
    try await tablet.edit(oats) { $0.kcal = 389 }
    let report = try await phone.sync(with: tablet)
    // Nothing is lost: it is there again, and marked.
    #expect(report.newConflicts.map(\.field) == ["presence"])
    #expect(phone.snapshot[oats]?.kcal == 389)
    #expect(phone.snapshot.all(Food.self).map(\.contested) == [["presence"]])
  }

  @Test func `the README shows exactly the code above`() throws {
    func lines(_ text: some StringProtocol) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        .filter { !$0.isEmpty }
    }
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let compiled = source.components(separatedBy: "// README: begin\n").dropFirst()
      .flatMap { lines($0.components(separatedBy: "// README: end")[0]) }
    let readme = try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../README.md"), encoding: .utf8)
    let block = readme.components(separatedBy: "## In an app\n\n```swift\n")[1]
      .components(separatedBy: "```")[0]
    #expect(Array(lines(block).dropFirst()) == compiled + ["}"])
  }
}
