extension ImportMap {
  /// The names of the built-in maps.
  public static let builtInNames = builtIns.map(\.name)

  /// The built-in maps, with the data that each is for.
  package static let builtIns: [(name: String, summary: String)] = [
    ("cronometer", "Cronometer: servings.csv, its food and recipe entries"),
    ("daylio", "Daylio: its CSV file"),
    ("habitbull", "HabitBull: its CSV file"),
    ("habitica", "Habitica: its user data in JSON"),
    ("loop", "Loop Habit Tracker: the folder of its CSV export"),
    ("settings", "a birthday and ten settings of an app: its property list of defaults"),
    ("strong", "Strong: its CSV file"),
  ]

  /// Returns a built-in map, or `nil` if there is none of that name.
  ///
  /// - Parameter name: One of ``builtInNames``.
  public static func builtIn(_ name: String) -> ImportMap? {
    let text =
      switch name {
      case "cronometer": cronometerText
      case "daylio": daylioText
      case "habitbull": habitBullText
      case "habitica": habiticaText
      case "loop": loopText
      case "settings": settingsText
      case "strong": strongText
      default: ""
      }
    return text.isEmpty ? nil : try? ImportMap(parsing: text.utf8, named: name)
  }
}
