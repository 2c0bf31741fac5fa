import EventLogCollections
import EventLogTesting
import EventLogUndo
import Testing

@testable import EventLog

/// Undoing an append by further events.
@Suite(.tags(.random)) struct UndoTests {
  private static let day = Day("2026-01-28")!

  private static func diary() async throws -> TemporaryStore {
    let store = try await TemporaryStore(records: Meal.self, Profile.self)
    _ = try await store.create(Meal.self, key: "oats") {
      $0.name = "Oats"
      $0.kcal = 370
      $0.servings += 2
      $0.tags = ["grain"]
    }
    return store
  }

  /// The meals of a state, without fields that show nothing.
  private func shown(_ state: Snapshot) -> [ProjectedEntity] {
    state.entities("meal").map {
      // A field that was written but shows nothing counts as absent.
      ProjectedEntity(
        id: $0.id, fields: $0.fields.filter(Self.showsSomething),
        days: $0.days.map { day in
          ProjectedDay(day: day.day, fields: day.fields.filter(Self.showsSomething))
        }.filter { !$0.fields.isEmpty }, isDeleted: false, isPresenceContested: false)
    }
  }

  private static func showsSomething(_ field: ProjectedField) -> Bool {
    field.shown != nil && field.shown != .null && field.shown != 0 && field.shown != .array([])
  }

  // MARK: - One device

  @Test func `every kind of change can be undone and redone`() async throws {
    let store = try await Self.diary()
    let before = shown(store.snapshot)
    let (_, receipt) = try await store.write { batch in
      try batch.edit(.oats) {
        $0.name = "Porridge"
        $0.kcal = 400
        $0.servings += 3
        $0.tags = ["warm"]
      }
      try batch.edit(.oats) { $0.kcal = 410 }
      try batch.edit(.oats, on: Self.day) {
        $0.mood = "good"
        $0.ml += 250
      }
      let soup = try batch.create(Meal.self) { $0.name = "Soup" }
      try batch.edit(soup) { $0.kcal = 40 }
      try batch.edit(Profile.self) { $0.firstName = "Ada" }
    }
    let after = shown(store.snapshot)
    let undone = try await store.undo(receipt)
    #expect(shown(store.snapshot) == before && undone.left.isEmpty)
    #expect(store.snapshot[Profile.self].firstName == nil)
    let redone = try await store.undo(undone.receipt)
    #expect(shown(store.snapshot) == after && redone.left.isEmpty)
    #expect(store.snapshot[Profile.self].firstName == "Ada")
  }

  @Test func `a deletion and a restoration can be undone`() async throws {
    let store = try await Self.diary()
    let deleted = try await store.delete(.oats)
    let restored = try await store.undo(deleted)
    #expect(store.snapshot[.oats]?.servings.value == 2)
    _ = try await store.undo(restored.receipt)
    #expect(store.snapshot[.oats] == nil)
    // Already undone: nothing is left to undo.
    let second = try await store.undo(restored.receipt)
    #expect(second.receipt.appended.isEmpty && second.left.isEmpty)
  }

  @Test func `undoing a write of a counter's total reverts only its own change`() async throws {
    let store = try await Self.diary()
    let receipt = try await store.set(\.servings, of: .oats, to: 10)
    try await store.edit(.oats) { $0.servings += 1 }
    let undone = try await store.undo(receipt)
    #expect(store.snapshot[.oats]?.servings.value == 3 && undone.left.isEmpty)
  }

  @Test func `an undo works after the store is reopened`() async throws {
    let store = try await Self.diary()
    let receipt = try await store.edit(.oats) { $0.kcal = 1 }
    try await store.reopen()
    try await store.undo(receipt)
    #expect(store.snapshot[.oats]?.kcal == 370)
    let empty = try await store.edit(.oats) { $0.kcal = 370 }
    #expect(try await store.undo(empty).receipt.appended.isEmpty)
  }

  // MARK: - Several devices

  @Test func `an undo keeps and lists later writes of other devices`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let receipt = try await phone.edit(.oats) {
      $0.name = "Porridge"
      $0.kcal = 400
      $0.servings += 1
      $0.tags = ["grain", "warm"]
    }
    try await phone.sync(with: tablet)
    try await tablet.edit(.oats) {
      $0.kcal = 410
      $0.servings += 5
    }
    try await tablet.include("warm", in: \.tags, of: .oats)
    try await phone.sync(with: tablet)
    let undone = try await phone.undo(receipt)
    let oats = phone.snapshot[.oats]
    #expect(oats?.name == "Oats" && oats?.kcal == 410 && oats?.servings.value == 5)
    #expect(oats?.tags == ["grain", "warm"])
    #expect(undone.left.map(\.field) == ["kcal", "tags"])
    #expect(undone.left.allSatisfy { $0.event.device == tablet.deviceID })
    #expect(undone.left.map(\.value) == [410, "warm"])
  }

  @Test func `an undo keeps and lists concurrent writes of other devices`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let receipt = try await phone.edit(.oats) { $0.kcal = 400 }
    try await tablet.edit(.oats) { $0.kcal = 410 }
    try await phone.sync(with: tablet)
    let undone = try await phone.undo(receipt)
    #expect(undone.receipt.appended.isEmpty && undone.left.map(\.value) == [410])
    #expect(phone.snapshot.conflicts.count == 1)
  }

  @Test func `undoing a creation keeps an entity that another device has edited`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    let soup = try await phone.create(Meal.self) { $0.name = "Soup" }
    try await phone.sync(with: tablet)
    try await tablet.edit(soup.id, on: Self.day) { $0.ml += 250 }
    try await phone.sync(with: tablet)
    let undone = try await phone.undo(soup.receipt)
    #expect(phone.snapshot[soup.id]?.name == "Soup" && undone.receipt.appended.isEmpty)
    #expect(undone.left.map(\.field) == ["presence"])
  }

  @Test func `an undo doesn't restore an entity that another device has deleted`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let edited = try await phone.edit(.oats) { $0.kcal = 400 }
    let deleted = try await phone.delete(.oats)
    try await tablet.delete(.oats)
    try await phone.sync(with: tablet)
    #expect(try await phone.undo(deleted).left.map(\.field) == ["presence"])
    let undone = try await phone.undo(edited)
    #expect(undone.receipt.appended.isEmpty && undone.left.map(\.field) == ["presence"])
    #expect(phone.snapshot[.oats] == nil)
  }

  @Test func `undoing increments that a later total includes changes nothing`() async throws {
    let store = try await Self.diary()
    let receipt = try await store.edit(.oats) { $0.servings += 5 }
    try await store.set(\.servings, of: .oats, to: 4)
    let undone = try await store.undo(receipt)
    #expect(store.snapshot[.oats]?.servings.value == 4 && undone.left.map(\.field) == ["servings"])
  }

  // MARK: - Random changes

  @Test func `undoing random batches in reverse order restores each earlier state`() async throws {
    for seed in RandomRounds(12) {
      var generator = SplitMix64(seed: seed)
      let store = try await TemporaryStore(records: Meal.self)
      _ = try await store.create(Meal.self, key: "a") { $0.name = "Oats" }
      var states: [(shown: [ProjectedEntity], receipt: AppendReceipt)] = []
      for round in 0..<10 {
        let steps = (0..<Int.random(in: 1...4, using: &generator)).map {
          RandomMealStep.random(round * 10 + $0, &generator)
        }
        let before = shown(store.snapshot)
        let (_, receipt) = try await store.write { batch in
          for step in steps { try? step.run(&batch) }
        }
        states.append((before, receipt))
      }
      for (before, receipt) in states.reversed() {
        let undone = try await store.undo(receipt)
        #expect(undone.left.isEmpty, "seed \(seed)")
        #expect(shown(store.snapshot) == before, "seed \(seed)")
      }
    }
  }
}

extension UndoTests {
  @Test
  func `an undo amid writes of other devices restores the old value or keeps the current one`()
    async throws
  {
    for seed in RandomRounds(12) {
      var generator = SplitMix64(seed: seed)
      let devices = try await Devices.meet(["phone", "tablet"], records: Meal.self)
      var receipts: [(before: Snapshot, receipt: AppendReceipt)] = []
      for round in 0..<16 {
        let index = Int.random(in: 0..<2, using: &generator)
        let steps = (0..<3).map { RandomMealStep.random(round * 10 + $0, &generator) }
        let before = devices[index].snapshot
        let (_, receipt) = try await devices[index].write { batch in
          for step in steps { try? step.run(&batch) }
        }
        if index == 0 { receipts.append((before, receipt)) }
        if Bool.random(using: &generator) { try await devices[0].sync(with: devices[1]) }
      }
      try await devices[0].sync(with: devices[1])
      guard let (before, receipt) = receipts.randomElement(using: &generator) else { continue }
      let now = devices[0].snapshot
      let undone = try await devices[0].undo(receipt)
      for entity in undone.receipt.snapshot.entities("meal") {
        let kcal = entity["kcal"] ?? .null
        let known = [before, now].map { $0.entity(entity.id)?["kcal"] ?? .null }
        #expect(known.contains(kcal), "seed \(seed): \(entity.id) shows \(kcal)")
      }
      let others = Set(undone.left.map(\.event.device))
      #expect(others.allSatisfy { now.device($0) != nil })
    }
  }
}

extension RandomMealStep {
  fileprivate func run(_ batch: inout WriteBatch) throws(EventLogError) {
    switch self {
    case .create(let key): try batch.create(Meal.self, key: key) { $0.name = "New" }
    case .edit(let key, let kcal):
      try batch.edit(ID<Meal>(key)!) {
        $0.kcal = kcal
        $0.servings += 1
        $0.tags.formSymmetricDifference(["a", "b"])
      }
    case .day(let key, let ml):
      try batch.edit(ID<Meal>(key)!, on: Day("2026-01-28")!) { $0.ml += ml }
    case .delete(let key): try batch.delete(ID<Meal>(key)!)
    case .restore(let key): try batch.restore(ID<Meal>(key)!)
    }
  }
}
