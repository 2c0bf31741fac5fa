public import EventLog

/// A weighing; the course of a person's weight is all of them.
public struct WeightEntry: Record {
  /// The person's local day.
  public var day: Day?
  /// When the person was weighed; nil: not said.
  public var at: Timestamp?
  /// The body's weight in kg; nil: not said.
  public var kilograms: Double?
  /// In percent.
  public var bodyFat: Double?
  /// Anything else about it, in the person's own words; nil: nothing.
  public var note: String?

  /// Begins with nothing filled in.
  public init() {}

  /// Declares `weight`, an entity for each weighing.
  public static let schema = Schema<WeightEntry>(
    "weight",
    [
      .register("day", \.day), .register("at", \.at),
      .register("kilograms", \.kilograms, .quantity),
      .register("bodyFat", \.bodyFat, .quantity, note: "in percent"), .register("note", \.note),
    ])
}
