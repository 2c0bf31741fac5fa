/// The statement of one side of a replication: its users, the tips of its histories, and the
/// missing events in them.
package struct FrontierStatement: Sendable, Hashable {
  /// The user of the events, or nil if there are none yet.
  package var user: String?
  /// Users whose devices were adopted by `user.adopted`.
  package var adoptedUsers: [String]
  /// The sorted tips: held events without a held successor.
  ///
  /// An event that only a missing event continues, as presumed, is a tip too.
  package var tips: [FullEventID]
  /// The missing events that held events refer to.
  ///
  /// Each range ends with the missing event, and begins after its presumed predecessor.
  package var missing: [EventRange]
  /// Announced events that the remote doesn't have yet, because their objects are late, incomplete
  /// or damaged.
  package var pending: [EventRange] = []
  /// The events named at the remote, whether it has them or not.
  ///
  /// A device that finds later events of its own among them takes a fresh ID.
  package var advertised: [FullEventID] = []
  /// Whether this is a remote that several devices share, rather than a journal.
  package var isShared = false
  /// Whether this journal lacks events of its own device that the initiator holds, so that it
  /// continues under a fresh ID.
  package var hasDuplicateWriter = false

  /// Creates the statement of a journal, without pending or advertised events.
  package init(
    user: String? = nil, adoptedUsers: [String] = [], tips: [FullEventID] = [],
    missing: [EventRange] = []
  ) {
    self.user = user
    self.adoptedUsers = adoptedUsers
    self.tips = tips
    self.missing = missing
  }

  /// Whether no events exist or are announced.
  var isEmpty: Bool { user == nil && tips.isEmpty && pending.isEmpty }
}

extension Ledger {
  /// The statement about the events that were read.
  package var statement: FrontierStatement {
    FrontierStatement(
      user: user, adoptedUsers: users.adoptedUsers, tips: runEnds.map(fullID).sorted(),
      missing: missingRanges)
  }
}
