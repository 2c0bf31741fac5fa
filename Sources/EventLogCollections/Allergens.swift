public import EventLog

/// What a person must not or had better not eat.
///
/// Sets: what one device adds is never lost to what another one writes.
public struct Allergens: Record {
  /// What must not be eaten.
  public var allergies: Set<String> = []
  /// What had better not be.
  public var intolerances: Set<String> = []
  /// Anything else about them, in the person's own words; nil: nothing.
  public var note: String?

  /// Begins with two empty sets and no note.
  public init() {}

  /// Declares `allergens`, of which there is only one.
  public static let schema = Schema<Allergens>(
    singleton: "allergens",
    [
      .members("allergies", \.allergies, note: "what must not be eaten"),
      .members("intolerances", \.intolerances, note: "what had better not be"),
      .register("note", \.note),
    ])
}
