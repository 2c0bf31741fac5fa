public import EventLog

/// Something eaten, or a food that is eaten again and again.
public struct FoodEntry: Record {
  /// What the person calls the food.
  public var name = ""
  /// The person's local day.
  public var day: Day?
  /// When it was eaten; nil: not said.
  public var at: Timestamp?
  /// Breakfast, lunch, dinner, snack, or the person's own word.
  public var meal: String?
  /// How much of `unit`.
  public var amount: Double?
  /// What `amount` counts, for example g or ml; nil: not said.
  public var unit: String?
  /// The energy in kcal per serving; nil: not known.
  public var kcal: Double?
  /// In g, as the two below.
  public var protein: Double?
  /// In g per serving; nil: not known.
  public var carbohydrates: Double?
  /// In g per serving; nil: not known.
  public var fat: Double?
  /// Anything else about it, in the person's own words; nil: nothing.
  public var note: String?
  /// How many servings were had: added to, a serving at a time.
  public var servings = 0
  /// Words of the person's choice that group foods.
  public var tags: Set<String> = []

  /// Begins with no servings and nothing filled in.
  public init() {}

  /// Declares `food`, an entity for each entry.
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
