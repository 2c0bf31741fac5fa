public import EventLog

/// Every write of one field: who wrote it, when, which writes it replaced, and whether it is shown.
public struct FieldHistory: Sendable, Hashable {
  /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
  public let entity: String
  /// The name of the field, or `presence`.
  public let field: String
  /// The rule by which concurrent writes of the field merge.
  public let kind: Kind
  /// The writes, oldest first.
  ///
  /// The order respects causality. Concurrent writes are ordered by time, device, and sequence
  /// number.
  public let writes: [Write]
  /// The value that is shown, or `nil` if none is shown, including while the entity is deleted.
  public let shown: JSONValue?
  /// A Boolean value that indicates whether the entity is deleted, so that the field isn't shown.
  public let isDeleted: Bool

  /// The rules by which concurrent writes merge.
  public enum Kind: String, Sendable, Hashable {
    /// A field that is a register, a counter, or a set, or whether the entity exists.
    case register, counter, members, presence
  }

  /// An event's write of the field.
  public struct Write: Sendable, Hashable {
    /// The event that made the write.
    public let event: EventID
    /// The time of the event, according to its writer's clock.
    public let at: Timestamp
    /// The type of the event, in the form `<kind>.<past-tense verb>`.
    public let type: String
    /// The written value.
    ///
    /// For a register, its value; for a counter, the total or the increment; for a set, the members
    /// that were added or removed; for presence, `"deleted"` or the type of the event.
    public let value: JSONValue
    /// The effect of the event on the field.
    public let action: Action
    /// The writes that this write replaced directly, sorted by event ID as text.
    ///
    /// These are the writes that it had seen, without those that another one of them had seen.
    /// Increments and inclusions replace nothing. An exclusion replaces only the inclusions of the
    /// members that it removed.
    public let replaced: [EventID]
    /// The increments that a counter's new total includes.
    ///
    /// These are, device by device, the increments that the write had seen and that no earlier
    /// total included.
    public let absorbed: [EventID]
    /// Whether the write is shown, contested, or replaced.
    public let state: State
  }

  /// The effects of a write.
  public enum Action: String, Sendable, Hashable {
    /// Wrote a register.
    case written
    /// Set the total of a counter, or added to it.
    case set, advanced
    /// Added members to a set, or removed them.
    case included, excluded
    /// Created the entity, by its type or as the first valid event on it.
    case created
    /// Deleted the entity, or restored it.
    case deleted, restored
    /// Wrote to the entity concurrently with a deletion, which it contests.
    case touched
  }

  /// The states of a write.
  public enum State: String, Sendable, Hashable {
    /// The value is shown, or is part of the value that is shown.
    case shown
    /// The write is not replaced, but another value is shown.
    case contested
    /// A later write that had seen this one replaced it.
    case replaced
  }
}
