import EventLog
import EventLogCollections
import EventLogTesting

/// Generates random events that exercise every rule frequently.
///
/// It uses few entities, fields, values and times, so that events interact. Any value may break a
/// rule.
struct RandomDrafts: HistoryDrafts {
  private var generator: SplitMix64
  private let actions: [Action]
  /// Whether all events are about one entity and one day, so that more of them interact.
  private let isNarrow: Bool

  private enum Action: CaseIterable {
    case profile, settings, members, fields, archive, presence, day, food, meal, diet, foreign
  }

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    isNarrow = Bool.random(using: &generator)
    let chosen = Action.allCases.shuffled(using: &generator)
    actions = isNarrow ? Array(chosen.prefix(Int.random(in: 1...2, using: &generator))) : chosen
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements.randomElement(using: &generator)!
  }

  private mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &generator) < percent
  }

  // MARK: - Events

  mutating func next() -> EventDraft {
    switch pick(actions) {
    case .profile: return draft("profile.updated", nil, members(Self.profileFields))
    case .settings:
      return draft(
        "settings.changed", nil,
        members(["theme", "id", "tags", "é", "e\u{301}"]))
    case .members:
      return draft(
        pick(["settings.included", "settings.included", "settings.excluded"]), nil, change())
    case .fields:
      if happens(40) {
        return draft(
          pick(["habit.created", "habit.edited", "habit.edited"]), habit(),
          members(["goal", "target", "period", "schedule"])
            + (happens(80) ? [.init(name: "from", value: value(of: "from"))] : []))
      }
      return draft(pick(["habit.created", "habit.edited"]), habit(), members(Self.habitFields))
    case .archive: return draft(pick(["habit.archived", "habit.unarchived"]), habit(), extra())
    case .presence:
      return draft(pick(["habit.deleted", "habit.deleted", "habit.restored"]), habit(), extra())
    case .day: return day()
    case .food: return food()
    case .meal: return meal()
    case .diet: return diet()
    case .foreign: return foreign()
    }
  }

  private static let profileFields = ["firstName", "height", "birthday", "note", "id"]
  private static let habitFields = [
    "name", "goal", "schedule", "color", "archived", "progress", "date", "key", "from",
  ]

  private mutating func draft(
    _ type: String, _ entity: String?, _ data: [JSONObject.Member]
  ) -> EventDraft {
    var entity = entity
    if happens(4) { entity = pick([nil, "habit/a", "food/a", "meal/a", "other/a"]) }
    return EventDraft(
      at: time(), type: type, entity: entity.flatMap(EntityID.init), data: JSONObject(data))
  }

  /// Usually one of three adjacent times; sometimes the clock is wrong by years.
  private mutating func time() -> Timestamp {
    let noon = Timestamp("2026-01-28T12:00:00Z")!
    if happens(10) { return pick([Timestamp("0000-01-01T00:00:00Z")!, .last]) }
    return Timestamp(milliseconds: noon.milliseconds + Int64.random(in: 0...2, using: &generator))!
  }

  private mutating func habit() -> String { isNarrow ? "habit/a" : pick(["habit/a", "habit/b"]) }

  private mutating func day() -> EventDraft {
    var data = [JSONObject.Member(name: "date", value: date())]
    let type = pick(["completion.recorded", "completion.advanced", "completion.skipped"])
    let name = ["completion.recorded": "progress", "completion.advanced": "by"][type] ?? "reason"
    data.append(.init(name: name, value: name == "reason" ? value() : amount()))
    if happens(5) { data.removeLast() }
    if happens(5) { data.removeFirst() }
    return draft(type, habit(), data + extra())
  }

  private mutating func food() -> EventDraft {
    let type = pick(FoodTypes.all)
    switch type {
    case "food.counted": return draft(type, "food/a", [.init(name: "to", value: amount())])
    case "food.advanced": return draft(type, "food/a", [.init(name: "by", value: amount())])
    case "food.included", "food.excluded": return draft(type, "food/a", change())
    default: return draft(type, "food/a", members(["name", "kcal", "eaten", "tags", "further"]))
    }
  }

  private enum FoodTypes {
    static let all = CollectionSchema.food.events.map(\.type)
  }

  /// Derived types, with members of the entity and of its days.
  private mutating func meal() -> EventDraft {
    let entity = isNarrow ? "meal/a" : pick(["meal/a", "meal/b"])
    switch pick(Self.mealActions) {
    case "created": return draft("meal.created", entity, members(Self.mealFields))
    case "edited": return draft("meal.edited", entity, members(Self.mealFields))
    case "deleted": return draft("meal.deleted", entity, extra())
    case "restored": return draft("meal.restored", entity, extra())
    case "recorded":
      return draft(
        "meal.recorded", entity, someDate(95) + members(["ml", "ml", "mood", "symptoms"]))
    case "advanced":
      let isOfDay = happens(50)
      var data = someDate(isOfDay ? 90 : 10)
      if happens(95) { data.append(.init(name: isOfDay ? "ml" : "servings", value: amount())) }
      if happens(5) { data.append(.init(name: pick(["ml", "servings", "kcal"]), value: amount())) }
      return draft("meal.advanced", entity, data)
    default:
      let key = pick(["tags", "symptoms"])
      var data = someDate((key == "symptoms") != happens(10) ? 100 : 0)
      data += change().filter { $0.name != "key" }
      if happens(97) { data.append(.init(name: "key", value: happens(95) ? .string(key) : "ml")) }
      return draft(pick(["meal.included", "meal.excluded"]), entity, data)
    }
  }

  private static let mealActions = [
    "created", "edited", "edited", "edited", "deleted", "restored", "recorded", "recorded",
    "recorded", "advanced", "advanced", "members", "members",
  ]
  /// A repeated name is chosen more often.
  private static let mealFields = [
    "servings", "servings", "servings", "name", "kcal", "tags", "ml", "further",
  ]

  private mutating func someDate(_ percent: Int) -> [JSONObject.Member] {
    happens(percent) ? [.init(name: "date", value: date())] : []
  }

  private mutating func diet() -> EventDraft {
    switch pick(["changed", "changed", "changed", "advanced", "members"]) {
    case "changed":
      return draft("diet.changed", nil, members(["plan", "plan", "cheats", "cheats", "avoided"]))
    case "advanced": return draft("diet.advanced", nil, happens(95) ? members(["cheats"]) : extra())
    default:
      var data = change()
      if happens(90) { data[0] = .init(name: "key", value: "avoided") }
      return draft(pick(["diet.included", "diet.excluded"]), nil, JSONObject(data).members)
    }
  }

  /// An event of a type that no schema declares, or of a later version.
  private mutating func foreign() -> EventDraft {
    if happens(40) {
      // An empty type makes a line of a later version.
      return EventDraft(type: "", entity: EntityID(habit())!)
    } else {
      return draft(
        pick(["habit.praised", "mood.noted"]), pick([nil, "habit/a", "mood/a"]),
        members(["name", "mood"]))
    }
  }

  // MARK: - Data

  private mutating func members(_ names: [String]) -> [JSONObject.Member] {
    let chosen = names.shuffled(using: &generator).prefix(Int.random(in: 0...2, using: &generator))
    return chosen.map { name in JSONObject.Member(name: name, value: value(of: name)) }
  }

  /// Members that the type may not declare.
  private mutating func extra() -> [JSONObject.Member] {
    happens(15) ? members(["name", "note", "progress", "archived"]) : []
  }

  private mutating func change() -> [JSONObject.Member] {
    let texts: [JSONValue] = ["x", "y", "é", "e\u{301}"]
    var members = texts.shuffled(using: &generator)
    members.removeLast(Int.random(in: 1...4, using: &generator))
    if happens(5) { members.append(value()) }
    var data: [JSONObject.Member] = [
      .init(name: "key", value: happens(95) ? pick(["tags", "theme", "é"]) : value()),
      .init(name: "members", value: happens(95) ? .array(members) : value()),
    ]
    if happens(3) { data.remove(at: pick([0, 1])) }
    return data
  }

  private mutating func value(of field: String) -> JSONValue {
    if happens(15) { return value() }
    if happens(8) { return .null }
    switch field {
    case "name", "firstName": return pick(["Read", "Run", "é", "e\u{301}"])
    case "goal": return pick([1, 2, 0, .spelled("0.5"), .spelled("2.0"), 1_000_000_001])
    case "schedule": return pick(["1/1", "3/7", "7/3", "1/367"])
    case "target": return pick(["atMost", "atMost", "atLeast", "other"])
    case "period": return pick([1, 2, 3, 366, 0, 367])
    case "from":
      return pick(["2026-01-27", "2026-01-28", "2026-01-29", "2024-02-29", "2026-02-30"])
    case "birthday": return date()
    case "servings", "ml", "cheats":
      return pick([0, 1, 2, 3, .spelled("0.5"), 1_000_000_000, -1, .null])
    case "mood", "plan": return pick(["good", "bad", .null])
    case "height", "kcal": return pick([.spelled("70"), .spelled("70.0"), .spelled("7e1"), 71])
    default: return value()
    }
  }

  private mutating func value() -> JSONValue {
    pick([
      .null, .null, true, "a", "b", "2026-01-28", 1, -1, .spelled("70"), .spelled("70.00"),
      .spelled("7E+1"), .spelled("-0.0"), 0, ["k": 1, "l": [2]], ["l": [.spelled("2.0")], "k": 1],
      [], [:],
    ])
  }

  private mutating func amount() -> JSONValue {
    if happens(8) { return value() }
    return pick([
      0, 1, 2, 3, .spelled("0.5"), .spelled("-0.25"), .spelled("1.0000001"), -1, -4, .null,
      1_000_000_000, 1_000_000_001, -1_000_000_000,
    ])
  }

  private mutating func date() -> JSONValue {
    if happens(5) { return pick(["2026-02-29", "2026-1-1", "2026-13-01", 20_260_101]) }
    return isNarrow
      ? "2026-01-28" : pick(["2026-01-28", "2026-01-27", "2026-01-26", "2024-02-29"])
  }
}

extension Timestamp {
  /// The last time that a journal can spell.
  fileprivate static let last = Timestamp("9999-12-31T23:59:59.999Z")!
}

extension JSONValue {
  /// A number in exactly this spelling.
  static func spelled(_ text: String) -> JSONValue { try! JSONValue(parsing: text.utf8) }
}
