import EventLog
import Testing

/// Derives event types from a kind and its fields.
@Suite struct DerivedEventsTests {
  private static let name = FieldSchema("name", .register(.text))
  private static let count = FieldSchema("count", .counter)
  private static let tags = FieldSchema("tags", .members)
  private static let mood = FieldSchema("mood", .register(.text))
  private static let ml = FieldSchema("ml", .counter)
  private static let pains = FieldSchema("pains", .members)

  /// Each type as `type: members`; optional members in brackets, `…` if it writes fields.
  private func types(
    _ fields: [FieldSchema], days: [FieldSchema] = [], isSingleton: Bool = false,
    further: Bool = false
  ) -> [String] {
    CollectionSchema(
      kind: "thing", isSingleton: isSingleton, fields: fields, takesFurtherFields: further,
      dayFields: days
    ).events.map { event in
      let members = event.members.map { $0.isRequired ? $0.name : "[\($0.name)]" }
      let all = members + (event.writesFields ? ["…"] : [])
      return ([String(event.type.dropFirst("thing.".count)) + ":"] + all).joined(separator: " ")
    }
  }

  @Test func `the event types of an entity follow from its fields`() {
    #expect(types([]) == ["created:", "deleted:", "restored:"])
    #expect(types([], further: true) == ["created: …", "edited: …", "deleted:", "restored:"])
    #expect(types([Self.name]) == ["created: …", "edited: …", "deleted:", "restored:"])
    #expect(
      types([Self.count]) == [
        "created: [count]", "edited: [count]", "deleted:", "restored:", "advanced: [count]",
      ])
    #expect(
      types([Self.tags]) == [
        "created:", "deleted:", "restored:", "included: key members", "excluded: key members",
      ])
    #expect(
      types([Self.name, Self.count, Self.tags]) == [
        "created: [count] …", "edited: [count] …", "deleted:", "restored:", "advanced: [count]",
        "included: key members", "excluded: key members",
      ])
  }

  @Test func `a date is required if only days have such a field, and optional otherwise`() {
    #expect(
      types([Self.name], days: [Self.mood]) == [
        "created: …", "edited: …", "deleted:", "restored:", "recorded: date [mood]",
      ])
    #expect(
      types([Self.name], days: [Self.ml, Self.pains]) == [
        "created: …", "edited: …", "deleted:", "restored:", "recorded: date [ml]",
        "advanced: date [ml]", "included: date key members", "excluded: date key members",
      ])
    #expect(
      types([Self.count, Self.tags], days: [Self.ml, Self.pains]).suffix(3) == [
        "advanced: [date] [count] [ml]", "included: [date] key members",
        "excluded: [date] key members",
      ])
    #expect(types([Self.name], days: [Self.pains]).contains { $0.hasPrefix("recorded") } == false)
  }

  @Test func `a singleton has no lifecycle events`() {
    #expect(types([Self.name], isSingleton: true) == ["changed: …"])
    #expect(
      types([Self.tags], isSingleton: true) == [
        "included: key members", "excluded: key members",
      ])
    #expect(
      types([Self.name, Self.count, Self.tags], isSingleton: true) == [
        "changed: [count] …", "advanced: [count]", "included: key members",
        "excluded: key members",
      ])
  }

  @Test func `the default section is the plural of the kind, or a singleton's kind`() {
    func section(_ kind: String, isSingleton: Bool = false) -> String {
      CollectionSchema(kind: kind, isSingleton: isSingleton, fields: []).section
    }
    #expect(section("food") == "foods")
    #expect(section("entry") == "entries")
    #expect(section("day") == "days")
    #expect(section("box") == "boxes")
    #expect(section("dish") == "dishes")
    #expect(section("y") == "ys")
    #expect(section("favourites", isSingleton: true) == "favourites")
  }
}
