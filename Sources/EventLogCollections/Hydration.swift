public import EventLog

/// A drink and, per day, how much of it was had.
///
/// A day's amount is a counter: glasses that two devices note at the same time add up.
public struct Drink: Record {
  /// What the person calls the drink.
  public var name = ""
  /// The day's goal in ml.
  public var goal: Int?
  /// The ml that one tap adds.
  public var glass: Int?

  /// One day of a drink.
  public struct Daily: DailyRecord {
    /// How much was drunk, in ml.
    public var ml = 0
    /// Begins with nothing drunk.
    public init() {}
  }

  /// Begins without a name, a goal and a glass.
  public init() {}

  /// Declares `hydration`, an entity for each drink.
  public static let schema = Schema<Drink>(
    "hydration", section: "hydration",
    [
      .register("name", \.name), .register("goal", \.goal, .wholeNumber(from: 1), note: "ml a day"),
      .register("glass", \.glass, .wholeNumber(from: 1), note: "the ml that one tap adds"),
    ],
    days: [.counter("ml", \.ml)])
}
