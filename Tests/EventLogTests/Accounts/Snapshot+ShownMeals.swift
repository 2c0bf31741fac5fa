import EventLog

extension Snapshot {
  /// The values of meals and the profile, without empty fields.
  var shownMeals: [String: JSONValue] {
    var shown: [String: JSONValue] = [:]
    func add(_ fields: [ProjectedField], _ row: String) {
      for field in fields {
        if let value = field.shown, value != 0, value != .array([]), value != .null {
          shown["\(row)#\(field.name)"] = value
        }
      }
    }
    for meal in entities("meal") {
      shown["\(meal.id)"] = true
      add(meal.fields, "\(meal.id)")
      for day in meal.days { add(day.fields, "\(meal.id)@\(day.day)") }
    }
    add(singleton("profile"), "profile")
    return shown
  }
}
