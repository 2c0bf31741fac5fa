public import EventLog

/// The result of adopting a user.
public struct AdoptionReport: Sendable {
  /// The users whose devices now belong to the journal's user.
  ///
  /// Empty if they belonged to it before.
  public let users: [String]
  /// The events that were received, and the conflicts that are new.
  ///
  /// Where the adopted user and the journal's user wrote different values, neither had seen the
  /// other's, so the difference is a conflict.
  public let sync: SyncReport
  /// The entities that the adopted user and somebody else gave the same name.
  ///
  /// They stay separate entities: the same name doesn't make them the same thing.
  public let sameNames: [SameName]

  /// Entities of one kind that have the same name.
  public struct SameName: Sendable, Hashable {
    /// The kind of the entities.
    public let kind: String
    /// The name they have in common.
    public let name: String
    /// The entities that the adopted user named, sorted by key.
    public let adopted: [EntityID]
    /// The entities that somebody else named, sorted by key.
    public let others: [EntityID]
  }

  init(_ sync: SyncReport) {
    self.sync = sync
    users = sync.adopted
    sameNames = sync.sameNames.map {
      SameName(kind: $0.kind, name: $0.name, adopted: $0.adopted, others: $0.others)
    }
  }
}
