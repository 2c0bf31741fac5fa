import EventLog
import EventLogTesting

/// The effects of the types of ``CollectionSchema/meal`` and ``CollectionSchema/diet``, written by
/// hand from the description of derived types.
extension ReferenceEvent {
  static let derivedTypes = [
    "meal.created", "meal.edited", "meal.deleted", "meal.restored", "meal.recorded",
    "meal.advanced", "meal.included", "meal.excluded", "diet.changed", "diet.advanced",
    "diet.included", "diet.excluded",
  ]

  /// The effects of the event, or nil if it breaks a rule.
  func derivedEffects(_ row: String) -> [ReferenceEffect]? {
    // An invalid date breaks the rule of any type that accepts a date.
    let takesDate = ["recorded", "advanced", "included", "excluded"].contains(verb) && !isOfDiet
    var day: String?
    if takesDate, let value = data["date"] {
      guard let date = ReferenceValue.date(value) else { return nil }
      day = "\(row)@\(date)"
    }
    switch verb {
    case "deleted": return [.deletion]
    case "restored": return [.restoration]
    case "created", "edited", "changed":
      return isOfDiet
        ? written(row, texts: ["plan"], quantities: [], totals: ["cheats"])
        : written(row, texts: ["name"], quantities: ["kcal"], totals: ["servings"])
    case "recorded":
      guard let day else { return nil }
      return written(day, texts: ["mood"], quantities: [], totals: ["ml"]).map { [.day(day)] + $0 }
    case "advanced": return advanced(row, day)
    default: return changed(row, day)
    }
  }

  private var isOfDiet: Bool { type.hasPrefix("diet.") }
  private var verb: String { String(type.split(separator: ".")[1]) }

  private func written(
    _ row: String, texts: [String], quantities: [String], totals: [String]
  ) -> [ReferenceEffect]? {
    var effects: [ReferenceEffect] = []
    for (name, value) in data {
      if texts.contains(name) || quantities.contains(name) {
        let isRight =
          texts.contains(name)
          ? ReferenceValue.string(value) != nil : ReferenceValue.isQuantity(value)
        effects.append(
          .register(row: row, field: name, value, isReadable: isRight || value == .null))
      } else if totals.contains(name) {
        effects.append(.total(row: row, field: name, value))
      }
    }
    return effects
  }

  private func advanced(_ row: String, _ day: String?) -> [ReferenceEffect]? {
    var effects: [ReferenceEffect] = []
    let ofEntity = isOfDiet ? "cheats" : "servings"
    for name in isOfDiet ? [ofEntity] : [ofEntity, "ml"] {
      guard let by = data[name] else { continue }
      guard (name == "ml") == (day != nil) else { return nil }
      effects.append(.increment(row: day ?? row, field: name, by))
    }
    return effects.isEmpty ? nil : (day.map { [.day($0)] } ?? []) + effects
  }

  private func changed(_ row: String, _ day: String?) -> [ReferenceEffect]? {
    guard let key = data["key"].flatMap(ReferenceValue.string),
      let value = data["members"]
    else { return nil }
    let texts = ReferenceValue.texts(value)
    guard ReferenceValue.isSame(key, isOfDiet ? "avoided" : day == nil ? "tags" : "symptoms") else {
      return nil
    }
    let target = day ?? row
    return (day.map { [.day($0)] } ?? []) + [.set(row: target, field: key)]
      + texts.map { text in
        verb == "included"
          ? .include(row: target, field: key, text) : .exclude(row: target, field: key, text)
      }
  }
}
