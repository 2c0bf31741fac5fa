import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@testable import EventLog

/// Queries of records, and the cache of decoded values.
@Suite struct RecordQueryTests {
  private static let day = Day("2026-01-28")!

  private static func diary() async throws -> TemporaryStore {
    let store = try await TemporaryStore(records: Meal.self, Note.self)
    try await store.write { batch in
      for (key, name, kcal) in [("a", "Oats", 370), ("b", "Milk", 64), ("c", "Leek", 61)] {
        try batch.create(Meal.self, key: key) {
          $0.name = name
          $0.kcal = kcal
        }
      }
      try batch.create(Note.self, key: "x") { $0.text = "second" }
      try batch.create(Note.self, key: "y")
      try batch.create(Note.self, key: "z") { $0.text = "first" }
    }
    return store
  }

  // MARK: - Queries

  @Test func `records are filtered, counted and sorted by their values`() async throws {
    let state = try await Self.diary().snapshot
    #expect(state.all(Meal.self).map(\.id.key) == ["a", "b", "c"])
    #expect(state.all(Meal.self) { $0.kcal < 100 }.map(\.name) == ["Milk", "Leek"])
    #expect(state.all(Meal.self, orderedBy: \.kcal).map(\.name) == ["Leek", "Milk", "Oats"])
    #expect(
      state.all(Meal.self, where: { $0.name != "Oats" }, orderedBy: \.name, descending: true)
        .map(\.name) == ["Milk", "Leek"])
    #expect(state.count(Meal.self) == 3 && state.count(Meal.self) { $0.kcal > 100 } == 1)
    #expect(state.first(Meal.self) { $0.kcal < 100 }?.name == "Milk")
    #expect(state.first(Meal.self) { $0.kcal < 0 } == nil)
    // Absent values come last in both directions.
    #expect(state.all(Note.self, orderedBy: \.text).map(\.id.key) == ["z", "x", "y"])
    #expect(
      state.all(Note.self, orderedBy: \.text, descending: true).map(\.id.key) == ["x", "z", "y"])
    // Equal values stay in the order of keys.
    #expect(
      state.all(Meal.self, orderedBy: \.servings.value, descending: true).map(\.id.key) == [
        "a", "b", "c",
      ])
  }

  @Test func `the days in a range are found among any number of days`() async throws {
    let store = try await Self.diary()
    let id = ID<Meal>("a")!
    let numbers = [0, 3, 4, 9, 10, 11, 40]
    for number in numbers.reversed() {
      try await store.edit(id, on: Self.day.advanced(by: number)) { $0.ml += number + 1 }
    }
    let state = store.snapshot
    for (first, last) in [(0, 0), (0, 40), (1, 2), (3, 10), (-5, 3), (9, 400), (11, 12)] {
      let range = Self.day.advanced(by: first)...Self.day.advanced(by: last)
      #expect(
        state.days(of: id, in: range).map(\.value.ml.value)
          == numbers.filter { (first...last).contains($0) }.map { $0 + 1 })
      #expect(state.days(of: id, in: range).map(\.id) == state.days(of: id, in: range).map(\.day))
    }
    try await store.delete(id)
    #expect(store.snapshot.days(of: id, in: Self.day...Self.day).isEmpty)
  }

  // MARK: - Cache

  @Test func `a value is decoded only once after each change`() async throws {
    let store = try await TemporaryStore(records: Tallied.self, Note.self)
    for key in ["a", "b", "c"] {
      _ = try await store.create(Tallied.self, key: key) { $0.number = .init(value: 1) }
    }
    let first = store.snapshot.all(Tallied.self)
    let decoded = Tally.shared.count
    #expect(store.snapshot.all(Tallied.self) == first && Tally.shared.count == decoded)
    // Nothing of this kind has changed.
    _ = try await store.create(Note.self)
    #expect(store.snapshot.all(Tallied.self) == first && Tally.shared.count == decoded)
    try await store.edit(ID<Tallied>("b")!) { $0.number = .init(value: 2) }
    let before = Tally.shared.count
    #expect(store.snapshot.all(Tallied.self).map(\.number.value) == [1, 2, 1])
    #expect(Tally.shared.count == before + 1)
  }

  // MARK: - Comparison with a state without a cache

  @Test func `after random changes the cached records equal newly decoded ones`() async throws {
    for seed in RandomRounds(12) {
      var generator = SplitMix64(seed: seed)
      let devices = try await Devices.meet(["phone", "tablet"], records: Meal.self)
      var snapshots: [(state: Snapshot, rows: [Stored<Meal>])] = []
      var backup = try devices[0].backUp()
      for step in 0..<40 {
        let device = devices[Int.random(in: 0..<2, using: &generator)]
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...6: try await RandomMealStep.random(step, &generator).run(on: device)
        case 7: try await devices[0].sync(with: devices[1])
        case 8: backup = try devices[0].backUp()
        case 9:
          try devices[0].restore(backup, .allRolledBack)
          try? await devices[0].refresh()
        case 10: _ = try? await device.openAgain().edit(ID<Meal>("a")!) { $0.kcal += 1 }
        default: _ = try await device.reopen()
        }
        try? await device.refresh()
        let state = device.snapshot
        #expect(state.all(Meal.self) == fresh(state), "seed \(seed), step \(step)")
        snapshots.append((state, state.all(Meal.self)))
        // An earlier state still shows its own values.
        let earlier = snapshots[Int.random(in: 0..<snapshots.count, using: &generator)]
        #expect(earlier.state.all(Meal.self) == earlier.rows, "seed \(seed), step \(step)")
      }
    }
  }

  /// The meals of the same state, decoded without the cache.
  private func fresh(_ state: Snapshot) -> [Stored<Meal>] {
    Snapshot(fold: state.fold, ledger: state.ledger, damage: [], bases: ConflictBases())
      .all(Meal.self)
  }
}

/// A random change to one of five meals.
enum RandomMealStep {
  case create(String)
  case edit(String, Int)
  case day(String, Int)
  case delete(String)
  case restore(String)

  static func random(_ number: Int, _ generator: inout SplitMix64) -> RandomMealStep {
    let key = ["a", "b", "c", "d", "e"].randomElement(using: &generator)!
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1: .create(key)
    case 2: .day(key, number)
    case 3: .delete(key)
    case 4: .restore(key)
    default: .edit(key, number)
    }
  }

  /// Makes the change, ignoring errors about the presence of the entity.
  func run(on device: TemporaryStore) async throws {
    do throws(EventLogError) {
      switch self {
      case .create(let key): _ = try await device.create(Meal.self, key: key) { $0.name = "New" }
      case .edit(let key, let kcal): try await device.edit(ID<Meal>(key)!) { $0.kcal = kcal }
      case .day(let key, let ml):
        try await device.edit(ID<Meal>(key)!, on: Day("2026-01-28")!) { $0.ml += ml }
      case .delete(let key): try await device.delete(ID<Meal>(key)!)
      case .restore(let key): try await device.restore(ID<Meal>(key)!)
      }
    } catch {
      let expected: Set<EventLogError.Code> = [.entityExists, .noEntity, .deletedEntity]
      guard expected.contains(error.code) else { throw error }
    }
  }
}

/// A record with a text that may be absent.
struct Note: Record, Hashable {
  var text: String?
  static let schema = Schema<Note>("note", [.register("text", \.text)])
}

/// A record that counts how often its values are decoded.
private struct Tallied: Record, Hashable {
  struct Number: JSONConvertible, Hashable, Sendable {
    static let valueRule = ValueRule.integer(0...100)
    var value = 0

    init(value: Int = 0) { self.value = value }

    init?(json: JSONValue) {
      guard case .number(let number) = json, let value = number.integer else { return nil }
      Tally.shared.note()
      self.value = Int(value)
    }

    var json: JSONValue { .number(JSONNumber(Int64(value))) }
  }

  var number = Number()
  static let schema = Schema<Tallied>("tallied", [.register("number", \.number)])
}

private final class Tally: Sendable {
  static let shared = Tally()
  private let total = Mutex(0)
  var count: Int { total.withLock { $0 } }

  func note() { total.withLock { $0 += 1 } }
}
