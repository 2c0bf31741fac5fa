public import EventLog

/// A measurement of a person's weight.
public struct WeightEntry: Record {
  /// The person's local day.
  public var day: Day?
  /// The time of the measurement.
  public var at: Timestamp?
  /// The weight in kg.
  public var kilograms: Double?
  /// The body fat in percent.
  public var bodyFat: Double?
  /// A note in the person's own words.
  public var note: String?

  /// Creates an empty record.
  public init() {}

  /// The declaration of the collection `weight`.
  public static let schema = Schema<WeightEntry>(
    "weight",
    [
      .register("day", \.day), .register("at", \.at),
      .register("kilograms", \.kilograms, .quantity),
      .register("bodyFat", \.bodyFat, .quantity, note: "in percent"), .register("note", \.note),
    ])
}
