public import EventLog

/// A weighing; the course of a person's weight is all of them.
public struct WeightEntry: Record {
  /// The person's local day.
  public var day: Day?
  public var at: Timestamp?
  public var kilograms: Double?
  /// In percent.
  public var bodyFat: Double?
  public var note: String?

  public init() {}

  public static let schema = Schema<WeightEntry>(
    "weight",
    [
      .register("day", \.day), .register("at", \.at),
      .register("kilograms", \.kilograms, .quantity),
      .register("bodyFat", \.bodyFat, .quantity, note: "in percent"), .register("note", \.note),
    ])
}
