public import EventLog
public import EventLogUndo

/// The result of adopting a user.
public struct AdoptionReport: Sendable {
  /// The users whose devices now belong to the journal's user.
  ///
  /// Empty if they belonged to it before.
  public let users: [String]
  /// The events that were received, and the conflicts that are new.
  ///
  /// If the adopted user and the journal's user wrote different values, neither had seen the
  /// other's, so the difference is a conflict. On a device that doesn't have all of the account's
  /// events yet, a later sync brings further conflicts: `Snapshot.adoptionConflicts`.
  public let sync: SyncReport
  /// The entities that the adopted user and another user gave the same name.
  ///
  /// They stay separate entities: the same name doesn't make them the same thing. A later sync can
  /// bring further ones: `Snapshot.sameNames`.
  public let sameNames: [SameName]

  /// Entities of one kind that have the same name.
  public struct SameName: Sendable, Hashable {
    /// The kind of the entities.
    public let kind: String
    /// The name they have in common.
    public let name: String
    /// The entities that the adopted user named, sorted by key.
    public let adopted: [EntityID]
    /// The entities that other users named, sorted by key.
    public let others: [EntityID]
  }

  /// The user's data that an earlier undo had hidden and that is shown again, or `nil` if no undo
  /// had hidden any.
  ///
  /// Values that other users have written since the undo stay.
  public let restored: DeviceUndoReport?

  /// The user of the other journal.
  package let adoptedUser: String?

  init(_ sync: SyncReport, _ findings: Adoption.Findings, restored: DeviceUndoReport?) {
    (self.sync, self.restored) = (sync, restored)
    (users, sameNames, adoptedUser) = (findings.added, findings.sameNames, findings.users.first)
  }
}
