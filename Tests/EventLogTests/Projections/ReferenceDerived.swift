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
  func derivedEffects(_ place: String) -> [ReferenceEffect]? {
    // An invalid date breaks the rule of any type that accepts a date.
    let takesDate = ["recorded", "advanced", "included", "excluded"].contains(verb) && !isOfDiet
    var day: String?
    if takesDate, let value = data["date"] {
      guard let date = ReferenceValue.date(value) else { return nil }
      day = "\(place)@\(date)"
    }
    switch verb {
    case "deleted": return [.deletion]
    case "restored": return [.restoration]
    case "created", "edited", "changed":
      return isOfDiet
        ? written(place, texts: ["plan"], quantities: [], totals: ["cheats"])
        : written(place, texts: ["name"], quantities: ["kcal"], totals: ["servings"])
    case "recorded":
      guard let day else { return nil }
      return written(day, texts: ["mood"], quantities: [], totals: ["ml"]).map { [.day(day)] + $0 }
    case "advanced": return advanced(place, day)
    default: return changed(place, day)
    }
  }

  private var isOfDiet: Bool { type.hasPrefix("diet.") }
  private var verb: String { String(type.split(separator: ".")[1]) }

  private func written(
    _ place: String, texts: [String], quantities: [String], totals: [String]
  ) -> [ReferenceEffect]? {
    var effects: [ReferenceEffect] = []
    for (name, value) in data {
      if texts.contains(name) || quantities.contains(name) {
        let isRight =
          texts.contains(name)
          ? ReferenceValue.string(value) != nil : ReferenceValue.isQuantity(value)
        guard isRight || value == .null else { return nil }
        effects.append(.register(place: place, field: name, value))
      } else if totals.contains(name) {
        guard let total = amount(name, 0) else { return nil }
        effects.append(.total(place: place, field: name, total))
      }
    }
    return effects
  }

  private func advanced(_ place: String, _ day: String?) -> [ReferenceEffect]? {
    var effects: [ReferenceEffect] = []
    let ofEntity = isOfDiet ? "cheats" : "servings"
    for name in isOfDiet ? [ofEntity] : [ofEntity, "ml"] where data[name] != nil {
      guard let by = amount(name, -1_000_000_000), (name == "ml") == (day != nil) else {
        return nil
      }
      effects.append(.increment(place: day ?? place, field: name, by))
    }
    return effects.isEmpty ? nil : (day.map { [.day($0)] } ?? []) + effects
  }

  private func changed(_ place: String, _ day: String?) -> [ReferenceEffect]? {
    guard let key = data["key"].flatMap(ReferenceValue.string),
      case .array(let values)? = data["members"]
    else { return nil }
    let texts = values.compactMap(ReferenceValue.string)
    guard texts.count == values.count else { return nil }
    guard ReferenceValue.isSame(key, isOfDiet ? "avoided" : day == nil ? "tags" : "symptoms") else {
      return nil
    }
    let target = day ?? place
    return (day.map { [.day($0)] } ?? []) + [.set(place: target, field: key)]
      + texts.map { text in
        verb == "included"
          ? .include(place: target, field: key, text) : .exclude(place: target, field: key, text)
      }
  }
}
