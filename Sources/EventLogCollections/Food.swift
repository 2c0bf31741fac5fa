public import EventLog

/// Something eaten, or a food that is eaten again and again.
public struct FoodEntry: Record {
  public var name = ""
  /// The person's local day.
  public var day: Day?
  public var at: Timestamp?
  /// Breakfast, lunch, dinner, snack, or the person's own word.
  public var meal: String?
  /// How much of `unit`.
  public var amount: Double?
  public var unit: String?
  public var kcal: Double?
  /// In g, as the two below.
  public var protein: Double?
  public var carbohydrates: Double?
  public var fat: Double?
  public var note: String?
  /// How many servings were had: added to, a serving at a time.
  public var servings = 0
  public var tags: Set<String> = []

  public init() {}

  public static let schema = Schema<FoodEntry>(
    "food",
    [
      .register("name", \.name), .register("day", \.day),
      .register("at", \.at, note: "when it was eaten"),
      .register("meal", \.meal, note: "breakfast, lunch, dinner, snack, or another word"),
      .register("amount", \.amount, .quantity), .register("unit", \.unit, note: "of the amount"),
      .register("kcal", \.kcal, .quantity, note: "per serving"),
      .register("protein", \.protein, .quantity, note: "in g per serving"),
      .register("carbohydrates", \.carbohydrates, .quantity, note: "in g per serving"),
      .register("fat", \.fat, .quantity, note: "in g per serving"),
      .register("note", \.note), .counter("servings", \.servings), .members("tags", \.tags),
    ])
}
