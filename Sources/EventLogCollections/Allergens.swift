public import EventLog

/// What a person must not or had better not eat.
///
/// Sets: what one device adds is never lost to what another one writes.
public struct Allergens: Record {
  /// What must not be eaten.
  public var allergies: Set<String> = []
  /// What had better not be.
  public var intolerances: Set<String> = []
  public var note: String?

  public init() {}

  public static let schema = Schema<Allergens>(
    singleton: "allergens",
    [
      .members("allergies", \.allergies, note: "what must not be eaten"),
      .members("intolerances", \.intolerances, note: "what had better not be"),
      .register("note", \.note),
    ])
}
