public import EventLog

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A drink, with a record of each day's amount.
///
/// The amount of a day is a counter, so glasses that two devices record concurrently add up.
public struct Drink: Record {
  /// The name of the drink.
  public var name = ""
  /// The daily goal in ml.
  public var goal: Decimal?
  /// The amount in ml that one tap adds.
  public var glass: Int?

  /// A day of a drink.
  public struct Daily: DailyRecord {
    /// The amount in ml, a counter.
    public var ml = Counter<Decimal>()
    /// Creates a day without any amount.
    public init() {}
  }

  /// Creates a drink without a name, goal, and glass.
  public init() {}

  /// The declaration of the collection `hydration`.
  public static let schema = Schema<Drink>(
    "hydration", section: "hydration",
    [
      .register("name", \.name),
      .register("goal", \.goal, .amount, note: "ml per day"),
      .register("glass", \.glass, .wholeNumber(from: 1), note: "the ml that one tap adds"),
    ],
    days: [.counter("ml", \.ml)])
}
