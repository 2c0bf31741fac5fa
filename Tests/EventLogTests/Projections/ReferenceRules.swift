import EventLog
import EventLogTesting

/// The table of event types, written by hand; `food` represents an app's own collection.
extension ReferenceEvent {
  private static let reserved: Set<String> = [
    "id", "archived", "contested", "deleted", "presence", "progress", "completed", "skipped",
    "habit", "date", "from", "unreadable",
  ]
  private static let dated: Set<String> = ["goal", "schedule", "target", "period"]
  private static let foodTypes = ["food.created", "food.edited", "food.deleted", "food.restored"]
  private static let foodChanges = [
    "food.counted", "food.advanced", "food.included", "food.excluded",
  ]
  private static let habitTypes = [
    "habit.created", "habit.edited", "habit.archived", "habit.unarchived", "habit.deleted",
    "habit.restored", "completion.recorded", "completion.advanced", "completion.skipped",
  ]
  private static let singletonTypes = [
    "profile.updated", "settings.changed", "settings.included", "settings.excluded",
  ]

  /// Whether the type is declared by the standard collections, `food`, `meal` or `diet`.
  var isKnown: Bool {
    let all = Self.foodTypes + Self.foodChanges + Self.habitTypes + Self.singletonTypes
    return type == "device.joined" || all.contains(type) || Self.derivedTypes.contains(type)
  }

  /// The event's effects; nil if it breaks a rule, is unknown, or is of a later version.
  var ruledEffects: [ReferenceEffect]? {
    guard version == 1, let row else { return nil }
    if Self.derivedTypes.contains(type) { return derivedEffects(row) }
    switch type {
    case "profile.updated": return registers(row, Self.profileRule)
    case "settings.changed": return registers(row) { _, _ in true }
    case "habit.created": return habit(row, from: "")
    case "habit.edited":
      guard let from = data["from"] else { return habit(row, from: "") }
      return ReferenceValue.date(from).flatMap { habit(row, from: $0) }
    case "food.created", "food.edited": return registers(row, Self.foodRule)
    case "habit.archived": return [.register(row: row, field: "archived", true)]
    case "habit.unarchived": return [.register(row: row, field: "archived", false)]
    case "habit.deleted", "food.deleted": return [.deletion]
    case "habit.restored", "food.restored": return [.restoration]
    case "food.counted": return data["to"].map { [.total(row: row, field: "eaten", $0)] }
    case "food.advanced": return data["by"].map { [.increment(row: row, field: "eaten", $0)] }
    case "settings.included", "food.included": return members(row, isInclusion: true)
    case "settings.excluded", "food.excluded": return members(row, isInclusion: false)
    default: return completion(row)
    }
  }

  /// Whether the event's type is known and it breaks a rule of that type.
  var breaksRule: Bool {
    version == 1 && isKnown && type != "device.joined" && effects == nil
  }

  /// The entity or singleton of a known type; nil if the event names another one.
  private var row: String? {
    if Self.derivedTypes.contains(type) {
      if type.hasPrefix("diet.") { return entity == nil ? "diet" : nil }
      return entity.flatMap { $0.hasPrefix("meal/") ? $0 : nil }
    }
    if Self.singletonTypes.contains(type) {
      return entity == nil ? String(type.prefix { $0 != "." }) : nil
    }
    let isFood = (Self.foodTypes + Self.foodChanges).contains(type)
    guard isFood || Self.habitTypes.contains(type), let entity else { return nil }
    return entity.hasPrefix(isFood ? "food/" : "habit/") ? entity : nil
  }

  // MARK: - Data

  /// Returns a register for each member, except if `rule` returns nil.
  private func registers(
    _ row: String, _ rule: (String, JSONValue) -> Bool?
  ) -> [ReferenceEffect]? {
    var effects: [ReferenceEffect] = []
    for (name, value) in data {
      guard let isRight = rule(name, value) else { continue }
      effects.append(
        .register(row: row, field: name, value, isReadable: isRight || value == .null))
    }
    return effects
  }

  /// Returns the registers of a habit, and the entries of those that have a day.
  private func habit(_ row: String, from: String) -> [ReferenceEffect]? {
    registers(row, Self.habitRule).map { effects in
      effects
        + effects.compactMap { effect in
          guard case .register(_, let name, let value, let isReadable, _) = effect,
            Self.dated.contains(name)
          else { return nil }
          return .entry(row: row, field: name, from: from, isReadable ? value : .null)
        }
    }
  }

  private static func profileRule(_ name: String, _ value: JSONValue) -> Bool? {
    switch name {
    case "firstName", "lastName": ReferenceValue.string(value) != nil
    case "dob", "birthday": ReferenceValue.date(value) != nil
    case "height", "weight": ReferenceValue.isQuantity(value)
    default: true
    }
  }

  private static func habitRule(_ name: String, _ value: JSONValue) -> Bool? {
    if reserved.contains(name) { return nil }
    switch name {
    case "name": return ReferenceValue.string(value) != nil
    case "goal":
      return ReferenceValue.amount(value).map { (0...1_000_000_000_000_000).contains($0) } ?? false
    case "period": return ReferenceValue.integer(value).map { 1 <= $0 && $0 <= 366 } ?? false
    case "target": return ReferenceValue.string(value) != nil
    case "schedule": return ReferenceValue.isSchedule(value)
    default: return true
    }
  }

  private static func foodRule(_ name: String, _ value: JSONValue) -> Bool? {
    switch name {
    case "name": ReferenceValue.string(value) != nil
    case "kcal": ReferenceValue.isQuantity(value)
    default: nil
    }
  }

  private func members(_ row: String, isInclusion: Bool) -> [ReferenceEffect]? {
    guard let key = data["key"].flatMap(ReferenceValue.string).map(ReferenceValue.plain),
      let value = data["members"]
    else { return nil }
    // Settings accept any key; a declared collection only accepts its declared sets.
    if type.hasPrefix("food."), key != "tags" { return nil }
    let texts = ReferenceValue.texts(value)
    return [.set(row: row, field: key)]
      + texts.map { text in
        isInclusion
          ? .include(row: row, field: key, text) : .exclude(row: row, field: key, text)
      }
  }

  private func completion(_ habit: String) -> [ReferenceEffect]? {
    guard let date = data["date"].flatMap(ReferenceValue.date) else { return nil }
    let row = "\(habit)@\(date)"
    let day = ReferenceEffect.day(row)
    switch type {
    case "completion.recorded":
      return data["progress"].map { [day, .total(row: row, field: "progress", $0)] }
    case "completion.advanced":
      return data["by"].map { [day, .increment(row: row, field: "progress", $0)] }
    default:
      return data["reason"].map { [day, .register(row: row, field: "skipped", $0)] }
    }
  }
}

extension Reference {
  /// Applies the rules above to a history.
  init(_ history: History) {
    self.init(ReferenceHistories(history.entries.map(\.event), user: history.user)) {
      $0.ruledEffects
    }
  }

  /// Applies the rules above to the lines of a journal.
  init(lines: some Sequence<[UInt8]>, user: String? = nil, device: DeviceID? = nil) {
    let histories = ReferenceHistories(
      lines.compactMap { ReferenceLine($0) }, user: user, device: device)
    self.init(histories) { $0.ruledEffects }
  }
}

extension ReferenceState {
  init(_ history: History, at cut: Cut = Cut(), includingDeleted: Bool = false) {
    self.init(Reference(history).cut(cut), includingDeleted: includingDeleted)
  }
}
