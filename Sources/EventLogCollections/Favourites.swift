public import EventLog

/// Entities of any kind that a person has marked as favorites.
///
/// Favorites are members of a set. If two devices concurrently mark the same entity, it is marked
/// once.
public struct Favourites: Record {
  /// The marked entities, in the form `<kind>/<key>`.
  public var entities: Set<String> = []

  /// Creates an empty record.
  public init() {}

  /// The declaration of the singleton `favourites`.
  public static let schema = Schema<Favourites>(
    singleton: "favourites", [.members("entities", \.entities, note: "each <kind>/<key>")])
}
