import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog

/// Batches: several changes that are written as one.
@Suite struct WriteBatchTests {
  private struct GivenUp: Error, Equatable {}

  private static let day = Day("2026-01-28")!

  private static func diary() async throws -> TemporaryStore {
    let store = try await TemporaryStore(
      records: Meal.self, Profile.self, projections: [NameCount.self])
    _ = try await store.create(Meal.self, key: "oats") {
      $0.name = "Oats"
      $0.kcal = 370
    }
    return store
  }

  // MARK: - Writing

  @Test func `changes to several records form one batch, and each sees the ones before it`()
    async throws
  {
    let store = try await Self.diary()
    let before = try store.lines().count
    let (soup, receipt) = try await store.write { batch in
      let soup = try batch.create(Meal.self) { $0.name = "Soup" }
      try batch.edit(soup) { $0.servings += 2 }
      try batch.edit(soup) { $0.servings += 1 }
      #expect(batch[soup]?.servings.value == 3)
      try batch.edit(soup, on: Self.day) { $0.ml += 250 }
      #expect(batch[soup, Self.day].ml.value == 250)
      try batch.edit(Profile.self) { $0.firstName = "Ada" }
      #expect(batch[Profile.self].firstName == "Ada")
      try batch.delete(.oats)
      #expect(batch[.oats] == nil && batch.all(Meal.self).map(\.name) == ["Soup"])
      try batch.set(\.servings, of: soup, to: 7)
      #expect(batch[NameCount.self]?.count == 2)
      return soup
    }
    #expect(receipt.appended.count == 7)
    #expect(receipt.snapshot[soup]?.servings.value == 7 && store.snapshot[.oats] == nil)
    #expect(store.snapshot[soup, Self.day].ml.value == 250)
    let haveMore = try store.lines().dropFirst(before).map { $0.contains(#","more":true"#) }
    #expect(haveMore == Array(repeating: true, count: 6) + [false])
  }

  @Test func `a batch whose closure throws changes no byte of the journal`() async throws {
    let store = try await Self.diary()
    let before = try store.lines()
    await #expect(throws: GivenUp()) {
      try await store.write { batch in
        try batch.create(Meal.self)
        try batch.delete(.oats)
        throw GivenUp()
      }
    }
    // The same if one of the batch's calls is refused.
    let error = await #expect(throws: EventLogError.self) {
      try await store.write { batch in
        try batch.delete(.oats)
        try batch.edit(.oats) { $0.kcal = 1 }
      }
    }
    #expect(error?.code == .deletedEntity)
    #expect(try store.lines() == before && store.snapshot[.oats]?.kcal == 370)
  }

  @Test func `a refused call can be caught and leaves no change`() async throws {
    let store = try await Self.diary()
    try await store.write { batch in
      #expect(throws: EventLogError.self) {
        try batch.create(Meal.self, key: "oats") { $0.name = "Porridge" }
      }
      try batch.edit(.oats) { $0.kcal = 380 }
    }
    #expect(store.snapshot[.oats]?.name == "Oats" && store.snapshot[.oats]?.kcal == 380)
  }

  @Test func `a batch that changes nothing appends nothing`() async throws {
    let store = try await TemporaryStore(records: Meal.self)
    let (count, receipt) = try await store.write { batch in batch.all(Meal.self).count }
    #expect(count == 0 && receipt.appended.isEmpty)
    #expect(try store.lines().isEmpty)
    // The first change creates the journal.
    try await store.write { batch in try batch.create(Meal.self, key: "oats") }
    #expect(try store.events().map(\.type) == ["device.joined", "meal.created"])
  }

  // MARK: - Concurrent writes

  @Test func `no other write comes between the reads and the writes of a batch`() async throws {
    let store = try await Self.diary()
    let widget = try await store.openAgain()
    let calls = Calls()
    // The closure replaces a register by the value read plus one, so writes in between would be
    // lost.
    try await withThrowingTaskGroup { group in
      for index in 0..<40 {
        let one = index.isMultiple(of: 2) ? store.store : widget
        group.addTask {
          try await one.write { batch in
            calls.note()
            try batch.edit(.oats) { $0.kcal += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.refresh()
    #expect(store.snapshot[.oats]?.kcal == 410)
    #expect(calls.count == 40)
  }

  @Test func `a batch as of an older snapshot replaces no later value`() async throws {
    let store = try await Self.diary()
    let shown = store.snapshot
    try await store.edit(.oats) { $0.kcal = 400 }
    let before = try store.lines()
    let error = await #expect(throws: EventLogError.self) {
      try await store.write(asOf: shown) { batch in
        #expect(batch[.oats]?.kcal == 370)
        try batch.edit(.oats) { $0.kcal = 371 }
        try batch.create(Meal.self)
      }
    }
    #expect(error?.code == .changedMeanwhile)
    #expect(error?.unseen.map(\.value) == [400])
    #expect(try store.lines() == before)
    // Fields that the closure leaves unchanged are not written.
    try await store.write(asOf: shown) { batch in
      try batch.edit(.oats) { $0.name = "Porridge" }
      let soup = try batch.create(Meal.self) { $0.name = "Soup" }
      try batch.edit(soup) { $0.name = "Leek soup" }
    }
    #expect(store.snapshot[.oats]?.kcal == 400 && store.snapshot[.oats]?.name == "Porridge")
    #expect(store.snapshot.all(Meal.self).map(\.name).contains("Leek soup"))
  }

  @Test func `a batch as of an empty journal can be appended to one with events`() async throws {
    let store = try await TemporaryStore(records: Meal.self)
    let shown = store.snapshot
    _ = try await store.create(Meal.self, key: "oats") { $0.name = "Oats" }
    try await store.write(asOf: shown) { batch in
      #expect(batch[.oats] == nil)
      try batch.create(Meal.self) { $0.name = "Soup" }
    }
    #expect(store.snapshot.all(Meal.self).count == 2)
    #expect(try Set(store.events().map(\.id.device)).count == 1)
  }

  @Test func `a peer gets no events of a batch whose end is cut off`() async throws {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    try await phone.write { batch in
      for name in ["Oats", "Milk", "Soup"] { try batch.create(Meal.self) { $0.name = name } }
    }
    let whole = try phone.lines()
    try phone.cutOff(1)
    try await phone.reopen()
    #expect(phone.snapshot.all(Meal.self).isEmpty)
    try await phone.sync(with: tablet)
    #expect(tablet.snapshot.all(Meal.self).isEmpty)
    #expect(whole.count == 4)
  }

  // MARK: - Refusals

  @Test func `a batch with too many events is refused with a hint`() async throws {
    let store = try await Self.diary()
    let before = try store.lines()
    let error = await #expect(throws: EventLogError.self) {
      try await store.write { batch in
        for _ in 0...4096 { try batch.edit(.oats) { $0.servings += 1 } }
      }
    }
    #expect(error?.code == .eventTooLarge && error?.hint?.contains("several batches") == true)
    #expect(try store.lines() == before)
    let count = Rounds.of(3000)
    try await store.write { batch in
      for _ in 0..<count { try batch.edit(.oats) { $0.servings += 1 } }
    }
    #expect(store.snapshot[.oats]?.servings.value == count)
  }

  @Test func `a batch refuses a record that the store wasn't opened with`() async throws {
    let store = try await TemporaryStore(records: Meal.self)
    let error = await #expect(throws: EventLogError.self) {
      try await store.write { batch in try batch.create(Profile.self) }
    }
    #expect(error?.code == .invalidSchema && error?.hint?.contains("records:") == true)
  }

  // MARK: - Comparison with single calls

  @Test func `a batch has the same result as its calls one by one`() async throws {
    for seed in RandomRounds(20) {
      let single = try await Self.diary()
      let batched = try await Self.diary()
      let steps = Step.random(40, seed: seed)
      for step in steps {
        _ = try? await single.write { batch in try step.run(&batch) }
      }
      var rest = steps[...]
      var generator = SplitMix64(seed: seed)
      while !rest.isEmpty {
        let part = rest.prefix(Int.random(in: 1...8, using: &generator))
        rest = rest.dropFirst(part.count)
        try await batched.write { batch in for step in part { try? step.run(&batch) } }
      }
      #expect(
        single.snapshot.entities("meal", includingDeleted: true)
          == batched.snapshot.entities("meal", includingDeleted: true), "seed \(seed)")
      #expect(single.snapshot.eventCount == batched.snapshot.eventCount)
    }
  }
}

/// One change to one of three meals.
private enum Step: Sendable {
  case create(ID<Meal>)
  case count(ID<Meal>, Int)
  case rename(ID<Meal>, Int)
  case drink(ID<Meal>)
  case delete(ID<Meal>)
  case restore(ID<Meal>)
  case total(ID<Meal>, Int)

  static func random(_ count: Int, seed: UInt64) -> [Step] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { index in
      let id = ID<Meal>(["oats", "milk", "soup"].randomElement(using: &generator)!)!
      return switch Int.random(in: 0..<7, using: &generator) {
      case 0: .create(id)
      case 1: .count(id, index)
      case 2: .rename(id, index)
      case 3: .drink(id)
      case 4: .delete(id)
      case 5: .restore(id)
      default: .total(id, index)
      }
    }
  }

  func run(_ batch: inout WriteBatch) throws(EventLogError) {
    switch self {
    case .create(let id): try batch.create(Meal.self, key: id.key) { $0.name = "New" }
    case .count(let id, let count): try batch.edit(id) { $0.servings += count }
    case .rename(let id, let number): try batch.edit(id) { $0.name = "No. \(number)" }
    case .drink(let id): try batch.edit(id, on: Day("2026-01-28")!) { $0.ml += 100 }
    case .delete(let id): try batch.delete(id)
    case .restore(let id): try batch.restore(id)
    case .total(let id, let total): try batch.set(\.servings, of: id, to: total)
    }
  }
}

/// Counts the calls of a closure.
private final class Calls: Sendable {
  private let calls = Mutex(0)
  var count: Int { calls.withLock { $0 } }

  func note() { calls.withLock { $0 += 1 } }
}

/// The number of meals that were ever created.
private struct NameCount: Projection {
  static let name = "name count"
  static let version = 1
  var count = 0

  mutating func apply(_ event: Event) {
    if event.type == "meal.created" { count += 1 }
  }
}
