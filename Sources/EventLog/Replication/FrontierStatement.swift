/// What one side of a replication says it holds: whose events, the tips of their histories, and
/// what it knows to be missing among them.
package struct FrontierStatement: Sendable, Hashable {
  /// Whose events they are; nil where there are none yet.
  package var user: String?
  /// Users whose devices were taken over by `user.adopted`.
  package var adoptedUsers: [String]
  /// The last events, sorted: those that are held, and that nothing which is held goes on from. One
  /// that a missing event is presumed to go on from is such an event.
  package var tips: [FullEventID]
  /// What is named by events that are held and is not held itself: each range ends with the event
  /// that is named, and begins behind the one that this is taken to go on from.
  package var missing: [EventRange]
  /// What somebody has announced in a shared place, and what is not there yet: it is late, was cut
  /// off, or is damaged.
  package var pending: [EventRange] = []
  /// Events that are spoken of, and are not there: whoever finds later ones of its own device among
  /// them goes on under a fresh ID.
  package var hearsay: [FullEventID] = []
  /// Whether it is a place that several share, and no journal.
  package var isShared = false
  /// Whether this side, a journal, was just found to lack events of its own device that the
  /// initiator holds: it then goes on under a fresh ID.
  package var hasDuplicateWriter = false

  /// A statement of a journal: nothing is pending, and nothing is known by hearsay.
  package init(
    user: String? = nil, adoptedUsers: [String] = [], tips: [FullEventID] = [],
    missing: [EventRange] = []
  ) {
    self.user = user
    self.adoptedUsers = adoptedUsers
    self.tips = tips
    self.missing = missing
  }

  /// Whether nothing is there, and nothing is to come.
  var isEmpty: Bool { user == nil && tips.isEmpty && pending.isEmpty }
}

extension Ledger {
  /// What the journal holds, as far as it was read.
  package var statement: FrontierStatement {
    FrontierStatement(
      user: user, adoptedUsers: users.adoptedUsers, tips: runEnds.map(fullID).sorted(),
      missing: missingRanges)
  }
}
