import EventLog
import EventLogCollections
import EventLogTesting
import Testing

/// Plans the events that make a change.
@Suite struct EventPlanTests {
  private static let catalog = SchemaCatalog.withFood

  /// Returns `type data` of each event, or the sentence of the refusal.
  private func plan(
    _ kind: String, _ changes: [FieldChange], day: String? = nil,
    _ lifecycle: EventSchema.Lifecycle = .none
  ) -> [String] {
    let isSingleton = Self.catalog.collection(kind: kind)?.isSingleton ?? true
    do throws(EventLogError) {
      return try Self.catalog.events(
        for: changes, kind: kind, entity: isSingleton ? nil : EntityID("\(kind)/a"),
        day: day.flatMap(Day.init), lifecycle: lifecycle
      ).map { "\($0.type) \(JSONValue.object($0.data).text)" }
    } catch {
      return [[error.message, error.hint].compactMap { $0 }.joined(separator: " ")]
    }
  }

  @Test func `derived types express changes in as few events as possible`() {
    #expect(
      plan(
        "meal",
        [
          .write(field: "name", "Soup"), .set(field: "servings", 2), .write(field: "kcal", .null),
        ]) == [#"meal.edited {"name":"Soup","servings":2,"kcal":null}"#])
    #expect(
      plan("meal", [.write(field: "name", "Soup"), .include(field: "tags", ["a"])], .begins) == [
        #"meal.created {"name":"Soup"}"#, #"meal.included {"key":"tags","members":["a"]}"#,
      ])
    #expect(plan("meal", [], .begins) == ["meal.created {}"])
    #expect(
      plan("meal", [.advance(field: "servings", -1)]) == [#"meal.advanced {"servings":-1}"#])
    #expect(
      plan("meal", [.include(field: "tags", ["a", "b"]), .exclude(field: "tags", ["c"])]) == [
        #"meal.included {"key":"tags","members":["a","b"]}"#,
        #"meal.excluded {"key":"tags","members":["c"]}"#,
      ])
    #expect(plan("meal", [], .deletes) == ["meal.deleted {}"])
    #expect(plan("meal", [], .restores) == ["meal.restored {}"])
    #expect(plan("meal", []) == [])
    #expect(
      plan("diet", [.write(field: "plan", "x"), .set(field: "cheats", 1)]) == [
        #"diet.changed {"plan":"x","cheats":1}"#
      ])
  }

  @Test func `a change to a day's fields names the day`() {
    #expect(
      plan(
        "meal", [.write(field: "mood", "good"), .set(field: "ml", 5)], day: "2026-01-28") == [
          #"meal.recorded {"date":"2026-01-28","mood":"good","ml":5}"#
        ])
    #expect(
      plan(
        "meal", [.advance(field: "ml", 5), .include(field: "symptoms", ["x"])], day: "2026-01-28")
        == [
          #"meal.advanced {"date":"2026-01-28","ml":5}"#,
          #"meal.included {"date":"2026-01-28","key":"symptoms","members":["x"]}"#,
        ])
  }

  @Test func `event types declared by a schema are found by their effects`() {
    #expect(
      plan("habit", [.write(field: "name", "Read"), .write(field: "archived", true)]) == [
        #"habit.edited {"name":"Read"}"#, "habit.archived {}",
      ])
    #expect(plan("habit", [.write(field: "archived", false)]) == ["habit.unarchived {}"])
    #expect(plan("habit", [.write(field: "mine", 1)]) == [#"habit.edited {"mine":1}"#])
    #expect(
      plan("habit", [.set(field: "progress", 3)], day: "2026-01-28") == [
        #"completion.recorded {"date":"2026-01-28","progress":3}"#
      ])
    #expect(
      plan("habit", [.advance(field: "progress", 3)], day: "2026-01-28") == [
        #"completion.advanced {"date":"2026-01-28","by":3}"#
      ])
    #expect(
      plan("habit", [.write(field: "skipped", "ill")], day: "2026-01-28") == [
        #"completion.skipped {"date":"2026-01-28","reason":"ill"}"#
      ])
    #expect(plan("profile", [.write(field: "age", 5)]) == [#"profile.updated {"age":5}"#])
    #expect(
      plan("settings", [.write(field: "id", 5), .exclude(field: "t", ["a"])]) == [
        #"settings.changed {"id":5}"#, #"settings.excluded {"key":"t","members":["a"]}"#,
      ])
  }

  @Test func `a change that no event type can make is refused with its field`() {
    #expect(
      plan("habit", [.write(field: "archived", .null)]) == [
        #"habit refuses the change: none of its types changes "archived" in this way."#
          + " Nothing was written. Declare an event type that does, or none at all: then they are"
          + " derived."
      ])
    #expect(
      plan("habit", [.write(field: "contested", 1)])[0].contains(
        #"changes "contested" in this way"#))
    #expect(
      plan("meal", [.write(field: "servings", 1)])[0].contains(
        #""servings" is a counter, not a register"#))
    #expect(plan("meal", [.write(field: "ml", 1)])[0].contains(#""ml" is a field of a day"#))
    #expect(
      plan("meal", [.write(field: "name", "x")], day: "2026-01-28")[0]
        .contains(#""name" is not a field of a day"#))
    #expect(
      plan("meal", [.write(field: "nmae", "x")])[0].hasSuffix(
        #"it has no field "nmae". Nothing was written. Did you mean "name"?"#))
    #expect(
      plan("meal", [.advance(field: "servings", 1), .set(field: "servings", 1)])[0]
        .contains(#""servings" is changed twice"#))
    #expect(plan("diet", [], .deletes)[0].contains("none of its types deletes one"))
    #expect(plan("mael", [])[0].hasSuffix(#"Did you mean "meal"?"#))
  }

  @Test func `a change to a value writes a register or sets a counter`() throws {
    let meal = CollectionSchema.meal
    #expect(try meal.change(of: "name", to: "x") == .write(field: "name", "x"))
    #expect(try meal.change(of: "servings", to: 3) == .set(field: "servings", 3))
    #expect(try meal.change(of: "ml", ofDay: true, to: 3) == .set(field: "ml", 3))
    #expect(try CollectionSchema.settings.change(of: "x", to: 3) == .write(field: "x", 3))
    #expect(throws: EventLogError.self) { try meal.change(of: "servings", to: -1) }
    #expect(throws: EventLogError.self) { try meal.change(of: "tags", to: []) }
  }

  @Test func `an append accepts planned events, and they show in the state`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    let store = try await EventStore.open(
      path: path, options: JournalOptions(user: "ada"), catalog: Self.catalog)
    let meal = EntityID("meal/a")!
    let day = Day("2026-01-28")!
    func write(
      _ changes: [FieldChange], on day: Day? = nil,
      _ lifecycle: EventSchema.Lifecycle = .none
    ) async throws {
      _ = try await store.append(
        Self.catalog.events(
          for: changes, kind: "meal", entity: meal, day: day, lifecycle: lifecycle))
    }
    try await write(
      [.write(field: "name", "Soup"), .set(field: "servings", 2), .include(field: "tags", ["a"])],
      .begins)
    try await write([.advance(field: "servings", 1), .exclude(field: "tags", ["a"])])
    try await write(
      [.set(field: "ml", 5), .write(field: "mood", "good"), .include(field: "symptoms", ["x"])],
      on: day)
    try await write([.advance(field: "ml", 2)], on: day)
    let entity = try #require(store.snapshot.entities("meal").first)
    #expect(entity["name"] == "Soup")
    #expect(entity["servings"] == 3)
    #expect(entity["tags"] == [])
    #expect(entity.days.map(\.day) == [day])
    #expect(entity.days[0]["ml"] == 7)
    #expect(entity.days[0]["mood"] == "good")
    #expect(entity.days[0]["symptoms"] == ["x"])
  }
}
