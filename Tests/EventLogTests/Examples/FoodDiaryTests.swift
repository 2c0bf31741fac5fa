import EventLog
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

// An app that stores its data with Eventlog, and its tests. Read it from top to bottom.

@Suite struct FoodDiaryTests {
  // A collection is one declaration. Each field declares how concurrent writes merge:
  //
  // - a register shows the latest value, and different values are a conflict for the user;
  // - a counter adds up the increments of all devices;
  // - members are included and excluded one by one, and never conflict.
  //
  // The values of `Food()` are the values of fields before the first write.
  struct Food: Record {
    var name = ""
    var kcal = 0
    var servings = Counter<Int>()
    var tags: Set<String> = []

    static let schema = Schema<Food>(
      "food",
      [
        .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
        .members("tags", \.tags),
      ])
  }

  // The part of the app that a list of foods needs. It gets its store as a parameter, so that a
  // test can pass one of its own.
  struct FoodList {
    let store: EventStore

    func add(_ name: String, kcal: Int) async throws -> ID<Food> {
      // The entity gets a new key. When the call returns, the event is on the disk.
      try await store.create(Food.self) {
        $0.name = name
        $0.kcal = kcal
      }.id
    }

    func eat(_ food: ID<Food>) async throws {
      // Writes the difference: if two devices do this concurrently, both servings count.
      try await store.edit(food) { $0.servings += 1 }
    }

    // Reading never waits: a snapshot is a value.
    var rows: [String] {
      store.snapshot.all(Food.self).map { food in
        let mark = food.contested.isEmpty ? "" : " (?)"
        return "\(food.name): \(food.kcal) kcal, \(food.servings) eaten\(mark)"
      }
    }
  }

  @Test func `an app that is restarted shows the data it wrote`() async throws {
    // A store in a temporary folder, with the same times and IDs in each run.
    let phone = try await TemporaryStore(records: Food.self)
    let list = FoodList(store: phone.store)
    let oats = try await list.add("Oats", kcal: 370)
    try await list.eat(oats)
    #expect(list.rows == ["Oats: 370 kcal, 1 eaten"])

    // As if the system had ended the app and the user had opened it again.
    try await phone.reopen()
    #expect(FoodList(store: phone.store).rows == ["Oats: 370 kcal, 1 eaten"])

    // The journal contains every change as an event.
    #expect(try phone.events().map(\.type) == ["device.joined", "food.created", "food.advanced"])
  }

  @Test func `a full disk loses no saved data and is reported`() async throws {
    let phone = try await TemporaryStore(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.kcal = 370 }.id

    // The next write finds the disk full. The call throws, and the journal is unchanged.
    phone.disk.failNext(.write, with: .noSpace)
    await #expect(throws: EventLogError.self) {
      try await phone.edit(oats) { $0.kcal = 380 }
    }
    #expect(phone.snapshot[oats]?.kcal == 370)
    #expect(try phone.journal.verify().problems.isEmpty)

    // With free space again, writing succeeds.
    try await phone.edit(oats) { $0.kcal = 380 }
    #expect(phone.snapshot[oats]?.kcal == 380)
  }

  @Test func `a user resolves a conflict between two devices that were offline`() async throws {
    // Two devices of one user, each with its own journal in its own folder.
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 380
    }.id
    try await phone.sync(with: tablet)
    #expect(tablet.snapshot[oats]?.kcal == 380)

    // Now both are offline. The tablet's clock is wrong by years, which only decides the value
    // shown until the conflict is resolved.
    tablet.clock.set(to: Timestamp("2031-01-01T00:00:00Z")!)
    try await phone.edit(oats) { $0.kcal = 370 }
    try await tablet.edit(oats) { $0.kcal = 400 }
    // Increments on both devices don't conflict, and neither do tags.
    try await phone.edit(oats) { $0.servings += 1 }
    try await tablet.edit(oats) { $0.servings += 1 }
    try await phone.include("breakfast", in: \.tags, of: oats)
    try await tablet.include("grain", in: \.tags, of: oats)

    // A sync exchanges the missing events. Its report lists the conflicts that are new here.
    let report = try await phone.sync(with: tablet)
    #expect(report.newConflicts.map(\.field) == ["kcal"])
    #expect(phone.snapshot[oats]?.servings.value == 2)
    #expect(phone.snapshot[oats]?.tags == ["breakfast", "grain"])

    // Nothing was overwritten: the conflict has both values and their common base.
    let conflict = try #require(report.newConflicts.first)
    #expect(conflict.base == 380)
    #expect(Set(conflict.candidates.map(\.value)) == [370, 400])
    #expect(FoodList(store: phone.store).rows == ["Oats: 400 kcal, 2 eaten (?)"])

    // The user chooses one. The choice is an event, so a sync brings it to the tablet.
    let right = try #require(conflict.candidates.first { $0.event.device == phone.deviceID })
    try await phone.resolve(conflict, taking: right.event)
    try await tablet.sync(with: phone)
    #expect(tablet.snapshot.conflicts.isEmpty)
    #expect(tablet.snapshot[oats]?.kcal == 370)

    // Devices with the same events show the same state. Any difference would be listed with its
    // event: `food/oats kcal: expected 370 (written by phone-…:7 at …), found 400 …`.
    #expect(try differences(between: phone, and: tablet) == [])
  }

  @Test func `an open form doesn't overwrite a value from a sync`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.kcal = 380 }.id
    try await phone.sync(with: tablet)

    // The user opens a form, which shows this state.
    let shown = phone.snapshot
    // Meanwhile, a sync brings the tablet's edit.
    try await tablet.edit(oats) { $0.kcal = 400 }
    try await phone.sync(with: tablet)

    // Saving would replace a value that the user hasn't seen. It is refused, with that value.
    do {
      try await phone.edit(oats, asOf: shown) { $0.kcal = 370 }
      Issue.record("The form has overwritten the tablet's edit.")
    } catch {
      #expect(error.code == .changedMeanwhile)
      #expect(error.unseen.map(\.value) == [400])
    }
  }

  @Test func `a screen shows every change, including one from a sync`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await tablet.create(Food.self) { $0.name = "Oats" }.id

    // The current state comes first, then the latest state after each change, also by a sync or
    // another process.
    var changes = phone.changes.makeAsyncIterator()
    #expect(await changes.next()?.all(Food.self).isEmpty == true)
    try await phone.sync(with: tablet)
    #expect(await changes.next()?[oats]?.name == "Oats")
    try await phone.edit(oats) { $0.kcal = 370 }
    #expect(await changes.next()?[oats]?.kcal == 370)
  }

  // Recorded journals and their states. An app's tests would load them from resources:
  // `Bundle.module.url(forResource:withExtension:)`.
  private static let recorded = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Recorded")
  private static let journal = recorded.appendingPathComponent("food-diary.jsonl")
  private static let state = recorded.appendingPathComponent("food-diary.json")

  @Test func `a journal recorded by an earlier version projects to the same state`() throws {
    // The state was printed by `eventlog project --json`.
    let journal = try RecordedJournal(Self.journal, records: Food.self)
    #expect(try differences(of: journal, from: .file(Self.state)) == [])

    // Sections that a state omits aren't compared, so one section is enough.
    let foods =
      #"{"foods":[{"id":"oats","fields":{"name":"Oats","kcal":380,"servings":2,"#
      + #""tags":["breakfast"]}}]}"#
    #expect(try differences(of: journal, from: .json(foods)) == [])
  }

  @Test func `a new version continues a recorded journal`() async throws {
    // A copy of the journal, on another device of the same user.
    let recorded = try RecordedJournal(Self.journal, records: Food.self)
    let desk = try await TemporaryStore(continuing: recorded, device: "desk")
    try await desk.edit(ID<Food>("oats")!) { $0.kcal = 390 }

    // A difference contains the entity, the field, both values, and the event.
    let found = try differences(of: desk, from: .file(Self.state))
    let kcal = try #require(found.first)
    #expect(kcal.entity == "food/oats" && kcal.field == "kcal")
    #expect(kcal.expected == 380 && kcal.found == 390)
    #expect(kcal.event == (try desk.events().last?.id))
    #expect(kcal.description.hasPrefix("food/oats kcal: expected 380, found 390 (written by desk-"))
  }
}
