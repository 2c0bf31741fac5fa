/// A write that another one would have replaced without anybody having seen it.
public struct UnseenWrite: Sendable, Hashable {
  /// The kind of a singleton, `<kind>/<key>`, or for a day `<kind>/<key>@<date>`.
  public let entity: String
  /// The field; `presence` for a deletion or what a deletion would hide.
  public let field: String
  /// Who wrote it.
  public let event: EventID
  /// The value, for the app to show; for a counter its total.
  public let value: JSONValue?

  package init(entity: String, field: String, event: EventID, value: JSONValue?) {
    self.entity = entity
    self.field = field
    self.event = event
    self.value = value
  }
}
