/// Every write of one field: by whom, when, what it replaced, and which shows.
public struct FieldHistory: Sendable, Hashable {
  /// The kind of a singleton, `<kind>/<key>`, or for a day `<kind>/<key>@<date>`.
  public let entity: String
  /// The field's name; `presence` for whether the entity is there.
  public let field: String
  /// The rule by which concurrent writes of the field come together.
  public let kind: Kind
  /// Oldest first: each time, of the writes that had seen none that is left, the one with the least
  /// (`at`, device, sequence).
  public let writes: [Write]
  /// What shows; nil where nothing does, also while the entity is deleted.
  public let shown: JSONValue?
  /// Whether the entity is deleted, so that the field does not show.
  public let isDeleted: Bool

  /// By which rule its writes come together.
  public enum Kind: String, Sendable, Hashable {
    case register, counter, members, presence
  }

  /// One event's write of the field.
  public struct Write: Sendable, Hashable {
    /// The event that made the write.
    public let event: EventID
    /// When it happened, by the writer's wall clock.
    public let at: Timestamp
    /// The event's type: `<kind>.<past-tense verb>`.
    public let type: String
    /// What it wrote: a register's value; what a counter was set to, or by how much it was
    /// advanced; the members it took in or out; for presence `"deleted"` or the event's type.
    public let value: JSONValue
    /// What the event did to the field.
    public let action: Action
    /// The writes that it had seen and that no other write it had seen had seen, by event ID as
    /// text; none for what replaces nothing: an increment, an inclusion. For an exclusion only the
    /// inclusions of members that it took out.
    public let replaced: [EventID]
    /// The increments that went into what a counter was set to: those that it had seen and that no
    /// earlier set had absorbed, device by device.
    public let absorbed: [EventID]
    /// Whether the write shows, contests what shows, or was replaced.
    public let state: State
  }

  /// What a write did.
  public enum Action: String, Sendable, Hashable {
    case written
    case set, advanced
    case included, excluded
    /// It began the entity: by its type, or as the first valid event on it.
    case created
    case deleted, restored
    /// It did not know of a deletion, and contests it.
    case touched
  }

  /// What became of a write.
  public enum State: String, Sendable, Hashable {
    /// Its value shows, or counts in what shows.
    case shown
    /// It is live, and another value shows.
    case contested
    /// A write that had seen it took its place.
    case replaced
  }
}
