public import EventLog
import EventLogUndo

/// The result of undoing the adoption of a user, or of adopting the user again after that.
public struct AdoptionUndoReport: Sendable {
  /// The values that changed.
  public let changes: [Change]
  /// The entities of the adopted user that stay as they are, because other users have written to
  /// them.
  public let kept: [EntityID]
  /// The fields that keep a value of the adopted user, because another user has written the same
  /// value since, such as by resolving a conflict with it, in the form `<place>#<field>`.
  public let keptFields: [String]
  /// The IDs of the conflicts that are resolved now, with the values that show without the adopted
  /// user, or with the user again.
  ///
  /// They can include conflicts between other devices.
  public let resolved: [String]
  /// The fields that couldn't be changed, because no event type of their collection writes the
  /// earlier value, in the form `<place>#<field>`.
  public let left: [String]
  /// The receipt of the events that were appended, or `nil` for a dry run.
  ///
  /// Pass it to `EventStore.undo(_:durability:)` to go back.
  public let receipt: AppendReceipt?

  /// Whether an earlier undo had hidden the user.
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

  init(_ result: DeviceUndo.Result) {
    changes = result.changes.map {
      Change(place: $0.row, field: $0.field, old: $0.old, new: $0.new)
    }
    (kept, resolved, left) = (result.kept, result.resolved, result.left)
    keptFields = result.keptFields
    receipt = result.receipt
    wasHidden = result.isRepeated
  }
}
