import EventLog
import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

/// The samples of the page on modeling compile and behave as described.
@Suite struct ModellingPageTests {
  // Docs: begin
  struct Plant: Record {
    var name = ""
    var light: Int?
    var repotted: Day?
    var cuttings = Counter<Int>()
    var pests: Set<String> = []

    struct Daily: DailyRecord {
      var ml = Counter<Int>()
      var mood: String?
    }

    static let schema = Schema<Plant>(
      "plant",
      [
        .register("name", \.name),
        .register("light", \.light, .integer(1...5), note: "1: shade"),
        .register("repotted", \.repotted), .counter("cuttings", \.cuttings),
        .members("pests", \.pests),
      ],
      days: [.counter("ml", \.ml), .register("mood", \.mood)])
  }
  // Docs: end

  @Test func `an edit writes each changed field by its mechanism`() async throws {
    let store = try await TemporaryStore(records: Plant.self)
    // Docs: begin
    let fern = try await store.create(Plant.self) { $0.name = "Fern" }.id
    try await store.edit(fern) {
      $0.light = 2  // writes a register
      $0.cuttings += 3  // adds 3 to a counter
      $0.pests.insert("lice")  // adds a member to a set
    }
    try await store.set(\.cuttings, of: fern, to: 5)  // sets the total of a counter
    try await store.delete(fern)  // hides the plant
    try await store.restore(fern)  // shows it again
    // Docs: end
    let plant = try #require(store.snapshot[fern])
    #expect(plant.light == 2 && plant.cuttings.value == 5 && plant.pests == ["lice"])
    #expect(
      try store.events().map(\.type) == [
        "device.joined", "plant.created", "plant.edited", "plant.advanced", "plant.included",
        "plant.edited", "plant.deleted", "plant.restored",
      ])
  }

  // Docs: begin
  struct Order: Record {
    enum Status: String, JSONConvertible { case open, shipped }
    struct Address: Codable { var street = "", town = "" }

    var plant: ID<Plant>?
    var price: Decimal?
    var status = Status.open
    var address: Address?

    static let schema = Schema<Order>(
      "order",
      [
        .register("plant", \.plant), .register("price", \.price),
        .register("status", \.status), .register("address", coding: \.address),
      ])
  }
  // Docs: end

  @Test func `fields of all types survive a restart`() async throws {
    let store = try await TemporaryStore(records: Order.self)
    let order = try await store.create(Order.self) {
      $0.plant = ID("fern")
      $0.price = Decimal(string: "12.50")
      $0.status = .shipped
      $0.address = .init(street: "Main Street 1", town: "Springfield")
    }.id
    try await store.reopen()
    let read = try #require(store.snapshot[order])
    #expect(read.plant == ID("fern") && read.price == Decimal(string: "12.5"))
    #expect(read.status == .shipped && read.address?.town == "Springfield")
    try await store.edit(order) { $0.address = nil }
    #expect(store.snapshot[order]?.address == nil)
  }

  // MARK: - Later versions

  /// The same record with a stricter rule for `light` than the released one.
  private struct Strict: Record {
    var name = ""
    var light: Int?
    static let schema = Schema<Strict>(
      "plant", [.register("name", \.name), .register("light", \.light, .integer(1...2))])
  }

  @Test func `a value that breaks a rule added later isn't shown`() async throws {
    let old = try await TemporaryStore(records: Plant.self)
    try await old.create(Plant.self, key: "fern") { $0.name = "Fern" }
    try await old.edit(ID<Plant>("fern")!) {
      $0.name = "Tall fern"
      $0.light = 3
    }
    let lines = try old.lines().joined(separator: "\n") + "\n"
    let strict = try RecordedJournal(text: lines, records: Strict.self)
    let fern = ID<Strict>("fern")!
    let shown = try #require(strict.snapshot.stored(fern))
    #expect(shown.name == "Tall fern" && shown.light == nil && shown.unreadable == ["light"])
  }

  /// Another version of an enum in a record.
  private struct Parcel: Record {
    enum Status: String, JSONConvertible { case open, shipped, returned }
    var status = Status.open
    static let schema = Schema<Parcel>("order", [.register("status", \.status)])
  }

  @Test func `an unknown case of an enum reads as the default and is kept`() async throws {
    let new = try await TemporaryStore(device: "new", records: Parcel.self)
    try await new.create(Parcel.self, key: "a") { $0.status = .returned }
    let lines = try new.lines().joined(separator: "\n") + "\n"
    let old = try await TemporaryStore(
      continuing: RecordedJournal(text: lines, records: Order.self), device: "old")
    let order = ID<Order>("a")!
    #expect(old.snapshot[order]?.status == .open)
    try await old.edit(order) { $0.price = 12 }
    try await new.sync(with: old)
    #expect(new.snapshot[ID<Parcel>("a")!]?.status == .returned)
  }

  // MARK: - Days, singletons, several records

  @Test func `fields of a day are written and read`() async throws {
    let store = try await TemporaryStore(records: Plant.self)
    let fern = try await store.create(Plant.self) { $0.name = "Fern" }.id
    // Docs: begin
    let today = Day.today
    try await store.edit(fern, on: today) { $0.ml += 250 }
    try await store.edit(fern, on: today.advanced(by: -1)) { $0.mood = "droopy" }
    let ml = store.snapshot[fern, today].ml.value  // 250
    // Docs: end
    #expect(ml == 250 && store.snapshot.days(of: fern).map(\.mood) == ["droopy", nil])
    try await store.add(50, to: \.ml, of: fern, on: today)
    #expect(store.snapshot[fern, today].ml.value == 300)
  }

  // Docs: begin
  struct Household: Record {
    var language: String?

    static let schema = Schema<Household>(
      singleton: "household", [.register("language", \.language)])
  }
  // Docs: end

  @Test func `a store opens several records, including a singleton`() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    // Docs: begin
    let store = try await EventStore.open(
      url, user: "ada", records: Plant.self, Order.self, Household.self)
    try await store.edit(Household.self) { $0.language = "de" }
    let language = store.snapshot[Household.self].language
    // Docs: end
    #expect(language == "de")
    // A record that the store wasn't opened with.
    let error = await #expect(throws: EventLogError.self) { try await store.create(Bottle.self) }
    #expect(error?.code == .invalidSchema)
    try await store.close()

    let path = folder.file("plants.json")
    // Docs: begin
    let file = CollectionSchema.file([Plant.schema.collection])
    try file.text.write(toFile: path, atomically: true, encoding: .utf8)
    // Docs: end
    let written = try CollectionSchema.collections(parsing: Data(contentsOf: URL(filePath: path)))
    let page = try String(
      contentsOf: SourceTree.top.appendingPathComponent("Docs/Guides/Modelling.md"),
      encoding: .utf8)
    let block = try #require(page.components(separatedBy: "\n```json\n").dropFirst().first)
    let shown = block.components(separatedBy: "\n```")[0]
    #expect(try CollectionSchema.collections(parsing: shown.utf8) == written)
    #expect(written == [Plant.schema.collection])
  }

  // MARK: - Event types

  // Docs: begin
  struct Bottle: Record {
    var name = ""
    var ml = Counter<Int>()

    static let schema = Schema<Bottle>(
      "bottle", [.register("name", \.name), .counter("ml", \.ml)],
      events: [
        EventSchema("bottle.bought", writesFields: true, lifecycle: .begins, summary: "Begins."),
        EventSchema(
          "bottle.filled", [MemberSchema("by", .advance(field: "ml"))], summary: "Adds to ml."),
      ])
  }
  // Docs: end

  @Test func `an edit writes the event types that a collection declares`() async throws {
    let store = try await TemporaryStore(records: Bottle.self)
    let bottle = try await store.create(Bottle.self) { $0.name = "Flask" }.id
    try await store.edit(bottle) { $0.ml += 500 }
    #expect(
      try store.events().map(\.type) == ["device.joined", "bottle.bought", "bottle.filled"])
    #expect(store.snapshot[bottle]?.ml.value == 500)
    // No event type of the collection renames a bottle.
    await #expect(throws: EventLogError.self) { try await store.edit(bottle) { $0.name = "Cup" } }
  }

  struct Choices: Record {
    var theme = "light"
    var allergens: Set<String> = []

    static let schema = Schema<Choices>(
      of: .settings, [.register("theme", \.theme), .members("allergens", \.allergens)])
  }

  @Test func `a record reads and writes keys of the settings`() async throws {
    let store = try await TemporaryStore(records: Choices.self)
    try await store.edit(Choices.self) {
      $0.theme = "dark"
      $0.allergens.insert("nuts")
    }
    #expect(store.snapshot[Choices.self].theme == "dark")
    #expect(try store.events().map(\.type).suffix(2) == ["settings.changed", "settings.included"])
  }
}
