import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

/// Typed reads and writes of records.
@Suite struct RecordStoreTests {
  private func open() async throws -> TemporaryStore {
    try await TemporaryStore(records: Food.self, catalog: .standard)
  }

  /// The types of the events after joining, each with the members of its data.
  private func types(_ store: TemporaryStore) throws -> [String] {
    try store.events().dropFirst().map { event in
      "\(event.type) \(event.data.members.map(\.name).joined(separator: ","))"
    }
  }

  @Test func `typed calls create, edit, count, tag, delete and restore an entity`() async throws {
    let store = try await open()
    #expect(store.snapshot.all(Food.self).isEmpty)
    let oats = try await store.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 370
      $0.tags = ["grain"]
    }.id
    try await store.edit(oats) { $0.kcal = 380 }
    try await store.add(2, to: \.servings, of: oats)
    try await store.include("breakfast", in: \.tags, of: oats)
    try await store.exclude("grain", from: \.tags, of: oats)
    let food = try #require(store.snapshot[oats])
    #expect(food.name == "Oats" && food.kcal == 380 && food.servings.value == 2)
    #expect(food.tags == ["breakfast"])
    #expect(store.snapshot.all(Food.self).map(\.name) == ["Oats"])
    try await store.delete(oats)
    #expect(store.snapshot[oats] == nil && store.snapshot.all(Food.self).isEmpty)
    try await store.restore(oats)
    #expect(store.snapshot[oats]?.servings.value == 2)
    #expect(
      try types(store) == [
        "food.created name,kcal", "food.included key,members", "food.edited kcal",
        "food.advanced servings", "food.included key,members", "food.excluded key,members",
        "food.deleted ", "food.restored ",
      ])
  }

  @Test func `deleting or restoring an entity again writes nothing`() async throws {
    let store = try await open()
    let oats = try await store.create(Food.self) { $0.name = "Oats" }.id
    let before = store.snapshot
    #expect(try await store.restore(oats).appended.isEmpty)
    try await store.delete(oats)
    #expect(try await store.delete(oats).appended.isEmpty)
    #expect(try await store.delete(oats, asOf: before).appended.isEmpty)
    try await store.write { batch in
      try batch.delete(oats)
      try batch.restore(oats)
      try batch.restore(oats)
    }
    #expect(try types(store) == ["food.created name", "food.deleted ", "food.restored "])
    let none = ID<Food>("none")!
    #expect(
      await failureCode { () throws(EventLogError) in try await store.delete(none) } == .noEntity)
    #expect(
      await failureCode { () throws(EventLogError) in try await store.restore(none) } == .noEntity)
  }

  @Test func `restoring resolves a contested deletion even if the entity is shown`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Food.self)
    let oats = try await phone.create(Food.self) { $0.name = "Oats" }.id
    try await tablet.sync(with: phone)
    try await phone.delete(oats)
    try await tablet.edit(oats) { $0.kcal = 1 }
    try await phone.sync(with: tablet)
    #expect(phone.snapshot[oats] != nil && phone.snapshot.conflicts.count == 1)
    #expect(try await phone.restore(oats).appended.count == 1)
    #expect(phone.snapshot[oats] != nil && phone.snapshot.conflicts.isEmpty)
  }

  @Test func `an edit that changes nothing writes nothing`() async throws {
    let store = try await open()
    let oats = try await store.create(Food.self) { $0.name = "Oats" }.id
    let count = store.snapshot.eventCount
    let receipt = try await store.edit(oats) { $0.name = "Oats" }
    #expect(receipt.appended.isEmpty)
    #expect(store.snapshot.eventCount == count)
  }

  @Test func `the fields of a day can be edited, counted and read`() async throws {
    let store = try await open()
    let read = try await store.create(Habit.self, key: "read") {
      $0.name = "Read"
      $0.goal = 20
    }.id
    let day = Day("2026-01-28")!
    try await store.add(5, to: \.progress, of: read, on: day)
    try await store.edit(read, on: day) { $0.progress += 7 }
    try await store.edit(read, on: Day("2026-01-29")!) { $0.skipped = "ill" }
    #expect(store.snapshot[read, day].progress.value == 12)
    #expect(store.snapshot[read, Day("2026-02-01")!].progress.value == nil)
    #expect(store.snapshot.days(of: read).map(\.day.description) == ["2026-01-28", "2026-01-29"])
    #expect(store.snapshot.days(of: read)[1].skipped == "ill")
    try await store.edit(read) { $0.archived = true }
    #expect(store.snapshot[read]?.archived == true)
    #expect(
      try types(store) == [
        "habit.created name,goal", "completion.advanced date,by",
        "completion.advanced date,by", "completion.skipped date,reason", "habit.archived ",
      ])
  }

  /// A record whose fields have the names of JSON members of other collections.
  private struct Run: Record {
    var id = ""
    var date: Day?
    var habit = ""
    var progress = Counter<Int>()
    var completed = false
    var skipped = ""
    var archived = false
    var deleted = false
    var contested: Set<String> = []
    var fields = ""
    static let schema = Schema<Run>(
      "run",
      [
        .register("id", \.id), .register("date", \.date), .register("habit", \.habit),
        .counter("progress", \.progress), .register("completed", \.completed),
        .register("skipped", \.skipped), .register("archived", \.archived),
        .register("deleted", \.deleted), .members("contested", \.contested),
        .register("fields", \.fields),
      ])
  }

  @Test func `a field can have the name of any JSON member of another collection`() async throws {
    let store = try await TemporaryStore(records: Run.self, catalog: .standard)
    let run = try await store.create(Run.self, key: "one") {
      $0.id = "A1"
      $0.date = Day("2026-01-28")
      $0.habit = "none"
      $0.progress += 3
      $0.completed = true
      $0.skipped = "no"
      $0.archived = true
      $0.deleted = true
      $0.contested = ["a"]
      $0.fields = "wide"
    }.id
    try await store.edit(run) { $0.progress += 1 }
    try await store.reopen()
    let shown = try #require(store.snapshot[run])
    #expect(shown.id == "A1" && shown.date == Day("2026-01-28") && shown.habit == "none")
    #expect(shown.progress.value == 4 && shown.completed && shown.skipped == "no" && shown.archived)
    #expect(shown.deleted && shown.contested == ["a"] && shown.fields == "wide")
    let json = String(decoding: store.snapshot.json(), as: UTF8.self)
    let expected = #"""
      "runs":[{"fields":{"archived":true,"completed":true,"contested":["a"],\#
      "date":"2026-01-28","deleted":true,"fields":"wide","habit":"none","id":"A1","progress":4,\#
      "skipped":"no"},"id":"one"}]
      """#
    #expect(json.contains(expected))
  }

  @Test func `a counter or set with an initial value is refused`() async throws {
    struct Loaded: Record {
      var servings: Counter<Int> = {
        var counter = Counter<Int>()
        counter += 1
        return counter
      }()
      static let schema = Schema<Loaded>("loaded", [.counter("servings", \.servings)])
    }
    struct Tagged: Record {
      var tags: Set<String> = ["new"]
      static let schema = Schema<Tagged>("tagged", [.members("tags", \.tags)])
    }
    for record in [Loaded.self, Tagged.self] as [any Record.Type] {
      let code = await failureCode { () throws(EventLogError) in
        _ = try SchemaCatalog().adding([record])
      }
      #expect(code == .invalidSchema)
    }
  }

  @Test func `several records can represent one collection`() async throws {
    struct Theme: Record {
      var theme = ""
      static let schema = Schema<Theme>(of: .settings, [.register("theme", \.theme)])
    }
    struct Units: Record {
      var units = ""
      static let schema = Schema<Units>(of: .settings, [.register("units", \.units)])
    }
    let store = try await TemporaryStore(records: Theme.self, Units.self, Units.self)
    try await store.edit(Theme.self) { $0.theme = "dark" }
    try await store.edit(Units.self) { $0.units = "metric" }
    #expect(store.snapshot[Theme.self].theme == "dark")
    #expect(store.snapshot[Units.self].units == "metric")
  }

  @Test func `the counter of a singleton is advanced and set`() async throws {
    struct Tally: Record {
      var count = Counter<Int>()
      static let schema = Schema<Tally>(singleton: "tally", [.counter("count", \.count)])
    }
    let store = try await TemporaryStore(records: Tally.self)
    try await store.edit(Tally.self) { $0.count += 2 }
    try await store.edit(Tally.self) { $0.count += 2 }
    #expect(store.snapshot[Tally.self].count.value == 4)
    try await store.set(\.count, of: Tally.self, to: 9)
    #expect(store.snapshot[Tally.self].count.value == 9)
    let types = try store.events().map(\.type)
    #expect(types == ["device.joined", "tally.advanced", "tally.advanced", "tally.changed"])
  }

  // MARK: - Undeclared records

  @Test func `a record that the store wasn't opened with is refused`() async throws {
    let store = try await TemporaryStore(records: Run.self)
    do {
      _ = try await store.create(Food.self) { $0.name = "Oats" }
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .invalidSchema)
      #expect(
        error.description == """
          The store was not opened with the record Food ("food"). Nothing was written.
          Hint: Pass it when you open the store: EventStore.open(…, records: Food.self).
          """)
    }
    let id = ID<Food>("oats")!
    let codes = [
      await failureCode { () throws(EventLogError) in try await store.edit(id) { $0.kcal = 1 } },
      await failureCode { () throws(EventLogError) in
        try await store.add(1, to: \.servings, of: id)
      },
      await failureCode { () throws(EventLogError) in try await store.delete(id) },
      await failureCode { () throws(EventLogError) in
        try await store.edit(Profile.self) { $0.firstName = "Ada" }
      },
    ]
    #expect(codes == [.invalidSchema, .invalidSchema, .invalidSchema, .invalidSchema])
    #expect(try store.events().isEmpty)
  }

  @Test func `an error about two declarations of one kind names their modules`() async throws {
    struct Habit: Record {
      var title = ""
      static let schema = Schema<Habit>("habit", [.register("title", \.title)])
    }
    let message = await #expect(throws: EventLogError.self) {
      _ = try await TemporaryStore(records: Habit.self, EventLogCollections.Habit.self)
    }?.message
    #expect(message?.contains("EventLogTests.") == true)
    #expect(message?.contains("EventLogCollections.Habit") == true)
    // A store that is opened with the app's declaration alone uses it.
    let store = try await TemporaryStore(records: Habit.self)
    let id = try await store.create(Habit.self) { $0.title = "Read" }.id
    #expect(store.snapshot[id]?.title == "Read")
    let code = await failureCode { () throws(EventLogError) in
      _ = try await store.create(EventLogCollections.Habit.self)
    }
    #expect(code == .invalidSchema)
  }

  @Test func `reading a kind by another declaration traps`() async {
    await #expect(processExitsWith: .failure) {
      // If the preparation fails, the process exits normally, and the test fails.
      guard let store = try? await TemporaryStore(records: OwnHabit.self),
        let id = try? await store.create(OwnHabit.self, { $0.title = "Read" }).id,
        store.snapshot[id]?.title == "Read"
      else { return }
      _ = store.snapshot.all(EventLogCollections.Habit.self)
    }
  }

  private struct OwnHabit: Record {
    var title = ""
    static let schema = Schema<OwnHabit>("habit", [.register("title", \.title)])
  }

  @Test func `a singleton is edited by its type`() async throws {
    let store = try await open()
    try await store.edit(Profile.self) { $0.firstName = "Ada" }
    try await store.edit(Profile.self) { $0.weight = 61.5 }
    #expect(store.snapshot[Profile.self].firstName == "Ada")
    #expect(store.snapshot[Profile.self].weight == 61.5)
  }

  @Test func `writes that don't fit the entity's state or schema are refused`() async throws {
    let store = try await open()
    let oats = try await store.create(Food.self, key: "oats") { $0.name = "Oats" }.id
    try await store.delete(oats)
    let none = ID<Food>("none")!
    let codes = [
      await failureCode { () throws(EventLogError) in try await store.edit(none) { $0.kcal = 1 } },
      await failureCode { () throws(EventLogError) in try await store.edit(oats) { $0.kcal = 1 } },
      await failureCode { () throws(EventLogError) in try await store.delete(none) },
      await failureCode { () throws(EventLogError) in
        _ = try await store.create(Food.self, key: "oats")
      },
      await failureCode { () throws(EventLogError) in
        _ = try await store.create(Food.self, key: "no key")
      },
    ]
    #expect(
      codes == [
        .noEntity, .deletedEntity, .noEntity, .entityExists, .invalidEvent,
      ])
  }

  @Test func `concurrent edits of one field through two stores lose no edit`() async throws {
    let first = try await open()
    let stores = [first.store, try await first.openAgain()]
    let oats = try await stores[0].create(Food.self) { $0.kcal = 0 }.id
    try await stores[1].refresh()
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<10 {
            while true {
              do {
                try await stores[task % 2].edit(oats) { $0.kcal += 1 }
                break
              } catch let error as EventLogError where error.code == .changedMeanwhile {
                // Too many concurrent changes: try again.
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await stores[0].refresh()
    #expect(stores[0].snapshot[oats]?.kcal == 80)
  }

  @Test func `an edit as of an older snapshot is refused with the values it would replace`()
    async throws
  {
    let store = try await open()
    let oats = try await store.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 370
    }.id
    let shown = store.snapshot
    try await store.edit(oats) { $0.kcal = 400 }
    do {
      try await store.edit(oats, asOf: shown) { $0.kcal = 380 }
      Issue.record("the edit replaced what it had not seen")
    } catch {
      #expect(error.code == .changedMeanwhile)
      #expect(error.unseen.map(\.field) == ["kcal"])
      #expect(error.unseen.map(\.value) == [400])
      #expect(error.unseen.map(\.entity) == [oats.description])
      #expect(!error.description.contains("400"))
    }
    // Edits of other fields are accepted, and so is the present value.
    try await store.edit(oats, asOf: shown) { $0.name = "Porridge" }
    try await store.edit(oats, asOf: shown) { $0.kcal = 400 }
    #expect(store.snapshot[oats]?.name == "Porridge")
  }
}
