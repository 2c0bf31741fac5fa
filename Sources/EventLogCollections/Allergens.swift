public import EventLog

/// Foods that a person must not or should not eat.
///
/// The lists are sets, so additions by one device are never lost when another device writes
/// concurrently.
public struct Allergens: Record {
  /// Foods that the person must not eat.
  public var allergies: Set<String> = []
  /// Foods that the person should avoid.
  public var intolerances: Set<String> = []
  /// A note in the person's own words.
  public var note: String?

  /// Creates a record with two empty sets and no note.
  public init() {}

  /// The declaration of the singleton `allergens`.
  public static let schema = Schema<Allergens>(
    singleton: "allergens",
    [
      .members("allergies", \.allergies, note: "what must not be eaten"),
      .members("intolerances", \.intolerances, note: "what should not be eaten"),
      .register("note", \.note),
    ])
}
