import Synchronization

/// The collections of a store, which you can look up by kind and event type.
///
/// A catalog is always valid: no two of its collections have the same kind, section, or event type,
/// and every declaration is complete.
public struct SchemaCatalog: Sendable {
  /// The collections, in the order in which snapshots show them.
  public let collections: [CollectionSchema]
  /// The number of these declarations, by which a journal describes itself, or `nil` if it doesn't.
  ///
  /// A store opened with a revision, 1 to 999,999,999, saves its collections beside the journal
  /// and at its remotes, so that tools can read the journal. The highest revision counts.
  /// Declarations of more than 256 KiB aren't saved.
  public var revision: Int?
  private let types: [String: (collection: Int, event: Int)]
  private let kindIndexes: [String: Int]
  /// Values derived from the collections.
  let memo = CatalogMemo()

  /// Creates an empty catalog.
  ///
  /// All events are kept and replicated, but not shown.
  public init() { self.init(trusted: []) }

  /// Creates a catalog of collections.
  ///
  /// - Parameter collections: The collections.
  /// - Throws: `invalidSchema` with the first mistake in a declaration, or the first contradiction
  ///   between two.
  public init(_ collections: [CollectionSchema]) throws(EventLogError) {
    var check = SchemaCheck()
    for collection in collections { try check.add(collection) }
    self.init(trusted: collections)
  }

  /// Creates a catalog of valid declarations, without checking them.
  package init(trusted collections: [CollectionSchema]) {
    self.collections = collections
    var types: [String: (collection: Int, event: Int)] = [:]
    var kinds: [String: Int] = [:]
    for (index, collection) in collections.enumerated() {
      kinds[collection.kind] = index
      for (number, event) in collection.events.enumerated() { types[event.type] = (index, number) }
    }
    self.types = types
    kindIndexes = kinds
  }

  /// Returns a catalog that also contains some collections.
  ///
  /// A collection that is already in the catalog with the same declaration is ignored.
  ///
  /// - Parameters:
  ///   - further: The collections to add.
  ///   - replaceable: The kinds of this catalog that may be replaced by a new declaration.
  /// - Throws: `invalidSchema` with the first mistake in a declaration, or the first contradiction
  ///   between two.
  public func adding(
    _ further: [CollectionSchema], replacing replaceable: Set<String> = []
  ) throws(EventLogError) -> SchemaCatalog {
    let replaced = Set(further.map(\.kind)).intersection(replaceable)
    let kept = collections.filter { !replaced.contains($0.kind) }
    var catalog = try SchemaCatalog(kept + further.filter { !kept.contains($0) })
    catalog.revision = revision
    return catalog
  }

  // MARK: - Looking up

  /// Returns the declaration of an event type and its collection, or `nil` if there is none.
  ///
  /// - Parameter name: The name of the event type.
  public func type(_ name: String) -> (collection: CollectionSchema, event: EventSchema)? {
    types[name].map { (collections[$0.collection], collections[$0.collection].events[$0.event]) }
  }

  /// The declarations that an append needs for an event type, or `nil` if it doesn't exist.
  func rules(of type: String) -> EventTypeRules? {
    memo.rules.withLock { known in
      if let rules = known[type] { return rules }
      guard let (index, event) = types[type] else { return nil }
      let collection = collections[index]
      known[type] = EventTypeRules(collection, collection.events[event], collectionIndex: index)
      return known[type]
    }
  }

  /// Returns the collection of a kind, or `nil` if there is none.
  ///
  /// - Parameter kind: The kind.
  public func collection(kind: String) -> CollectionSchema? {
    kindIndexes[kind].map { collections[$0] }
  }

  /// The names of all sections of a snapshot, with the conflicts last.
  public var sections: [String] {
    collections.flatMap {
      [$0.section] + ($0.presentation.daySection.map { [$0.section] } ?? [])
    } + ["conflicts"]
  }

  /// The names of all event types that can be appended.
  public var typeNames: [String] { collections.flatMap { $0.events.map(\.type) } }

  // MARK: - Reserved names

  /// Whether only the store itself writes events of a type.
  package static func isReserved(type: String) -> Bool {
    type.hasPrefix("device.") || type.hasPrefix("user.") || type == "event.erased"
      || type == "content.released"
  }

  /// Reserved types that this version of the format defines.
  package static let storeTypes = [
    "content.released", "device.joined", "device.lost", "device.seen", "device.undone",
    "event.erased", "user.adopted",
  ]

  /// Kinds whose event types would be reserved for the store.
  static let reservedKinds = ["device", "user"]

  /// The names of the other members at the top level of a projection.
  static let reservedSections = [
    "conflicts", "contested", "eventCount", "frontier", "unreadable", "user",
  ]
}
