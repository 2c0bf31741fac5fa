public import EventLog

/// What a person's body had to say, and what was eaten that day.
public struct Reaction: Record {
  /// What the person noticed, in their own words.
  public var symptom = ""
  /// 1, hardly noticed, to 10.
  public var severity: Int?
  /// The person's local day.
  public var day: Day?
  /// When it was noticed; nil: not said.
  public var at: Timestamp?
  /// The foods that it may come from, those of its day as a rule.
  public var foods: Set<ID<FoodEntry>> = []
  /// Anything else about it, in the person's own words; nil: nothing.
  public var note: String?

  /// Begins with no foods and nothing filled in.
  public init() {}

  /// Declares `reaction`, an entity for each time.
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
