/// The collections that a store knows, looked up by type and by kind.
///
/// It is valid by itself: no two collections claim one kind, section or event type, and every
/// declaration is one that a journal can be folded by.
public struct SchemaCatalog: Sendable {
  /// In the order in which a projection shows them.
  public let collections: [CollectionSchema]
  private let typePlaces: [String: (collection: Int, event: Int)]
  private let kindPlaces: [String: Int]

  /// A catalog of no collection: all events are kept and shipped, and show nothing.
  public init() { self.init(trusted: []) }

  /// Makes a catalog of declarations.
  ///
  /// - Throws: `invalidSchema` with the first thing that is wrong with one of them, or between two.
  public init(_ collections: [CollectionSchema]) throws(EventLogError) {
    var check = SchemaCheck()
    for collection in collections { try check.add(collection) }
    self.init(trusted: collections)
  }

  /// Makes a catalog of declarations that a test has checked.
  package init(trusted collections: [CollectionSchema]) {
    self.collections = collections
    var types: [String: (collection: Int, event: Int)] = [:]
    var kinds: [String: Int] = [:]
    for (place, collection) in collections.enumerated() {
      kinds[collection.kind] = place
      for (index, event) in collection.events.enumerated() { types[event.type] = (place, index) }
    }
    typePlaces = types
    kindPlaces = kinds
  }

  /// The catalog with further collections; one that it holds already, just so, is passed over.
  ///
  /// - Parameter replaceable: kinds of the catalog that give way to another declaration of theirs.
  /// - Throws: `invalidSchema`, as the initializer.
  public func adding(
    _ further: [CollectionSchema], replacing replaceable: Set<String> = []
  ) throws(EventLogError) -> SchemaCatalog {
    let replaced = Set(further.map(\.kind)).intersection(replaceable)
    let kept = collections.filter { !replaced.contains($0.kind) }
    return try SchemaCatalog(kept + further.filter { !kept.contains($0) })
  }

  // MARK: - Looking up

  /// The collection and declaration of an event type.
  public func type(_ name: String) -> (collection: CollectionSchema, event: EventSchema)? {
    guard let place = typePlaces[name] else { return nil }
    let collection = collections[place.collection]
    return (collection, collection.events[place.event])
  }

  /// The collection whose entities are of a kind; nil for none.
  public func collection(kind: String) -> CollectionSchema? {
    kindPlaces[kind].map { collections[$0] }
  }

  /// The names of all sections of a projection, conflicts last.
  public var sections: [String] {
    collections.flatMap {
      [$0.section] + ($0.presentation.daySection.map { [$0.section] } ?? [])
    } + ["conflicts"]
  }

  /// The types of all events that can be appended.
  public var typeNames: [String] { collections.flatMap { $0.events.map(\.type) } }

  // MARK: - Reserved names

  /// Types that only the store itself writes.
  package static func isReserved(type: String) -> Bool {
    type.hasPrefix("device.") || type.hasPrefix("user.")
  }

  /// Reserved types that are known all the same.
  package static let storeTypes = ["device.joined", "device.lost", "device.seen", "user.adopted"]

  /// Kinds whose event types would be the store's own.
  static let reservedKinds = ["device", "user"]

  /// What else stands at the top of a projection.
  static let reservedSections = [
    "conflicts", "contested", "eventCount", "frontier", "user",
  ]
}
