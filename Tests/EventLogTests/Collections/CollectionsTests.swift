import EventLog
import EventLogCollections
import Testing

/// The declarations that come with the library.
@Suite struct CollectionsTests {
  /// The fields of all built-in collections, each with where it is declared.
  private static let fields = SchemaCatalog.bundled.collections.flatMap { collection in
    (collection.fields + collection.dayFields).map { (collection.kind, $0) }
  }

  @Test func `a link leads to a kind that is built in`() {
    var count = 0
    for (kind, field) in Self.fields {
      guard case .register(.entity(let target)) = field.mechanism else { continue }
      count += 1
      #expect(SchemaCatalog.bundled.collection(kind: target) != nil, "\(kind).\(field.name)")
    }
    #expect(count > 0)
  }

  @Test func `the core comes first, and apps choose the rest`() {
    let core = SchemaCatalog.standard.collections
    #expect(Array(SchemaCatalog.bundled.collections.prefix(core.count)) == core)
  }

  @Test func `a habit without fields is done once a day`() {
    let habit = Habit.schema.record { _ in nil }
    #expect(habit.goal == 1 && habit.schedule == .daily && !habit.archived)
    let day = Habit.schema.daily { ["progress": 3, "skipped": "ill"][$0] }
    #expect(day.progress == 3 && day.skipped == "ill")
    // Another app may have written anything where any value may stand.
    let odd = Habit.schema.record { ["icon": 5, "position": "x", "name": "Read"][$0] }
    #expect(odd.icon == nil && odd.position == nil && odd.name == "Read")
  }

  @Test func `ending a fast on two devices is a conflict about its end`() throws {
    var fast = Fast()
    fast.end = Timestamp("2026-01-28T12:00:00Z")
    fast.plan = ID("usual")
    let events = try SchemaCatalog.bundled.events(
      for: Fast.schema.changes(from: Fast(), to: fast), kind: "fast", entity: EntityID("fast/a"))
    #expect(events.map(\.type) == ["fast.edited"])
    #expect(
      events.first?.data == ["end": "2026-01-28T12:00:00.000Z", "plan": "fasting-plan/usual"])
  }

  @Test func `the foods of a reaction are a set of links`() throws {
    var reaction = Reaction()
    reaction.foods = [ID("oats")!, ID("milk")!]
    #expect(
      try Reaction.schema.changes(from: Reaction(), to: reaction)
        == [.include(field: "foods", ["food/milk", "food/oats"])])
    #expect(
      Reaction.schema.record { $0 == "foods" ? ["food/oats", "weight/a"] : nil }.foods.count == 1)
  }
}
