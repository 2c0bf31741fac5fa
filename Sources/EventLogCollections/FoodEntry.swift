public import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A food or meal that a person has eaten, once or repeatedly.
public struct FoodEntry: Record {
  /// The name of the food.
  public var name = ""
  /// The person's local day.
  public var day: Day?
  /// The time of the meal.
  public var at: Timestamp?
  /// The meal: breakfast, lunch, dinner, snack, or another word.
  public var meal: String?
  /// The amount, measured in ``unit``.
  public var amount: Double?
  /// The unit of the amount, such as g or ml.
  public var unit: String?
  /// The energy per serving, in kcal.
  public var kcal: Double?
  /// The protein per serving, in grams.
  public var protein: Double?
  /// The carbohydrates per serving, in grams.
  public var carbohydrates: Double?
  /// The fat per serving, in grams.
  public var fat: Double?
  /// A note in the person's own words.
  public var note: String?
  /// The number of servings, a counter.
  public var servings = Counter<Decimal>()
  /// Words that group foods.
  public var tags: Set<String> = []

  /// Creates a record without servings and tags.
  public init() {}

  /// The declaration of the collection `food`.
  public static let schema = Schema<FoodEntry>(
    "food",
    [
      .register("name", \.name), .register("day", \.day),
      .register("at", \.at, note: "when it was eaten"),
      .register("meal", \.meal, note: "breakfast, lunch, dinner, snack, or another word"),
      .register("amount", \.amount, .quantity),
      .register("unit", \.unit, note: "unit of the amount"),
      .register("kcal", \.kcal, .quantity, note: "per serving"),
      .register("protein", \.protein, .quantity, note: "in g per serving"),
      .register("carbohydrates", \.carbohydrates, .quantity, note: "in g per serving"),
      .register("fat", \.fat, .quantity, note: "in g per serving"),
      .register("note", \.note), .counter("servings", \.servings), .members("tags", \.tags),
    ])
}
