public import EventLog
import EventLogUndo

/// The result of undoing the imports of a source.
public struct ImportUndoReport: Sendable {
  /// The values that changed.
  public let changes: [Change]
  /// The entities of the source that stay, because others have written to them.
  public let kept: [EntityID]
  /// The fields that keep a value of the source, because a person has written the same value since,
  /// such as by resolving a conflict with it, in the form `<place>#<field>`.
  public let keptFields: [String]
  /// The IDs of the conflicts that are resolved now, with the values that show without the source.
  public let resolved: [String]
  /// The fields that couldn't be changed, because no event type of their collection writes the
  /// earlier value, in the form `<place>#<field>`.
  public let left: [String]
  /// The receipt of the events that were appended, or `nil` for a dry run.
  public let receipt: AppendReceipt?

  /// Whether an earlier undo had hidden all that the source has said.
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

  /// - Parameter plan: What the undo planned before it wrote the totals of counters.
  init(_ result: DeviceUndo.Result, plan: DeviceUndo.Result?) {
    func changes(_ result: DeviceUndo.Result) -> [Change] {
      result.changes.map { Change(place: $0.row, field: $0.field, old: $0.old, new: $0.new) }
    }
    let planned = plan.map(changes) ?? []
    let made = changes(result)
    self.changes = planned + made.filter { !planned.contains($0) }
    (kept, keptFields, left) = (result.kept, result.keptFields, result.left)
    let earlier = plan?.resolved ?? []
    resolved = earlier + result.resolved.filter { !earlier.contains($0) }
    receipt = result.receipt
    wasHidden = result.isRepeated
  }
}
