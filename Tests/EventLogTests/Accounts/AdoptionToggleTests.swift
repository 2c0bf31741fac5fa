import EventLogAccounts
import EventLogCollections
import EventLogTesting
import EventLogUndo
import Testing

@testable import EventLog

/// Several adopted guests, each of whom can be hidden and shown again independently.
@Suite(.tags(.random)) struct AdoptionToggleTests {
  private static func guest(_ number: Int, seed: UInt64 = 10) async throws -> TemporaryStore {
    try await TemporaryStore(
      device: "phone\(number)", user: "guest-\(number)", records: Meal.self, catalog: .standard,
      seed: seed + UInt64(number))
  }

  private static func account(
    _ device: String = "desk", seed: UInt64 = 1
  ) async throws -> TemporaryStore {
    try await TemporaryStore(
      device: device, records: Meal.self, catalog: .standard, seed: seed)
  }

  private static func birthday(_ day: String) -> EventDraft {
    .of("profile.updated", nil, ["birthday": .string(day)])
  }

  private func birthday(_ state: Snapshot) -> JSONValue? {
    state.singleton("profile").first { $0.name == "birthday" }?.shown
  }

  /// An account and guests that each wrote a birthday, each later than the previous one.
  private static func birthdays(
    _ count: Int
  ) async throws -> (account: TemporaryStore, guests: [TemporaryStore]) {
    let account = try await account()
    _ = try await account.append([birthday("1990-01-01")])
    var guests: [TemporaryStore] = []
    for number in 1...count {
      let guest = try await guest(number)
      guest.clock.advance(by: .seconds(100 * number))
      _ = try await guest.append([birthday("199\(number)-01-01")])
      try await account.store.adopt(guest.remote)
      guests.append(guest)
    }
    account.clock.advance(by: .seconds(10_000))
    return (account, guests)
  }

  @Test(arguments: [[1, 2], [2, 1], [1, 3, 2], [3, 1, 2], [2, 3, 1]])
  func `undoing adoptions one by one leaves the account's own value`(
    order: [Int]
  ) async throws {
    let (account, _) = try await Self.birthdays(order.count)
    var remaining = Set(order)
    for number in order {
      let shownBefore = birthday(account.snapshot)
      let report = try await account.store.undoAdoption(of: "guest-\(number)")
      remaining.remove(number)
      let state = account.snapshot
      #expect(report.changes.isEmpty == (shownBefore == birthday(state)))
      #expect(birthday(state) == .string("199\(remaining.max() ?? 0)-01-01"), "\(order) \(number)")
      let writers = state.conflicts.flatMap(\.candidates).map(\.event.device.description)
      #expect(!writers.contains { $0.hasPrefix("phone\(number)-") }, "\(order) \(number)")
      let second = try await account.store.undoAdoption(of: "guest-\(number)")
      #expect(second.receipt?.appended.isEmpty == true)
    }
  }

  @Test func `an undo that changes no visible value reports the conflict that it resolves`()
    async throws
  {
    let (account, _) = try await Self.birthdays(2)
    let report = try await account.store.undoAdoption(of: "guest-1")
    #expect(report.resolved == ["profile#birthday"] && report.changes.isEmpty)
    #expect(account.snapshot.conflicts.isEmpty)
  }

  @Test(arguments: ["habit.archived", "habit.unarchived"])
  func `a flag that no event can clear is false after an undo, and a second undo is empty`(
    type: String
  ) async throws {
    let account = try await Self.account()
    for number in 1...2 {
      let guest = try await Self.guest(number)
      _ = try await guest.append([.of("habit.created", "habit/b", ["icon": "x"])])
      // The second guest never wrote `archived`.
      if number == 1 { _ = try await guest.append([.of(type, "habit/b")]) }
      try await account.store.adopt(guest.remote)
    }
    let report = try await account.store.undoAdoption(of: "guest-1")
    let changes = report.changes.filter { $0.field == "archived" }
    #expect(changes.map(\.new) == (type == "habit.archived" ? [false] : []))
    let habit = try #require(account.snapshot.entities("habit").first)
    #expect(habit.fields.first { $0.name == "archived" }?.shown == false)
    #expect(account.snapshot.conflicts.isEmpty)
    let second = try await account.store.undoAdoption(of: "guest-1")
    #expect(second.changes.isEmpty && second.receipt?.appended.isEmpty == true)
  }

  @Test func `an undo keeps a conflict between other writers in an entity that it changes`()
    async throws
  {
    let account = try await Self.account()
    for number in 1...2 {
      let guest = try await Self.guest(number)
      guest.clock.advance(by: .seconds(100 * number))
      _ = try await guest.append([
        .of("habit.created", "habit/b", ["icon": .string("\(number)")])
      ])
      try await account.store.adopt(guest.remote)
      // The second guest's creation stays, in conflict with this deletion.
      if number == 1 { _ = try await account.append([.of("habit.deleted", "habit/b")]) }
    }
    #expect(account.snapshot.conflicts.map(\.field) == ["icon", "presence"])
    let report = try await account.store.undoAdoption(of: "guest-1")
    #expect(report.resolved == ["habit/b#icon"] && report.changes.isEmpty)
    let second = try await account.store.undoAdoption(of: "guest-1")
    #expect(second.resolved.isEmpty && second.receipt?.appended.isEmpty == true)
    #expect(account.snapshot.conflicts.map(\.field) == ["presence"])
  }

  @Test(arguments: 0..<Rounds.of(30))
  func `a state with hidden guests equals a state that never adopted them`(seed: Int) async throws {
    var random = SplitMix64(seed: UInt64(seed) &* 6007 &+ 11)
    let account = try await Self.account(seed: UInt64(seed) * 100 + 1)
    let before = try await Self.account("pad", seed: UInt64(seed) * 100 + 2)
    var guests: [TemporaryStore] = []
    for number in 1...Int.random(in: 2...3, using: &random) {
      guests.append(try await Self.guest(number, seed: UInt64(seed) * 100 + 10))
    }
    for device in [account] + guests {
      let age = JSONValue.number(JSONNumber(Int64.random(in: 1...3, using: &random)))
      _ = try await device.append([.of("profile.updated", nil, ["age": age])])
      for _ in 0..<10 { try await RandomMeals.act(on: device, &random) }
    }
    try await before.sync(with: account)
    for guest in guests { try await account.store.adopt(guest.remote) }
    var hidden: Set<Int> = []
    for step in 0..<5 {
      let number = Int.random(in: 0..<guests.count, using: &random)
      if hidden.contains(number), Bool.random(using: &random) {
        let adoption = try await account.store.adopt(guests[number].remote)
        #expect(adoption.users.isEmpty && adoption.restored != nil)
        hidden.remove(number)
      } else {
        let report = try await account.store.undoAdoption(of: "guest-\(number + 1)")
        #expect(report.kept.isEmpty)
        hidden.insert(number)
      }
      let other = try await Self.account("other\(step)", seed: UInt64(seed) * 100 + 50)
      try await other.sync(with: before)
      for (index, guest) in guests.enumerated() where !hidden.contains(index) {
        try await other.store.adopt(guest.remote)
      }
      #expect(
        account.snapshot.shownMeals == other.snapshot.shownMeals, "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: 0..<Rounds.of(30))
  func `hiding and showing a guest restores the state, even after later writes`(
    seed: Int
  ) async throws {
    var random = SplitMix64(seed: UInt64(seed) &* 9001 &+ 5)
    let account = try await Self.account(seed: UInt64(seed) * 100 + 1)
    let guests = [
      try await Self.guest(1, seed: UInt64(seed) * 100 + 10),
      try await Self.guest(2, seed: UInt64(seed) * 100 + 10),
    ]
    for device in [account] + guests {
      _ = try await device.append([.of("profile.updated", nil, ["age": 1])])
      for _ in 0..<10 { try await RandomMeals.act(on: device, &random) }
    }
    for guest in guests { try await account.store.adopt(guest.remote) }
    for _ in 0..<4 {
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        try await RandomMeals.act(on: account, &random)
      }
      let number = Int.random(in: 0..<2, using: &random)
      // Show a hidden guest first, so that only this hiding and showing is compared.
      try await account.store.adopt(guests[number].remote)
      let before = account.snapshot.shownMeals
      let report = try await account.store.undoAdoption(of: "guest-\(number + 1)")
      let keptNames = report.kept.map(\.description)
      for conflict in account.snapshot.conflicts {
        // An entity that the undo keeps also keeps its conflicts.
        if keptNames.contains(String(conflict.entity.prefix { $0 != "@" })) { continue }
        let isTheirs = conflict.candidates.contains {
          $0.event.device.description.hasPrefix("phone\(number + 1)-")
        }
        #expect(!isTheirs, "seed \(seed), \(conflict)")
      }
      if Bool.random(using: &random) { continue }
      try await account.store.adopt(guests[number].remote)
      #expect(account.snapshot.shownMeals == before, "seed \(seed)")
    }
  }

  @Test func `a guest adopted again after an undo returns with its later writes`() async throws {
    let account = try await Self.account()
    _ = try await account.append([Self.birthday("1990-01-01")])
    let guest = try await Self.guest(1)
    let soup = try await guest.create(Meal.self, key: "soup") {
      $0.name = "Soup"
      $0.servings += 2
      $0.tags = ["hot"]
    }.id
    let stew = try await guest.create(Meal.self, key: "stew") { $0.name = "Stew" }.id
    _ = try await guest.append([.of("profile.updated", nil, ["height": 170, "weight": 60])])
    try await account.store.adopt(guest.remote)
    try await account.store.undoAdoption(of: "guest-1")
    _ = try await account.append([.of("profile.updated", nil, ["weight": 61])])
    #expect(account.snapshot.all(Meal.self).isEmpty)
    try await guest.add(1, to: \.servings, of: soup)
    let tea = try await guest.create(Meal.self, key: "tea") { $0.name = "Tea" }.id

    let plan = try await account.store.dryRunAdoption(of: guest.remote)
    #expect(plan.restored?.changes.contains { $0.place == "meal/stew" } == true)
    let report = try await account.store.adopt(guest.remote)
    let state = account.snapshot
    #expect(state[soup]?.servings.value == 3 && state[soup]?.tags == ["hot"])
    #expect(state[stew]?.name == "Stew" && state[tea]?.name == "Tea")
    #expect(state.conflicts.isEmpty && report.sync.newConflicts.isEmpty)
    let profile = Dictionary(
      uniqueKeysWithValues: state.singleton("profile").map { ($0.name, $0.shown) })
    #expect(profile["height"] == 170 && profile["weight"] == 61)
    let restored = try #require(report.restored)
    #expect(restored.changes.map(\.place).contains("meal/stew"))

    let count = account.snapshot.eventCount
    let second = try await account.store.adopt(guest.remote)
    #expect(second.restored == nil && account.snapshot.eventCount == count)

    // An entity that the account itself deleted stays deleted.
    try await account.delete(stew)
    #expect(try await account.store.adopt(guest.remote).restored == nil)
    #expect(account.snapshot[stew] == nil)
    try await account.store.undoAdoption(of: "guest-1")
    #expect(account.snapshot.all(Meal.self).isEmpty)
    try await account.store.adopt(guest.remote)
    #expect(account.snapshot[stew] == nil && account.snapshot[soup]?.servings.value == 3)
  }

  @Test func `the receipts of an undo can restore the guest and hide it again`() async throws {
    let (account, guests) = try await Self.birthdays(1)
    let undone = try await account.store.undoAdoption(of: "guest-1")
    let redone = try await account.undo(try #require(undone.receipt))
    #expect(birthday(account.snapshot) == "1991-01-01")
    #expect(try await account.store.adopt(guests[0].remote).restored == nil)
    let second = try await account.undo(redone.receipt)
    #expect(birthday(account.snapshot) == "1990-01-01")
    _ = try await account.undo(second.receipt)
    let last = try await account.store.undoAdoption(of: "guest-1")
    #expect(last.changes.count == 1 && birthday(account.snapshot) == "1990-01-01")
  }

  @Test func `another device of the account can restore a hidden guest`() async throws {
    let (account, guests) = try await Self.birthdays(2)
    try await account.store.undoAdoption(of: "guest-2")
    let pad = try await Self.account("pad", seed: 5)
    try await pad.sync(with: account)
    #expect(birthday(pad.snapshot) == "1991-01-01")
    pad.clock.advance(by: .seconds(20_000))
    #expect(try await pad.store.adopt(guests[1].remote).restored?.changes.count == 1)
    try await account.sync(with: pad)
    #expect(birthday(account.snapshot) == "1992-01-01")
    #expect(try await account.store.adopt(guests[1].remote).restored == nil)
  }
}
