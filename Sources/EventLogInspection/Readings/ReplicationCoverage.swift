package import EventLog
package import EventLogRemotes

/// The remotes of a journal that are known to have an event, or all events of an entity.
package struct ReplicationCoverage: Sendable {
  /// The event, entity or singleton in question.
  package enum Subject {
    case event(FullEventID)
    /// An entity by its number in the state, and its name.
    case entity(Int, String)
    /// A singleton by its kind.
    case singleton(String)
  }

  /// The coverage of one remote.
  package struct RemoteCoverage: Sendable {
    package let remote: RemoteStatus
    /// The events that the remote isn't known to have.
    package let lacking: [FullEventID]
    /// The time of the oldest of these.
    package let oldest: Timestamp?

    /// The status of these events alone. A failure of the remote doesn't change the phase.
    package var status: Replicator.Status {
      var status = Replicator.Status(id: remote.address)
      status.lastSynced = remote.success?.at
      status.failingSince = remote.failure?.since
      if let success = remote.success {
        status.phase =
          lacking.isEmpty
          ? .synced(at: success.at) : .pending(lacking.count, since: oldest ?? success.at)
      }
      return status
    }
  }

  /// The event's ID, or the entity's full name.
  package let name: String
  package let eventCount: Int
  /// The last of the events, by time.
  package let last: (id: EventID, at: Timestamp?)?
  package let remotes: [RemoteCoverage]
  package let firstDamage: JournalProblem?
  package let damageCount: Int
  package let warnings: [JournalProblem]
}

extension Journal {
  /// Reads which remotes are known to have an event, or all events of an entity.
  ///
  /// No remote is contacted: a remote is known to have the events that it had at the end of the
  /// last sync with this journal.
  ///
  /// - Parameter find: Returns the event or entity, given the state.
  /// - Throws: The errors of `find` and of ``status()``.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  package func coverage(
    _ find: (StateReading) throws(EventLogError) -> ReplicationCoverage.Subject
  ) throws(EventLogError) -> ReplicationCoverage {
    // Before the journal, because a sync in between adds to both.
    let noted = try SideFolder(beside: path, fileSystem: fileSystem).notedRemotes
    return try readState { (state) throws(EventLogError) in
      let ledger = state.ledger
      var sink = EntityEvents(try find(state), fold: state.fold)
      try state.reread(into: &sink)
      let found = sink.found
      let last = found.max { ($0.at, $0.id) < ($1.at, $1.id) }
      return ReplicationCoverage(
        name: sink.name, eventCount: found.count,
        last: last.map { (ledger.shownID(of: $0.id), Timestamp(milliseconds: $0.at)) },
        remotes: try state.remoteStatuses(noted).map { remote in
          let lacking = found.filter { ledger.contains($0.id, in: remote.waiting) }
          return ReplicationCoverage.RemoteCoverage(
            remote: remote, lacking: lacking.map(\.id),
            oldest: lacking.map(\.at).min().flatMap { Timestamp(milliseconds: $0) })
        },
        firstDamage: state.findings.firstDamage, damageCount: state.findings.problemCount,
        warnings: state.warnings)
    }
  }
}

/// Collects the events of an entity.
private struct EntityEvents: EventSink {
  private let subject: ReplicationCoverage.Subject
  private let fold: Fold
  private(set) var found: [(id: FullEventID, at: Int64)] = []

  init(_ subject: ReplicationCoverage.Subject, fold: Fold) {
    self.subject = subject
    self.fold = fold
  }

  var name: String {
    switch subject {
    case .event(let event): event.shortID.description
    case .entity(_, let name), .singleton(let name): name
    }
  }

  mutating func restart(_ blank: EntityEvents) { found = [] }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard isWanted(layout, canonical, branch, ledger) else { return }
    let event = ledger.fullID(Ledger.Point(branch: Int32(branch), sequence: layout.sequence))
    found.append((event, layout.version == 1 ? layout.atMilliseconds : .min))
  }

  private func isWanted(
    _ layout: LineLayout, _ canonical: Span<UInt8>, _ branch: Int, _ ledger: Ledger
  ) -> Bool {
    switch subject {
    case .event(let event):
      return layout.sequence == event.sequence
        && ledger.fullID(Ledger.Point(branch: Int32(branch), sequence: layout.sequence)) == event
    case .entity(let entity, _):
      return layout.version == 1 && !layout.entity.isEmpty
        && fold.entityNames.find(canonical, layout.entity) == entity
    case .singleton(let kind):
      guard layout.version == 1, layout.entity.isEmpty,
        let name = fold.typeNames.find(canonical, layout.type),
        let type = fold.compiled.type(named: name)
      else { return false }
      return fold.catalog.collections[fold.compiled.types[type].collection].kind == kind
    }
  }
}
