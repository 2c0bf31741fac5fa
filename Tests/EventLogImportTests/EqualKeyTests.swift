import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Rows with the same key, each of which is a thing of its own.
@Suite struct EqualKeyTests {
  private static let foods = #"""
    {"source":"f","tables":[{"files":"a.csv","kind":"food","key":"f-{title}","several":"each",
    "fields":{"name":"title","kcal":{"column":"kcal","as":"whole"},"note":"note"}}]}
    """#

  private static let drinks = #"""
    {"source":"f","tables":[{"files":"a.csv","kind":"hydration","key":"{name}","several":"each",
    "fields":{"name":"name"},"day":"day","days":{"ml":"ml"}}]}
    """#

  private func importing(
    _ rows: [String], _ heading: String, _ map: String, into phone: TemporaryStore
  ) async throws {
    let importer = Importer(
      contents: (heading + "\n" + rows.map { $0 + "\n" }.joined()).utf8, named: "a.csv",
      map: try ImportMap(parsing: map.utf8))
    _ = try await importer.run(into: phone.store)
    #expect(try await importer.run(into: phone.store).eventCount == 0)
  }

  private func foods(_ rows: [String], into phone: TemporaryStore) async throws {
    try await importing(rows, "title,kcal,note", Self.foods, into: phone)
  }

  private func phone(_ name: String = "phone", seed: UInt64 = 1) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, user: "ada", catalog: .bundled, seed: seed)
  }

  /// The calories of each entity by its key.
  private func calories(_ phone: TemporaryStore) -> [String: String?] {
    var found: [String: String?] = [:]
    for food in phone.store.snapshot.entities("food") {
      found.updateValue(food["kcal"]?.text, forKey: food.id.key)
    }
    return found
  }

  @Test func `rows continue what was said before an undo, beside a changed part`() async throws {
    let (phone, tablet) = (try await phone(), try await phone("tablet", seed: 2))
    try await foods(["Tea,3,a", "Tea,1,b"], into: phone)
    let before = calories(phone)
    _ = try await phone.sync(with: tablet)
    try await phone.store.undoImport(of: "f")
    try await foods(["Tea,3,x", "Tea,1,y"], into: tablet)
    _ = try await phone.sync(with: tablet)
    try await foods(["Tea,1,b", "Tea,3,a"], into: phone)
    #expect(calories(phone) == before)
  }

  @Test func `rows in another order continue the same things`() async throws {
    let rows = ["Tea,3,a", "Tea,1,b", "Tea,2,c", "Tea,2,c", "Pie,9,"]
    for seed in 1...20 {
      let phone = try await phone()
      try await foods(rows, into: phone)
      let before = calories(phone)
      #expect(before.keys.sorted() == ["f-Pie", "f-Tea", "f-Tea~2", "f-Tea~3", "f-Tea~4"])
      var random = SplitMix64(seed: UInt64(seed))
      let count = phone.store.snapshot.eventCount
      try await foods(rows.shuffled(using: &random), into: phone)
      #expect(phone.store.snapshot.eventCount == count && calories(phone) == before)
    }
  }

  @Test func `a row inserted before others gets a thing of its own`() async throws {
    let phone = try await phone()
    try await foods(["Tea,3,a", "Tea,1,b"], into: phone)
    let before = calories(phone)
    try await foods(["Tea,7,x", "Tea,1,b", "Tea,3,a"], into: phone)
    #expect(calories(phone) == before.merging(["f-Tea~3": "7"]) { $1 })
  }

  @Test func `the rows beside a removed one stay, and nothing is doubled`() async throws {
    let phone = try await phone()
    try await foods(["Tea,1,a", "Tea,2,b", "Tea,3,c"], into: phone)
    let before = calories(phone)
    try await foods(["Tea,3,c", "Tea,1,a"], into: phone)
    #expect(calories(phone) == before)
  }

  @Test func `a changed row continues the thing that had most of its values`() async throws {
    let phone = try await phone()
    try await foods(["Tea,1,a", "Tea,2,b"], into: phone)
    try await foods(["Tea,5,b", "Tea,1,a"], into: phone)
    #expect(calories(phone) == ["f-Tea": "1", "f-Tea~2": "5"])
  }

  @Test func `an unrelated row does not continue a removed one`() async throws {
    let phone = try await phone()
    try await foods(["Tea,1,a", "Tea,2,b", "Tea,3,"], into: phone)
    let before = calories(phone)
    // Only the name is the same, and that both have no note.
    try await foods(["Tea,1,a", "Tea,9,z", "Tea,8,"], into: phone)
    #expect(calories(phone) == before.merging(["f-Tea~4": "8", "f-Tea~5": "9"]) { $1 })
  }

  @Test func `a changed amount of a day continues the thing of that day`() async throws {
    let phone = try await phone()
    try await importing(
      ["Water,2026-02-01,250", "Water,2026-02-01,100"], "name,day,ml", Self.drinks, into: phone)
    try await importing(
      ["Water,2026-02-01,250", "Water,2026-02-01,300"], "name,day,ml", Self.drinks, into: phone)
    let drinks = phone.store.snapshot.entities("hydration")
    #expect(drinks.flatMap(\.days).compactMap { $0["ml"]?.text }.sorted() == ["250", "300"])
  }

  @Test func `two devices that read the rows in other orders agree`() async throws {
    let (phone, tablet) = (try await phone(), try await self.phone("tablet", seed: 2))
    let rows = ["Tea,3,a", "Tea,1,b", "Tea,2,c"]
    try await foods(rows, into: phone)
    try await foods(rows.reversed(), into: tablet)
    _ = try await phone.sync(with: tablet)
    for device in [phone, tablet] {
      #expect(device.store.snapshot.conflicts.isEmpty && calories(device).count == 3)
    }
  }

  @Test func `rows of one day in another order continue the same things`() async throws {
    let phone = try await phone()
    let rows = [
      "Water,2026-02-01,250", "Water,2026-02-01,100", "Water,2026-02-02,300", "Tea,2026-02-01,5",
    ]
    func amounts() -> [String] {
      phone.store.snapshot.entities("hydration").flatMap { drink in
        drink.days.map { "\(drink.id.key) \($0.day) \($0["ml"]?.text ?? "")" }
      }
    }
    try await importing(rows, "name,day,ml", Self.drinks, into: phone)
    let before = amounts()
    #expect(before.count == 4)
    let count = phone.store.snapshot.eventCount
    try await importing(rows.reversed(), "name,day,ml", Self.drinks, into: phone)
    #expect(amounts() == before && phone.store.snapshot.eventCount == count)
    try await importing(
      ["Water,2026-02-01,7"] + rows.reversed(), "name,day,ml", Self.drinks, into: phone)
    #expect(amounts().count == 5 && Set(before).isSubset(of: amounts()))
  }
}
