import EventLogAccounts
import EventLogCollections
import EventLogTesting
import EventLogUndo
import Testing

@testable import EventLog

/// Undoing an adoption restores the state without the guest, and keeps later work.
@Suite struct AdoptionUndoTests {
  private static let day = Day("2026-01-28")!

  private static func people(
    seed: UInt64 = 1
  ) async throws -> (account: TemporaryStore, guest: TemporaryStore) {
    let account = try await TemporaryStore(
      device: "desk", records: Meal.self, catalog: .standard, seed: seed)
    let guest = try await TemporaryStore(
      device: "phone", user: "guest-1", records: Meal.self, catalog: .standard, seed: seed + 1)
    return (account, guest)
  }

  @Test(arguments: 0..<Rounds.of(40))
  func `an undo without later work restores the previous state`(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed) &* 7919 &+ 3)
    let (account, guest) = try await Self.people(seed: UInt64(seed) * 10 + 1)
    for _ in 0..<12 { try await RandomMeals.act(on: account, &random) }
    for _ in 0..<12 { try await RandomMeals.act(on: guest, &random) }
    // Ensures that each journal has a user, even if the random actions wrote nothing.
    for device in [account, guest] {
      _ = try await device.append([
        .of("profile.updated", nil, ["age": .number(JSONNumber(Int64(seed % 3)))])
      ])
    }
    let before = account.snapshot.shownMeals
    try await account.store.adopt(guest.remote)
    let plan = try await account.store.dryRunUndoOfAdoption(of: "guest-1")
    let undone = try await account.store.undoAdoption(of: "guest-1")
    #expect(account.snapshot.shownMeals == before, "seed \(seed)")
    #expect(account.snapshot.conflicts.isEmpty, "seed \(seed)")
    #expect(undone.kept.isEmpty && undone.changes == plan.changes && plan.receipt == nil)
    let second = try await account.store.undoAdoption(of: "guest-1")
    #expect(second.changes.isEmpty && second.receipt?.appended.isEmpty == true, "seed \(seed)")
  }

  @Test func `undoing an undo shows the guest again`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([.of("profile.updated", nil, ["firstName": "Ada"])])
    _ = try await guest.create(Meal.self, key: "soup") {
      $0.name = "Soup"
      $0.servings += 2
    }
    try await account.store.adopt(guest.remote)
    let after = account.snapshot.shownMeals
    let undone = try await account.store.undoAdoption(of: "guest-1")
    #expect(account.snapshot.all(Meal.self).isEmpty)
    _ = try await account.undo(try #require(undone.receipt))
    #expect(account.snapshot.shownMeals == after)
  }

  @Test func `an undo keeps every field of a guest's entity that the account has edited`()
    async throws
  {
    let (account, guest) = try await Self.people()
    _ = try await account.append([.of("profile.updated", nil, ["firstName": "Ada", "age": 30])])
    let soup = try await guest.create(Meal.self, key: "soup") {
      $0.name = "Soup"
      $0.kcal = 40
    }.id
    let stew = try await guest.create(Meal.self, key: "stew") { $0.name = "Stew" }.id
    _ = try await guest.append([
      .of("profile.updated", nil, ["age": 31, "height": 170, "weight": 60])
    ])
    try await account.store.adopt(guest.remote)
    try await account.edit(soup) { $0.kcal = 50 }
    _ = try await account.append([.of("profile.updated", nil, ["weight": 61])])
    let report = try await account.store.undoAdoption(of: "guest-1")
    let state = account.snapshot
    #expect(report.kept == [soup.entity])
    #expect(state[soup]?.name == "Soup" && state[soup]?.kcal == 50 && state[stew] == nil)
    let profile = Dictionary(
      uniqueKeysWithValues: state.singleton("profile").map { ($0.name, $0.shown) })
    #expect(profile["age"] == 30 && profile["height"] == .some(nil) && profile["weight"] == 61)
    #expect(
      report.changes.map { "\($0.place)#\($0.field)" }.sorted() == [
        "meal/stew#presence", "profile#age", "profile#height",
      ])
  }

  @Test func `an adoption that is undone, redone and undone again is hidden`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([.of("profile.updated", nil, ["firstName": "Ada"])])
    _ = try await guest.create(Meal.self, key: "soup") { $0.name = "Soup" }
    try await account.store.adopt(guest.remote)
    let undone = try await account.store.undoAdoption(of: "guest-1")
    _ = try await account.undo(try #require(undone.receipt))
    #expect(account.snapshot.all(Meal.self).count == 1)
    let second = try await account.store.undoAdoption(of: "guest-1")
    #expect(second.kept.isEmpty && account.snapshot.all(Meal.self).isEmpty)
  }

  @Test func `an undo writes again what applied on each day without the guest`() async throws {
    let (account, guest) = try await Self.people()
    for device in [account, guest] { _ = try await device.append([.begin]) }
    func edit(_ device: TemporaryStore, _ goal: JSONValue, _ day: JSONValue) async throws {
      _ = try await device.append([.of("habit.edited", "habit/read", ["goal": goal, "from": day])])
    }
    func goals() -> [JSONValue] {
      account.snapshot.timeline(of: "goal", in: "habit/read").steps.map(\.value)
    }
    try await edit(account, 10, "2026-01-01")
    try await edit(account, 30, "2026-03-01")
    let before = goals()
    try await edit(guest, 20, "2026-02-01")
    try await account.store.adopt(guest.remote)
    #expect(goals() == [.null, 10, 20, 30])
    let report = try await account.store.undoAdoption(of: "guest-1")
    #expect(before == [.null, 10, 30] && goals() == [.null, 10, 10, 30] && report.left.isEmpty)
    #expect(account.snapshot.conflicts.isEmpty)
    _ = try await account.undo(try #require(report.receipt))
    #expect(goals() == [.null, 10, 20, 30])
  }

  @Test func `a flag that only fixed events write is false after an undo`() async throws {
    let (account, guest) = try await Self.people()
    for device in [account, guest] { _ = try await device.append([.begin]) }
    _ = try await guest.append([.of("habit.archived", "habit/read")])
    try await account.store.adopt(guest.remote)
    let report = try await account.store.undoAdoption(of: "guest-1")
    #expect(report.changes.map(\.field) == ["archived"] && report.left.isEmpty)
    #expect(account.snapshot.entities("habit").first?["archived"] == false)
  }

  @Test func `a conflict between the account's devices that an undo ends is reported as resolved`()
    async throws
  {
    let (account, guest) = try await Self.people()
    let other = try await TemporaryStore(
      device: "pad", records: Meal.self, catalog: .standard, seed: 9)
    for (device, height) in [(account, 171), (other, 172), (guest, 180)] {
      _ = try await device.append([
        .of("profile.updated", nil, ["height": .number(JSONNumber(Int64(height)))])
      ])
    }
    try await account.sync(with: other)
    guest.clock.advance(by: .seconds(1000))
    _ = try await guest.append([.of("profile.updated", nil, ["height": 180])])
    try await account.store.adopt(guest.remote)
    let report = try await account.store.undoAdoption(of: "guest-1")
    #expect(report.resolved == ["profile#height"] && account.snapshot.conflicts.isEmpty)
  }

  @Test func `undoing the adoption of a user who wasn't adopted is refused`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([.of("profile.updated", nil, ["age": 30])])
    let code1 = await failureCode { () throws(EventLogError) in
      _ = try await account.store.undoAdoption(of: "guest-1")
    }
    #expect(code1 == .invalidInput)
    _ = try await guest.append([.of("profile.updated", nil, ["age": 31])])
    try await account.store.adopt(guest.remote)
    let code2 = await failureCode { () throws(EventLogError) in
      _ = try await account.store.undoAdoption(of: "ada")
    }
    #expect(code2 == .invalidInput)
    let code3 = await failureCode { () throws(EventLogError) in
      _ = try await account.store.undoAdoption(of: "guest")
    }
    #expect(code3 == .invalidInput)
  }

  @Test func `events that a store appends during an undo are kept`() async throws {
    let (account, guest) = try await Self.people()
    _ = try await account.append([.of("profile.updated", nil, ["age": 30])])
    for number in 0..<30 {
      _ = try await guest.create(Meal.self, key: "meal\(number)") { $0.name = "M" }
    }
    try await account.store.adopt(guest.remote)
    let store = account.store
    let writes = Task {
      for number in 0..<20 {
        _ = try await store.create(Meal.self, key: "own\(number)") { $0.kcal = number }
      }
    }
    var isUndone = false
    while !isUndone {
      do throws(EventLogError) {
        try await store.undoAdoption(of: "guest-1")
        isUndone = true
      } catch {
        guard error.code == .changedMeanwhile else { throw error }
      }
    }
    try await writes.value
    #expect(account.snapshot.all(Meal.self).count == 20)
  }
}
