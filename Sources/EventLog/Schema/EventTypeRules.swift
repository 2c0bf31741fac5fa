/// The declarations that apply to an event type.
///
/// It is a class, because it is looked up for every appended event, and copying a declaration would
/// retain each of its parts.
final class EventTypeRules: Sendable {
  let collection: CollectionSchema
  let event: EventSchema
  /// The index of the collection in its catalog.
  let collectionIndex: Int
  /// Whether its events can state the day from which their dated fields apply.
  let takesFrom: Bool

  init(_ collection: CollectionSchema, _ event: EventSchema, collectionIndex: Int) {
    self.collection = collection
    self.event = event
    self.collectionIndex = collectionIndex
    takesFrom = collection.takesFrom(event)
  }
}
