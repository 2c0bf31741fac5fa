import EventLogTesting
import Testing

@testable import EventLog

/// The changes of one type of records.
@Suite struct RecordChangesTests {
  private static let day = Day("2026-01-28")!

  /// The keys in one element of the sequence.
  private struct ChangedKeys: Equatable {
    var inserted: [String] = []
    var changed: [String] = []
    var removed: [String] = []

    init(inserted: [String] = [], changed: [String] = [], removed: [String] = []) {
      (self.inserted, self.changed, self.removed) = (inserted, changed, removed)
    }

    init(_ changes: RecordChanges<Meal>?) {
      inserted = changes?.inserted.map(\.key) ?? []
      changed = changes?.changed.map(\.key) ?? []
      removed = changes?.removed.map(\.key) ?? []
    }
  }

  @Test func `changes of the observed kind are reported once, and no others`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self, Note.self)
    for key in ["a", "b"] { _ = try await phone.create(Meal.self, key: key) }
    try await phone.sync(with: tablet)
    var changes = phone.changes(of: Meal.self).makeAsyncIterator()
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(inserted: ["a", "b"]))

    _ = try await phone.create(Note.self)
    try await phone.edit(ID<Meal>("a")!) { $0.kcal = 1 }
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(changed: ["a"]))

    // Several appends between two reads are one change.
    _ = try await phone.create(Meal.self, key: "c")
    try await phone.delete(ID<Meal>("b")!)
    try await phone.edit(ID<Meal>("a")!, on: Self.day) { $0.ml += 1 }
    let all = await changes.next()
    #expect(ChangedKeys(all) == ChangedKeys(inserted: ["c"], changed: ["a"], removed: ["b"]))
    #expect(all?.snapshot[ID<Meal>("a")!, Self.day].ml.value == 1)

    try await phone.restore(ID<Meal>("b")!)
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(inserted: ["b"]))

    // A conflict is a change. An event that changes no value isn't.
    try await phone.sync(with: tablet)
    try await tablet.edit(ID<Meal>("c")!) { $0.kcal = 7 }
    try await phone.edit(ID<Meal>("c")!) { $0.kcal = 8 }
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(changed: ["c"]))
    try await phone.sync(with: tablet)
    let conflict = await changes.next()
    #expect(ChangedKeys(conflict) == ChangedKeys(changed: ["c"]))
    #expect(conflict?.snapshot.stored(ID<Meal>("c")!)?.isContested(\.kcal) == true)
    try await phone.append([
      EventDraft(
        type: "meal.edited", entity: EntityID("meal/a")!,
        data: JSONObject([.init(name: "kcal", value: 1)]))
    ])
    _ = try await phone.create(Meal.self, key: "d")
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(inserted: ["d"]))

    try await phone.close()
    #expect(await changes.next() == nil)
  }

  @Test func `after a rollback only the records that differ are reported`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    for key in ["a", "b", "c"] { _ = try await phone.create(Meal.self, key: key) }
    let backup = try phone.backUp()
    _ = try await phone.create(Meal.self, key: "d")
    try await phone.edit(ID<Meal>("b")!) { $0.kcal = 1 }
    var changes = phone.changes(of: Meal.self).makeAsyncIterator()
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(inserted: ["a", "b", "c", "d"]))
    try phone.restore(backup, .journalRolledBack)
    try await phone.refresh()
    #expect(await ChangedKeys(changes.next()) == ChangedKeys(changed: ["b"], removed: ["d"]))
  }

  @Test func `changes of a singleton contain no keys`() async throws {
    let phone = try await TemporaryStore(records: Meal.self, Options.self)
    var changes = phone.changes(of: Options.self).makeAsyncIterator()
    #expect(await changes.next()?.snapshot[Options.self].theme == nil)
    _ = try await phone.create(Meal.self)
    try await phone.edit(Options.self) { $0.theme = "dark" }
    let change = await changes.next()
    #expect(change?.snapshot[Options.self].theme == "dark" && change?.changed.isEmpty == true)
  }

  @Test func `the changes add up to the records of the snapshot`() async throws {
    for seed in RandomRounds(12) {
      var generator = SplitMix64(seed: seed)
      let devices = try await Devices.meet(["phone", "tablet"], records: Meal.self)
      var changes = devices[0].changes(of: Meal.self).makeAsyncIterator()
      var shown: [ID<Meal>: ProjectedEntity] = [:]
      for step in 0..<40 {
        let device = devices[Int.random(in: 0..<2, using: &generator)]
        try await RandomMealStep.random(step, &generator).run(on: device)
        if Int.random(in: 0..<5, using: &generator) == 0 {
          try await devices[0].sync(with: devices[1])
        }
        guard Int.random(in: 0..<3, using: &generator) == 0 else { continue }
        // Ensures that there is a change to report.
        _ = try await devices[0].create(Meal.self)
        guard let change = await changes.next() else { break }
        for id in change.removed { #expect(shown.removeValue(forKey: id) != nil) }
        for id in change.inserted { #expect(shown[id] == nil) }
        for id in change.changed { #expect(shown[id] != change.snapshot.entity(id.entity)) }
        for id in change.inserted + change.changed {
          shown[id] = change.snapshot.entity(id.entity)
        }
        let all = change.snapshot.entities("meal")
        #expect(Set(shown.values) == Set(all), "seed \(seed), step \(step)")
      }
    }
  }
}

private struct Options: Record {
  var theme: String?
  static let schema = Schema<Options>(singleton: "options", [.register("theme", \.theme)])
}
