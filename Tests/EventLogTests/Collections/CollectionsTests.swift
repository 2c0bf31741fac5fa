import EventLog
import EventLogCollections
import Foundation
import Testing

/// The declarations included in the library.
@Suite struct CollectionsTests {
  /// The fields of all bundled collections, each with its kind.
  private static let fields = SchemaCatalog.bundled.collections.flatMap { collection in
    (collection.fields + collection.dayFields).map { (collection.kind, $0) }
  }

  @Test func `every link of a bundled collection leads to a bundled kind`() {
    var count = 0
    for (kind, field) in Self.fields {
      guard case .register(.entity(let target)) = field.mechanism else { continue }
      count += 1
      #expect(SchemaCatalog.bundled.collection(kind: target) != nil, "\(kind).\(field.name)")
    }
    #expect(count > 0)
  }

  @Test func `the bundled catalog starts with the standard collections`() {
    let core = SchemaCatalog.standard.collections
    #expect(Array(SchemaCatalog.bundled.collections.prefix(core.count)) == core)
  }

  @Test func `a habit without fields is due once a day`() {
    let habit = Habit.schema.record { _ in nil }
    #expect(habit.goal == 1 && habit.schedule == .daily && !habit.archived)
    let day = Habit.schema.daily { ["progress": 3, "skipped": "ill"][$0] }
    #expect(day.progress.value == 3 && day.skipped == "ill")
    // Another app may have written any value to a field without a rule.
    let odd = Habit.schema.record { ["icon": 5, "position": "x", "name": "Read"][$0] }
    #expect(odd.icon == nil && odd.position == nil && odd.name == "Read")
  }

  @Test func `the end and plan of a fast are changed by one event`() throws {
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
