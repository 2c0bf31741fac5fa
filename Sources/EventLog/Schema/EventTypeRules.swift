/// The declarations that hold for an event type.
///
/// A class: they are looked up for every event that is appended, and a copy of a declaration keeps
/// hold of each of its parts.
final class EventTypeRules: Sendable {
  let collection: CollectionSchema
  let event: EventSchema
  /// The place of the collection in its catalog.
  let place: Int

  init(_ collection: CollectionSchema, _ event: EventSchema, place: Int) {
    self.collection = collection
    self.event = event
    self.place = place
  }
}
