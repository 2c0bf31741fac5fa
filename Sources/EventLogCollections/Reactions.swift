public import EventLog

/// What a person's body had to say, and what was eaten that day.
public struct Reaction: Record {
  public var symptom = ""
  /// 1, hardly noticed, to 10.
  public var severity: Int?
  /// The person's local day.
  public var day: Day?
  public var at: Timestamp?
  /// The foods that it may come from, those of its day as a rule.
  public var foods: Set<ID<FoodEntry>> = []
  public var note: String?

  public init() {}

  public static let schema = Schema<Reaction>(
    "reaction",
    [
      .register("symptom", \.symptom),
      .register("severity", \.severity, .integer(1...10), note: "1: hardly noticed"),
      .register("day", \.day), .register("at", \.at, note: "when it was noticed"),
      .members("foods", \.foods, note: "the foods it may come from, food/<key> each"),
      .register("note", \.note),
    ])
}
