import EventLog
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

// How an app keeps its data with Eventlog, and how it tests that: to be read from top to bottom.

@Suite struct FoodDiaryTests {
  // A collection is one declaration. Each field says how it merges when two devices wrote it
  // without knowing of each other:
  //
  // - a register shows the latest value; different ones are a conflict for a person to settle;
  // - a counter counts every increment of every device once;
  // - members come in and go out one by one, and never conflict.
  //
  // What `Food()` holds is what a field reads as before anything was written.
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

  // What an app does with it: here, all that a screen with a list of foods needs. It is given a
  // store, so that a test can give it one of its own.
  struct FoodList {
    let store: EventStore

    func add(_ name: String, kcal: Int) async throws -> ID<Food> {
      // The entity gets a key of its own. When the call returns, the event is on the disk.
      try await store.create(Food.self) {
        $0.name = name
        $0.kcal = kcal
      }.id
    }

    func eat(_ food: ID<Food>) async throws {
      // A counter takes the difference: two devices that both do this have eaten twice.
      try await store.edit(food) { $0.servings += 1 }
    }

    // Reading waits for nothing: a snapshot is a value.
    var rows: [String] {
      store.snapshot.all(Food.self).map { food in
        let mark = food.contested.isEmpty ? "" : " (?)"
        return "\(food.name): \(food.kcal) kcal, \(food.servings) eaten\(mark)"
      }
    }
  }

  @Test func `what was written is there when the app is started again`() async throws {
    // A store in a folder that goes away with it, with a clock and IDs that are the same in each
    // run.
    let phone = try await TemporaryStore(records: Food.self)
    let list = FoodList(store: phone.store)
    let oats = try await list.add("Oats", kcal: 370)
    try await list.eat(oats)
    #expect(list.rows == ["Oats: 370 kcal, 1 eaten"])

    // As if the system had ended the app and the user had opened it again.
    try await phone.reopen()
    #expect(FoodList(store: phone.store).rows == ["Oats: 370 kcal, 1 eaten"])

    // The journal is what the app has said, event by event.
    #expect(try phone.events().map(\.type) == ["device.joined", "food.created", "food.advanced"])
  }

  @Test func `a disk that fails loses nothing that was said to be saved`() async throws {
    let phone = try await TemporaryStore(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.kcal = 370 }.id

    // The next write finds no room. The app is told, and the journal is as it was.
    phone.disk.failNext(.write, with: .noSpace)
    await #expect(throws: EventLogError.self) {
      try await phone.edit(oats) { $0.kcal = 380 }
    }
    #expect(phone.snapshot[oats]?.kcal == 370)
    #expect(try phone.journal.verify().problems.isEmpty)

    // With room again, it goes on.
    try await phone.edit(oats) { $0.kcal = 380 }
    #expect(phone.snapshot[oats]?.kcal == 380)
  }

  @Test func `two devices that were offline disagree, and a person settles it`() async throws {
    // Two devices of one user. Each has a journal of its own, in a folder of its own.
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 380
    }.id
    try await phone.sync(with: tablet)
    #expect(tablet.snapshot[oats]?.kcal == 380)

    // Then both are offline. The tablet's clock is wrong by years; it decides nothing but which
    // value is shown for the time being.
    tablet.clock.set(to: Timestamp("2031-01-01T00:00:00Z")!)
    try await phone.edit(oats) { $0.kcal = 370 }
    try await tablet.edit(oats) { $0.kcal = 400 }
    // Eating on both is no disagreement, and neither are tags.
    try await phone.edit(oats) { $0.servings += 1 }
    try await tablet.edit(oats) { $0.servings += 1 }
    try await phone.include("breakfast", in: \.tags, of: oats)
    try await tablet.include("grain", in: \.tags, of: oats)

    // They sync. Both take what they lack, and the report says what is new to the phone's user.
    let report = try await phone.sync(with: tablet)
    #expect(report.newConflicts.map(\.field) == ["kcal"])
    #expect(phone.snapshot[oats]?.servings == 2)
    #expect(phone.snapshot[oats]?.tags == ["breakfast", "grain"])

    // Nothing was overwritten: the conflict has both values, and what was there before.
    let conflict = try #require(report.newConflicts.first)
    #expect(conflict.base == 380)
    #expect(Set(conflict.candidates.map(\.value)) == [370, 400])
    #expect(FoodList(store: phone.store).rows == ["Oats: 400 kcal, 2 eaten (?)"])

    // The user says which is right. That is one more event: the tablet learns of it like of any
    // other.
    let right = try #require(conflict.candidates.first { $0.event.device == phone.deviceID })
    try await phone.resolve(conflict, taking: right.event)
    try await tablet.sync(with: phone)
    #expect(tablet.snapshot.conflicts.isEmpty)
    #expect(tablet.snapshot[oats]?.kcal == 370)

    // Whoever has the same events shows the same. If they did not, this would say where, and by
    // which event: `food/oats kcal: expected 370 (written by phone-…:7 at …), found 400 …`.
    #expect(try differences(between: phone, and: tablet) == [])
  }

  @Test func `a form that is open does not overwrite what a sync brings in`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.kcal = 380 }.id
    try await phone.sync(with: tablet)

    // The user opens a form: this is what she sees in it.
    let shown = phone.snapshot
    // Meanwhile, the tablet's edit comes in.
    try await tablet.edit(oats) { $0.kcal = 400 }
    try await phone.sync(with: tablet)

    // Saving the form would replace a value that she has not seen. It is refused, with that value.
    do {
      try await phone.edit(oats, asOf: shown) { $0.kcal = 370 }
      Issue.record("The form has overwritten the tablet's edit.")
    } catch {
      #expect(error.code == .changedMeanwhile)
      #expect(error.unseen.map(\.value) == [400])
    }
  }

  @Test func `a screen follows what happens`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await tablet.create(Food.self) { $0.name = "Oats" }.id

    // The current state comes first, then the latest after each change: also what a sync brings in,
    // or another process writes.
    var changes = phone.changes.makeAsyncIterator()
    #expect(await changes.next()?.all(Food.self).isEmpty == true)
    try await phone.sync(with: tablet)
    #expect(await changes.next()?[oats]?.name == "Oats")
    try await phone.edit(oats) { $0.kcal = 370 }
    #expect(await changes.next()?[oats]?.kcal == 370)
  }

  // Journals that somebody recorded, and the states that they gave then. An app's tests have them
  // as resources of their bundle: `Bundle.module.url(forResource:withExtension:)`.
  private static let recorded = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Recorded")
  private static let journal = recorded.appendingPathComponent("food-diary.jsonl")
  private static let state = recorded.appendingPathComponent("food-diary.json")

  @Test func `a journal recorded by an earlier version gives the state that it gave then`() throws {
    // The state is what `eventlog project --json` printed.
    let journal = try RecordedJournal(Self.journal, records: Food.self)
    #expect(try differences(of: journal, from: .file(Self.state)) == [])

    // What a state leaves out is not compared: one section will do.
    let foods =
      #"{"foods":[{"id":"oats","fields":{"name":"Oats","kcal":380,"servings":2,"#
      + #""tags":["breakfast"]}}]}"#
    #expect(try differences(of: journal, from: .json(foods)) == [])
  }

  @Test func `a new version goes on with a recorded journal`() async throws {
    // A copy of it on one more device of the same user.
    let recorded = try RecordedJournal(Self.journal, records: Food.self)
    let desk = try await TemporaryStore(continuing: recorded, device: "desk")
    try await desk.edit(ID<Food>("oats")!) { $0.kcal = 390 }

    // A difference names the entity, the field, both values, and the event to look at.
    let found = try differences(of: desk, from: .file(Self.state))
    let kcal = try #require(found.first)
    #expect(kcal.entity == "food/oats" && kcal.field == "kcal")
    #expect(kcal.expected == 380 && kcal.found == 390)
    #expect(kcal.event == (try desk.events().last?.id))
    #expect(kcal.description.hasPrefix("food/oats kcal: expected 380, found 390 (written by desk-"))
  }
}
