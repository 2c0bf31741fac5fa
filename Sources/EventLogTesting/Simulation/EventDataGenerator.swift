import EventLog

/// Makes up what events say, by the rules of their types.
struct EventDataGenerator {
  /// The few entities and days that there are: of many, no two devices would write the same.
  static let keys = ["a", "b", "c"]
  private static let dates = ["2026-01-28", "2026-01-29"]

  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  /// Values of every kind, so that each field takes one of them.
  mutating func values() -> [JSONValue] {
    let number = JSONNumber(Int64.random(in: 1...9, using: &random))
    let values: [JSONValue] = [
      .number(number), word(), .bool(chance(2)), date(), "1/1", "2026-01-28T09:12:33Z",
      .array([]),
    ]
    return values.shuffled(using: &random)
  }

  /// Data that the type allows, though not always here and now.
  mutating func make(
    _ schema: EventSchema, _ collection: CollectionSchema
  ) -> JSONObject {
    let day = schema.members.first { $0.role == .day }
    let isOfDay = day.map { $0.isRequired || chance(2) } ?? false
    var members: [JSONObject.Member] = []
    if isOfDay, let day { members.append(.init(name: day.name, value: date())) }
    let others = schema.members.filter { member in
      member.role != .day && (day == nil || isAbout(member, ofDay: isOfDay, collection))
    }
    // At least one of those that may be left out: an event that changes nothing says nothing.
    let chosen = others.filter { !$0.isRequired }.randomElement(using: &random)
    for member in others where member.isRequired || member.name == chosen?.name || chance(3) {
      members.append(
        .init(name: member.name, value: value(of: member, ofDay: isOfDay, collection)))
    }
    if schema.writesFields { members += registers(besides: members, collection) }
    return JSONObject(members)
  }

  /// Whether a member changes something of the day, or something of the entity.
  private func isAbout(
    _ member: MemberSchema, ofDay isOfDay: Bool, _ collection: CollectionSchema
  ) -> Bool {
    switch member.role {
    case .write(let field), .set(let field), .advance(let field):
      collection.field(field, ofDay: isOfDay) != nil
    case .day, .key, .include, .exclude: true
    }
  }

  private mutating func registers(
    besides members: [JSONObject.Member], _ collection: CollectionSchema
  ) -> [JSONObject.Member] {
    var names = collection.fields.filter(\.mechanism.isRegister).map(\.name)
    if collection.takesFurtherFields { names += ["further1", "further2"] }
    names.removeAll { name in members.contains { $0.name == name } }
    return names.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)).map {
      .init(name: $0, value: value(ofRegister: $0, collection))
    }
  }

  private mutating func value(
    of member: MemberSchema, ofDay isOfDay: Bool, _ collection: CollectionSchema
  ) -> JSONValue {
    switch member.role {
    case .day: return date()
    case .set: return .number(JSONNumber(Int64.random(in: 0...9, using: &random)))
    case .advance: return .number(JSONNumber(Int64.random(in: -2...5, using: &random)))
    case .key:
      // Else a name that no register has: what is both is told apart by whole journals only.
      let declared = (isOfDay ? collection.dayFields : collection.fields)
        .filter { $0.mechanism == .members }.map(\.name)
      return .string(declared.randomElement(using: &random) ?? "set")
    case .include, .exclude:
      return .array(["x", "y"].filter { _ in chance(2) }.map { .string($0) })
    case .write(let field): return value(ofRegister: field, collection)
    }
  }

  private mutating func value(
    ofRegister field: String, _ collection: CollectionSchema
  ) -> JSONValue {
    if chance(12) { return .null }
    let declared = collection.field(field) ?? collection.field(field, ofDay: true)
    guard case .register(let rule)? = declared?.mechanism else { return any() }
    return value(rule)
  }

  private mutating func date() -> JSONValue {
    .string(Self.dates.randomElement(using: &random)!)
  }

  private mutating func any() -> JSONValue {
    chance(2) ? .number(JSONNumber(Int64.random(in: 0...3, using: &random))) : word()
  }

  private mutating func word() -> JSONValue {
    .string(["one", "two", "three"].randomElement(using: &random)!)
  }

  private mutating func value(_ rule: ValueRule) -> JSONValue {
    switch rule {
    case .any: return any()
    case .text: return word()
    case .number, .quantity:
      return .number(JSONNumber(Int64.random(in: 0...3, using: &random)))
    case .integer(let bounds):
      let most = min(bounds.upperBound, max(bounds.lowerBound, bounds.lowerBound &+ 3))
      return .number(JSONNumber(Int64.random(in: bounds.lowerBound...most, using: &random)))
    case .boolean: return .bool(chance(2))
    case .date: return date()
    case .schedule: return .string(["1/1", "3/7"].randomElement(using: &random)!)
    case .time: return "2026-01-28T09:12:33Z"
    case .entity(let kind): return .string("\(kind)/\(Self.keys.randomElement(using: &random)!)")
    case .list(let rule):
      return .array((0..<Int.random(in: 0...2, using: &random)).map { _ in value(rule) })
    }
  }
}
