public import EventLog

/// What a person wants to find again: entities of any kind, each once.
///
/// A set, not entities of its own: two devices that mark the same thing have marked it once.
public struct Favourites: Record {
  /// `<kind>/<key>` each.
  public var entities: Set<String> = []

  /// Begins with nothing marked.
  public init() {}

  /// Declares `favourites`, of which there is only one.
  public static let schema = Schema<Favourites>(
    singleton: "favourites", [.members("entities", \.entities, note: "<kind>/<key> each")])
}
