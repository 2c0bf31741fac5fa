public import EventLog

/// The result of an undo that removes all writes of some devices from the state, such as those of a
/// source that was imported or of a user who was adopted, or that shows them again.
public struct DeviceUndoReport: Sendable {
  /// The values that changed.
  public package(set) var changes: [Change] = []
  /// The entities of the devices that stay, because others have worked on them.
  ///
  /// After an undo of an import, they have only what others wrote; after one of an adoption, they
  /// are as before.
  public internal(set) var kept: [EntityID] = []
  /// The fields that keep a value of the devices, because others have written the same value since,
  /// such as by resolving a conflict with it, in the form `<place>#<field>`.
  public internal(set) var keptFields: [String] = []
  /// The IDs of the conflicts that are resolved now, with the values that show without the devices,
  /// or with them again.
  ///
  /// They can include conflicts between other devices.
  public package(set) var resolved: [String] = []
  /// The fields that couldn't be changed, because no event type of their collection writes the
  /// earlier value, in the form `<place>#<field>`.
  public internal(set) var left: [String] = []
  /// The receipt of the events that were appended, or `nil` for a dry run.
  ///
  /// Pass it to `EventStore.undo(_:durability:)` to go back.
  public internal(set) var receipt: AppendReceipt?

  /// Whether an earlier undo had hidden the writes.
  package let wasHidden: Bool

  /// A value that changed.
  public struct Change: Sendable, Hashable {
    /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
    public let place: String
    /// The name of the field, or `presence`, whose values are `"shown"` and `"deleted"`.
    public let field: String
    /// The value before.
    public let old: JSONValue
    /// The value now.
    public let new: JSONValue
  }

  init(wasHidden: Bool) { self.wasHidden = wasHidden }
}
