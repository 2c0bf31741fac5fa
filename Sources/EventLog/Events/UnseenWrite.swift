/// A write that another write would have replaced unseen.
public struct UnseenWrite: Sendable, Hashable {
  /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
  public let entity: String
  /// The name of the field, or `presence` for a deletion and for writes that a deletion would hide.
  public let field: String
  /// The event that made the write.
  public let event: EventID
  /// The value that was written, or the total of a counter.
  public let value: JSONValue?

  package init(entity: String, field: String, event: EventID, value: JSONValue?) {
    self.entity = entity
    self.field = field
    self.event = event
    self.value = value
  }
}
