import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

/// Every kind of difference between two states is found and reported with its writer.
@Suite struct StateDifferenceTests {
  /// A change to a state, and its expected differences.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (TemporaryStore) async throws -> Void
    let expected: [String]

    init(
      _ name: String, _ expected: String...,
      by change: @escaping @Sendable (TemporaryStore) async throws -> Void
    ) {
      self.name = name
      self.change = change
      self.expected = expected
    }

    var testDescription: String { name }
  }

  private static let day = Day("2026-01-28")!

  /// A phone and a tablet with the same events.
  private static func begin() async throws -> (TemporaryStore, TemporaryStore) {
    let (phone, tablet) = try await Devices.withOats()
    _ = try await phone.create(Meal.self, key: "milk") { $0.name = "Milk" }
    try await phone.edit(Profile.self) { $0.weight = 62 }
    try await phone.add(2, to: \.ml, of: .oats, on: day)
    _ = try await tablet.create(Habit.self, key: "read") { $0.name = "Read" }
    try await tablet.add(5, to: \.progress, of: ID<Habit>("read")!, on: day)
    try await phone.sync(with: tablet)
    return (phone, tablet)
  }

  static let cases: [Case] = [
    Case(
      "a register", "meal/oats kcal: expected 370 (BEGAN), found 380 (written by LAST)"
    ) { try await $0.edit(.oats) { $0.kcal = 380 } },
    Case(
      "a register that was never written",
      "meal/milk kcal: expected nothing, found 60 (written by LAST)"
    ) { try await $0.edit(ID<Meal>("milk")!) { $0.kcal = 60 } },
    Case(
      "a register that is gone",
      "profile weight: expected 62 (BEGAN), found nothing (written by LAST)"
    ) { try await $0.edit(Profile.self) { $0.weight = nil } },
    Case("a counter", "meal/oats servings: expected nothing, found 2 (written by ID)") {
      try await $0.add(2, to: \.servings, of: .oats)
    },
    Case(
      "a counter that was set", "meal/oats servings: expected nothing, found 3 (written by LAST)"
    ) {
      try await $0.set(\.servings, of: .oats, to: 3)
    },
    Case(
      "a member more",
      #"meal/oats tags: expected ["grain"], found ["grain","sweet"] (written by ID)"#
    ) { try await $0.include("sweet", in: \.tags, of: .oats) },
    Case("a member less", #"meal/oats tags: expected ["grain"] (BEGAN), found []"#) {
      try await $0.exclude("grain", from: \.tags, of: .oats)
    },
    Case("an entity more", "meal/rice: not expected, but found (last written by LAST)") {
      _ = try await $0.create(Meal.self, key: "rice") { $0.name = "Rice" }
    },
    Case("an entity less", "meal/oats: expected (BEGAN), not found (deleted by LAST)") {
      try await $0.delete(ID<Meal>.oats)
    },
    Case(
      "a day more", "meal/oats@2026-01-29: not expected, but found (last written by LAST)"
    ) { try await $0.edit(.oats, on: Day("2026-01-29")!) { $0.mood = "fine" } },
    Case(
      "a field of a day",
      "meal/oats@2026-01-28 mood: expected nothing, found \"fine\" (written by LAST)"
    ) { try await $0.edit(.oats, on: day) { $0.mood = "fine" } },
    Case(
      "a counter of a day", "meal/oats@2026-01-28 ml: expected 2 (BEGAN), found 3 (written by ID)"
    ) { try await $0.add(1, to: \.ml, of: .oats, on: day) },
    Case(
      "a day that has a section of its own",
      "habit/read@2026-01-28 progress: expected 5 (BEGAN), found 6 (written by ID)"
    ) { try await $0.add(1, to: \.progress, of: ID<Habit>("read")!, on: day) },
    Case(
      "what follows from a goal",
      "habit/read goal: expected nothing, found 9 (written by LAST)",
      "habit/read@2026-01-28 completed: expected true, found false"
    ) { try await $0.edit(ID<Habit>("read")!) { $0.goal = 9 } },
    Case("an entity with days", "habit/read: expected (BEGAN), not found (deleted by LAST)") {
      try await $0.delete(ID<Habit>("read")!)
    },
    Case(
      "what there is only one of",
      #"settings theme: expected nothing, found "dark" (written by LAST)"#
    ) { try await $0.append([.theme("dark")]) },
  ]

  /// The description without times and IDs: `LAST` is the last event with its time, `ID` the last
  /// event without, `BEGAN` any earlier event.
  private func normalized(_ difference: StateDifference, _ last: Event) -> String {
    let origin = try! Regex(#"(last )?written by (phone|tablet)-[a-z2-7]{8}:\d+( at [^)]+)?\)"#)
    var text = difference.description
    text.replace(" at \(last.at!)", with: "")
    text.replace("\(last.id)", with: difference.foundOrigin?.at == nil ? "ID" : "LAST")
    text.replace(origin, with: "BEGAN)")
    return text
  }

  @Test(arguments: cases)
  func `a change is reported with both values and its writer`(_ test: Case) async throws {
    let (phone, tablet) = try await Self.begin()
    let before = phone.snapshot
    #expect(try differences(between: before, and: phone) == [])
    try await test.change(phone)
    let last = try #require(phone.events().last)
    let frontier = "frontier \(last.id.device): expected"
    let found = try differences(between: before, and: phone)
    #expect(found.filter { $0.kind != .journal }.map { normalized($0, last) } == test.expected)
    let journal = found.filter { $0.kind == .journal }.map(\.description)
    #expect(journal.count == 1 && journal[0].hasPrefix(frontier), "\(journal)")
    // Compares in the other direction, and with only the JSON.
    let backward = try differences(between: phone, and: before).filter { $0.kind != .journal }
    #expect(backward.map(\.entity) == found.dropLast().map(\.entity))
    #expect(backward.map(\.expected) == found.dropLast().map(\.found))
    let json = String(decoding: before.json(), as: UTF8.self)
    let plain = try differences(of: phone, from: .json(json))
    #expect(plain.map(\.foundOrigin) == found.map(\.foundOrigin))
    #expect(plain.allSatisfy { $0.expectedOrigin == nil })
    // The tablet still has the previous state.
    #expect(try differences(between: before, and: tablet) == [])
  }

  // MARK: - Conflicts

  @Test func `an added, missing or changed conflict is reported`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let before = phone.snapshot
    try await phone.edit(.oats) { $0.kcal = 370 + 10 }
    try await tablet.edit(.oats) { $0.kcal = 400 }
    let events = [phone, tablet].map { $0.snapshot.origin(of: \.kcal, in: .oats)!.event }
    let one = phone.snapshot
    try await phone.sync(with: tablet)
    let found = try differences(between: before, and: phone).filter { $0.kind == .conflict }
    #expect(
      found.map(\.description) == [
        "meal/oats kcal: expected no conflict, found a conflict between 380 by \(events[0]) and"
          + " 400 by \(events[1]), which was 370"
      ])
    #expect(found[0].event == events[1])
    let less = try differences(between: phone, and: one).filter { $0.kind == .conflict }
    #expect(less.map(\.description).first?.hasSuffix("found no conflict") == true)
    // A third candidate makes it a different conflict.
    let two = phone.snapshot
    try await tablet.edit(.oats) { $0.kcal = 410 }
    try await phone.edit(.oats) { $0.kcal = 390 }
    try await phone.sync(with: tablet)
    let other = try differences(between: two, and: phone).filter { $0.kind == .conflict }
    #expect(other.count == 1 && other[0].expected != nil && other[0].found != nil)
  }

  @Test func `contested fields are compared if the expected state has no conflicts`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.edit(.oats) { $0.kcal = 380 }
    try await tablet.edit(.oats) { $0.kcal = 400 }
    try await phone.edit(Profile.self) { $0.weight = 1 }
    try await tablet.edit(Profile.self) { $0.weight = 2 }
    try await phone.sync(with: tablet)
    let json =
      #"{"profile":{"weight":2},"contested":{},"meals":[{"id":"oats","fields":{"#
      + #""name":"Oats","kcal":400,"tags":["grain"]}}]}"#
    #expect(
      try differences(of: phone, from: .json(json)).map(\.description) == [
        #"meal/oats contested: expected nothing, found ["kcal"]"#,
        #"profile contested: expected nothing, found ["weight"]"#,
      ])
  }

  // MARK: - Expected states

  @Test
  func `only the expected sections are compared, by value and not by spelling`() async throws {
    let (phone, _) = try await Devices.withOats()
    try await phone.include("breakfast", in: \.tags, of: .oats)
    try await phone.edit(Profile.self) { $0.weight = 62 }
    let json = """
      { "meals": [
        { "fields": { "tags": ["grain", "breakfast"], "name": "O\\u0061ts", "kcal": 3.7e2 },
          "id": "oats" } ] }
      """
    #expect(try differences(of: phone, from: .json(json)) == [])
    #expect(try differences(of: phone, from: .json("{}")) == [])
    #expect(
      try differences(of: phone, from: .json(#"{"profile":{"weight":62.0}}"#)) == [])
    #expect(
      try differences(of: phone, from: .json(#"{"meals":[]}"#)).map(\.entity) == ["meal/oats"])
    #expect(
      try differences(of: phone, from: .json(#"{"user":"ben","eventCount":4}"#)).map(\.description)
        == [
          "eventCount: expected 4, found 5", #"user: expected "ben", found "ada""#,
        ])
  }

  @Test(arguments: [
    "", "[]", "nonsense", #"{"meals":{}}"#, #"{"meals":[1]}"#, #"{"meals":[{"fields":{}}]}"#,
    #"{"meals":[{"id":"a","days":[{}]}]}"#, #"{"profile":[]}"#, #"{"conflicts":[{}]}"#,
    #"{"completions":[{"habit":"read"}]}"#, #"{"foods":[{"id":"a"}]}"#,
  ])
  func `an invalid expected state is refused`(_ json: String) async throws {
    let (phone, _) = try await Devices.withOats()
    #expect(
      await failureCode { () throws(EventLogError) in
        _ = try differences(of: phone, from: .json(json))
      } == .invalidInput)
  }

  @Test func `an unmet expectation throws an error with all differences`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try expectState(of: phone, matches: .state(of: tablet))
    try await phone.edit(.oats) {
      $0.name = "Porridge"
      $0.kcal = 1
    }
    let mismatch = #expect(throws: StateMismatch.self) {
      try expectState(of: phone, matches: .state(of: tablet))
    }
    #expect(mismatch?.differences.count == 3)
    let text = try #require(mismatch?.description)
    #expect(text.hasPrefix("The state differs from the expected one: 3 differences.\n"))
    #expect(text.contains("\nmeal/oats name: "))
  }

  @Test func `long values are truncated in a description`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await phone.edit(.oats) { $0.name = String(repeating: "x", count: 1000) }
    let difference = try #require(try differences(between: tablet, and: phone).first)
    #expect(difference.description.count < 500)
    #expect(difference.found == .string(String(repeating: "x", count: 1000)))
  }
}
