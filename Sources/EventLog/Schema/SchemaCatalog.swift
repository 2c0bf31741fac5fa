/// The collections that a store knows, looked up by type and by kind.
public struct SchemaCatalog: Sendable {
  public let collections: [CollectionSchema]
  private let typePlaces: [String: (collection: Int, event: Int)]
  private let kindPlaces: [String: Int]

  /// Names that no field of an entity may have: projections use them.
  public let reservedFieldNames: Set<String>

  /// - Precondition: no kind, section or event type is declared twice.
  public init(_ collections: [CollectionSchema], reservedFieldNames: Set<String>) {
    self.reservedFieldNames = reservedFieldNames
    self.collections = collections
    var types: [String: (collection: Int, event: Int)] = [:]
    var kinds: [String: Int] = [:]
    for (place, collection) in collections.enumerated() {
      precondition(kinds[collection.kind] == nil, "kind \(collection.kind) is declared twice")
      kinds[collection.kind] = place
      for (index, event) in collection.events.enumerated() {
        precondition(types[event.type] == nil, "type \(event.type) is declared twice")
        types[event.type] = (place, index)
      }
    }
    typePlaces = types
    kindPlaces = kinds
  }

  /// The collection and declaration of an event type.
  public func type(_ name: String) -> (collection: CollectionSchema, event: EventSchema)? {
    guard let place = typePlaces[name] else { return nil }
    let collection = collections[place.collection]
    return (collection, collection.events[place.event])
  }

  public func collection(kind: String) -> CollectionSchema? {
    kindPlaces[kind].map { collections[$0] }
  }

  /// The names of all sections of a projection, conflicts last.
  public var sections: [String] {
    collections.flatMap {
      [$0.section] + ($0.presentation.daySection.map { [$0.section] } ?? [])
    } + ["conflicts"]
  }

  public var typeNames: [String] { collections.flatMap { $0.events.map(\.type) } }

  /// Types that only the store itself writes.
  package static func isReserved(type: String) -> Bool {
    type.hasPrefix("device.") || type.hasPrefix("user.")
  }

  /// Reserved types that are known all the same.
  package static let storeTypes = ["device.joined", "user.adopted"]
}
