public import EventLog

/// A symptom that a person has noticed, and the foods that may have caused it.
public struct Reaction: Record {
  /// The symptom in the person's own words.
  public var symptom = ""
  /// The severity, from 1 for hardly noticeable to 10.
  public var severity: Int?
  /// The person's local day.
  public var day: Day?
  /// The time at which the symptom was noticed.
  public var at: Timestamp?
  /// The foods that may have caused the symptom, usually those of the same day.
  public var foods: Set<ID<FoodEntry>> = []
  /// A note in the person's own words.
  public var note: String?

  /// Creates a record without foods.
  public init() {}

  /// The declaration of the collection `reaction`.
  public static let schema = Schema<Reaction>(
    "reaction",
    [
      .register("symptom", \.symptom),
      .register("severity", \.severity, .integer(1...10), note: "1: barely noticeable"),
      .register("day", \.day), .register("at", \.at, note: "when it was noticed"),
      .members("foods", \.foods, note: "foods that may have caused it, each food/<key>"),
      .register("note", \.note),
    ])
}
