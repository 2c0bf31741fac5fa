import EventLog
import EventLogCollections
import EventLogTesting
import Testing

/// The library's standard example: an app's own collection in a few lines.
struct Food: Record {
  var name = "", kcal = 0, servings = Counter<Int>()
  var tags: Set<String> = []
  static let schema = Schema<Food>(
    "food",
    [
      .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
      .members("tags", \.tags),
    ])
}

/// A property of every supported type, and links to the record's own type.
private struct Kitchen: Record, Equatable {
  enum Mood: String, JSONConvertible { case good, bad }
  enum Level: Int, JSONConvertible {
    case low = 1
    case high
  }
  var text = "none"
  var whole = 7
  var real = 1.5
  var flag = true
  var day = Day("2026-01-28")!
  var time = Timestamp("2026-01-28T12:00:00Z")!
  var schedule = Schedule("3/7")!
  var mood = Mood.good
  var level: Level? = .low
  var words = ["a"]
  var link: ID<Kitchen>?
  var food: ID<Food>?
  var any: JSONValue = .null
  var count = Counter<Int>()
  var moods: Set<Mood> = []
  var links: Set<ID<Kitchen>> = []

  struct Daily: DailyRecord, Equatable {
    var ml = Counter<Int>()
    var note: String?
    var pains: Set<String> = []
  }

  static let schema = Schema<Kitchen>(
    "kitchen",
    [
      .register("text", \.text), .register("whole", \.whole), .register("real", \.real),
      .register("flag", \.flag), .register("day", \.day), .register("time", \.time),
      .register("schedule", \.schedule), .register("mood", \.mood), .register("level", \.level),
      .register("words", \.words), .register("link", \.link), .register("food", \.food),
      .register("any", \.any), .counter("count", \.count), .members("moods", \.moods),
      .members("links", \.links),
    ],
    days: [.counter("ml", \.ml), .register("note", \.note), .members("pains", \.pains)])
}

@Suite struct RecordTests {
  @Test func `the rule of a register follows from the property's type`() throws {
    let rules: [String: String] = Dictionary(
      uniqueKeysWithValues: Kitchen.schema.collection.fields.map {
        ($0.name, $0.mechanism.spelling)
      })
    #expect(
      rules == [
        "text": "text", "whole": "integer", "real": "number", "flag": "boolean", "day": "date",
        "time": "time", "schedule": "schedule", "mood": "text", "level": "integer",
        "words": "list of text", "link": "entity kitchen", "food": "entity food", "any": "any",
        "count": "counter", "moods": "members", "links": "members",
      ])
    _ = try SchemaCatalog.standard.adding([Kitchen.schema.collection, Food.schema.collection])
  }

  @Test func `the differences between two records are changes that produce the second one`() throws
  {
    var new = Kitchen()
    new.text = "é"
    new.whole = -3
    new.real = 2
    new.flag = false
    new.day = Day("2024-02-29")!
    new.time = Timestamp("2026-01-28T12:00:00.500+02:00")!
    new.schedule = .daily
    new.mood = .bad
    new.level = nil
    new.words = []
    new.link = ID("self")
    new.food = ID("oats")
    new.any = ["k": [1, 2.5.json]]
    new.count += 3
    new.moods = [.good]
    new.links = [ID("b")!, ID("a")!]
    let changes = try Kitchen.schema.changes(from: Kitchen(), to: new)
    #expect(changes.count == Kitchen.schema.fields.count)
    #expect(Kitchen.schema.record(Self.lookup(changes)) == new)
    #expect(try Kitchen.schema.changes(from: new, to: new).isEmpty)
    #expect(changes.contains(.write(field: "link", "kitchen/self")))
    #expect(changes.contains(.include(field: "links", ["kitchen/a", "kitchen/b"])))

    var day = Kitchen.Daily()
    day.ml += 250
    day.pains = ["head"]
    let ofDay = try Kitchen.schema.changes(from: Kitchen.Daily(), to: day)
    #expect(ofDay == [.advance(field: "ml", 250), .include(field: "pains", ["head"])])
    #expect(Kitchen.schema.daily(Self.lookup(ofDay)) == day)
    #expect(
      try Kitchen.schema.changes(from: day, to: Kitchen.Daily())
        == [.advance(field: "ml", -250), .exclude(field: "pains", ["head"])])
  }

  /// Returns the values shown after `changes` of an empty record.
  private static func lookup(_ changes: [FieldChange]) -> (String) -> JSONValue? {
    { name in
      for change in changes where change.field == name {
        switch change {
        case .write(_, let value): return value
        case .set(_, let count): return count.map { .number($0.number) }
        case .advance(_, let count): return .number(count.number)
        case .include(_, let members): return .array(members.map { .string($0) })
        case .exclude: continue
        }
      }
      return nil
    }
  }

  @Test func `a value of the wrong type reads as the record's initial value`() throws {
    let wrong: [JSONValue] = [
      .null, true, "x", 5, .spelled("1.5"), .spelled("1e999"), .spelled("99999999999999999999"),
      [1], ["a", 1], [:], "2026-02-30", "kitchen/", "other/a", "9/7",
    ]
    for value in wrong {
      let read = Kitchen.schema.record { _ in value }
      // Reading never traps; a text is read as text, and anything else gives the initial value.
      if case .string(let text) = value {
        #expect(read.text == text)
      } else {
        #expect(read.text == "none")
      }
      #expect(read.mood == .good)
      #expect(read.link == nil)
      #expect(read.day == Day("2026-01-28"))
    }
    #expect(Kitchen.schema.record { _ in .spelled("1e999") }.real == 1.5)
    #expect(Kitchen.schema.record { _ in .spelled("1.5") }.whole == 7)
    #expect(Kitchen.schema.record { _ in .null }.level == nil)
    #expect(Kitchen.schema.record { _ in ["good", "strange", 5] }.moods == [.good])
  }

  @Test func `a number is written in its shortest spelling and round-trips`() {
    for seed in RandomRounds(2000) {
      var generator = SplitMix64(seed: seed)
      let value = Double(bitPattern: generator.next())
      if value.isFinite {
        #expect(Double(json: value.json) == value, "EVENTLOG_SEED=\(seed)")
        #expect(throws: Never.self) { try JSONValue(parsing: value.json.text.utf8) }
      } else {
        #expect(value.json == .null)
      }
    }
    #expect(70.0.json.text == "70")
    #expect(0.1.json.text == "0.1")
    #expect((-0.0).json.text == "0")
    #expect(1e300.json.text == "1e+300")
  }

  @Test func `a key path maps to the name of its field`() {
    #expect(Food.schema.fieldName(\.kcal) == "kcal")
    #expect(Food.schema.fieldName(\.name.count) == nil)
    #expect(Kitchen.schema.dayFieldName(\.ml) == "ml")
  }

  @Test func `an ID has the kind of its record`() throws {
    let oats = try #require(ID<Food>("oats"))
    #expect(oats.entity == EntityID("food/oats"))
    #expect(ID<Food>(EntityID("kitchen/a")!) == nil)
    #expect(ID<Food>("a b") == nil)
    #expect(ID<Food>(json: "food/oats") == oats)
    #expect(ID<Food>(json: "oats") == nil)
  }

  @Test func `an app can declare the settings that it uses`() throws {
    struct Choices: Record {
      var theme = "light"
      var allergens: Set<String> = []
      static let schema = Schema<Choices>(
        of: .settings, [.register("theme", \.theme), .members("allergens", \.allergens)])
    }
    #expect(Choices.schema.collection == .settings)
    try Choices.schema.check()
    var dark = Choices()
    dark.theme = "dark"
    dark.allergens = ["nuts"]
    let events = try SchemaCatalog.standard.events(
      for: Choices.schema.changes(from: Choices(), to: dark), kind: "settings")
    #expect(events.map(\.type) == ["settings.changed", "settings.included"])
    #expect(events.map(\.data) == [["theme": "dark"], ["key": "allergens", "members": ["nuts"]]])
  }

  @Test func `a property whose mechanism differs from the declared field's is an error`() {
    struct Wrong: Record {
      var goal = Counter<Int>()
      static let schema = Schema<Wrong>(of: .habits, [.counter("goal", \.goal)])
    }
    #expect(throws: EventLogError.self) { try Wrong.schema.check() }
    #expect(throws: Never.self) { try Habit.schema.check() }
  }

  @Test func `a record is written and read through its schema`() async throws {
    let folder = try TemporaryFolder()
    let catalog = try SchemaCatalog.standard.adding([Food.schema.collection])
    let store = try await EventStore.open(
      path: folder.file("ada.jsonl"), options: JournalOptions(user: "ada"), catalog: catalog)
    let oats = try #require(ID<Food>("oats"))
    func write(_ old: Food, _ new: Food, _ lifecycle: EventSchema.Lifecycle = .none) async throws {
      _ = try await store.append(
        catalog.events(
          for: Food.schema.changes(from: old, to: new), kind: "food", entity: oats.entity,
          lifecycle: lifecycle))
    }
    func shown() throws -> Food {
      let entity = try #require(store.snapshot.entities("food").first)
      return Food.schema.record { entity[$0] }
    }
    var food = Food()
    food.name = "Oats"
    food.kcal = 370
    food.tags = ["grain"]
    try await write(Food(), food, .begins)
    try #expect(shown().name == "Oats" && shown().kcal == 370 && shown().tags == ["grain"])
    var edited = food
    edited.kcal = 380
    edited.servings += 2
    edited.tags = []
    try await write(food, edited)
    try #expect(shown().kcal == 380 && shown().servings.value == 2 && shown().tags.isEmpty)
    try #expect(shown().name == "Oats")
  }

  // MARK: - Properties without a field

  struct Half: Record {
    var name = ""
    var forgotten = 0
    var both: Int { forgotten + name.count }
    static let schema = Schema<Half>("half", [.register("name", \.name)])
  }

  @Test func `a change to a property without a field is refused with its name`() async throws {
    let store = try await TemporaryStore(records: Half.self)
    let created = await #expect(throws: EventLogError.self) {
      try await store.create(Half.self) { $0.forgotten = 9 }
    }
    #expect(created?.code == .invalidEvent)
    #expect(created?.message.contains("\"forgotten\" of Half") == true)
    #expect(created?.hint?.contains("Add the property to the schema") == true)
    let half = try await store.create(Half.self) { $0.name = "a" }.id
    let edited = await #expect(throws: EventLogError.self) {
      try await store.edit(half) { ($0.name, $0.forgotten) = ("b", 9) }
    }
    #expect(edited?.code == .invalidEvent && store.snapshot[half]?.name == "a")
    try await store.edit(half) { $0.name = "c" }
    #expect(store.snapshot[half]?.name == "c")
  }
}
