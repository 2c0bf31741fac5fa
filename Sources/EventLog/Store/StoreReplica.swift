/// A store as the side of a replication that a run is started on.
///
/// What is received is applied batch by batch and shown at the end, so that a run costs one fold
/// and one look at its conflicts, however many batches it has.
final class StoreReplica: LocalReplica {
  private let worker: StoreWorker

  init(_ worker: StoreWorker) { self.worker = worker }

  func visit(
    _ address: String, rehearsing isRehearsal: Bool
  ) async throws(EventLogError) -> RemoteVisit {
    try await perform { (core, _) throws(EventLogError) in
      RemoteVisit(
        user: try core.writer.owner ?? core.writer.options.user,
        device: core.ownDevice, isRehearsal: isRehearsal,
        known: core.writer.side.known(of: address))
    }
  }

  func beginning(with other: JournalRemote) async throws(EventLogError) -> SharedBeginning? {
    try await perform { (core, _) throws(EventLogError) in try core.readBeginning(with: other) }
  }

  func remember(_ known: Set<String>, of address: String) async throws(EventLogError) {
    try await perform { (core, _) throws(EventLogError) in
      core.writer.side.keep(known, of: address)
    }
  }

  func open(rehearsing isRehearsal: Bool) async throws(EventLogError) -> LocalState {
    try await perform { (core, run) throws(EventLogError) in
      run.isRehearsal = isRehearsal
      return try core.openForReplication(&run.candidates, rehearsing: isRehearsal)
    }
  }

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    try await perform { (core, _) throws(EventLogError) in try core.writer.checksum(of: event) }
  }

  func notice(
    _ claims: [[DeviceID: HistoryPoint]]
  ) async throws(EventLogError) -> String? {
    try await perform { (core, run) throws(EventLogError) in
      try core.writer.notice(claims, rehearsing: run.isRehearsal)?.sentence
    }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let reading = SerialWorker(label: "eventlog.send")
    return try await perform { (core, _) throws(EventLogError) in
      try core.writer.source(ranges, on: reading)
    }
  }

  func receive(
    _ lines: LineBatch, from user: String?, disputed: [DeviceID: Int64]
  ) async throws(EventLogError) -> Reception {
    try await perform { (core, run) throws(EventLogError) in
      core.writer.expect(user: user)
      if let reception = try core.writer.receive(
        lines, disputed: disputed, &run.spool, rehearsing: run.isRehearsal)
      {
        return reception
      }
      var batch: JournalBatch<StoreSink>
      if let begun = run.rehearsal {
        batch = begun
        run.rehearsal = nil
      } else {
        core.writer.paginate()
        batch = core.writer.rehearsal()
      }
      let reception = batch.receive(lines.bytes, disputed: disputed)
      run.rehearsal = batch
      return reception
    }
  }

  func completeReception() async throws(EventLogError) -> RewriteOutcome? {
    try await perform { (core, run) throws(EventLogError) in
      let outcome = try core.writer.completeReception(&run.spool)
      if outcome != nil { _ = try core.writer.refresh() }
      return outcome
    }
  }

  func finish() async throws(EventLogError) -> [Conflict] {
    try await perform { (core, run) throws(EventLogError) in
      let state = try run.rehearsal.map { (batch) throws(EventLogError) in
        try core.rehearsedState(batch)
      }
      let known = run.candidates ?? [:]
      if state == nil, !core.isShown { return try core.newConflicts(besides: known) }
      return (state ?? core.publish()).conflicts(besides: known)
    }
  }

  func abandon() { worker.publishSoon() }

  deinit {
    let id = ObjectIdentifier(self)
    worker.forgetReplication(id)
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (StoreCore, ReplicationMemory) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.performQuietly { (core) throws(EventLogError) in
      try body(core, core.memory(of: ObjectIdentifier(self)))
    }
  }
}

/// What a store keeps of a replication from one step to the next.
final class ReplicationMemory {
  /// The candidates of the conflicts that were open before, by the conflict's ID.
  var candidates: [[UInt8]: Set<EventID>]?
  /// What the journal would hold, while a run is rehearsed.
  var rehearsal: JournalBatch<StoreSink>?
  var isRehearsal = false
  /// What waits to be put among the lines of a journal with holes.
  var spool: RefillSpool?
}

extension StoreCore {
  /// The memory of one replication, begun with its first step.
  fileprivate func memory(of replication: ObjectIdentifier) -> ReplicationMemory {
    if let memory = replications[replication] { return memory }
    let memory = ReplicationMemory()
    replications[replication] = memory
    return memory
  }

  /// The device of `device.json`, if that was made for this very file: of a copy it is another's.
  fileprivate var ownDevice: DeviceID? {
    guard let status = try? writer.fileSystem.status(at: writer.path) else { return nil }
    return writer.side.fittingRecord(of: .init(status))?.device
  }

  /// Reads on for a replication, and makes durable what may be sent; shows nothing yet.
  fileprivate func openForReplication(
    _ candidates: inout [[UInt8]: Set<EventID>]?, rehearsing isRehearsal: Bool
  ) throws(EventLogError) -> LocalState {
    do throws(EventLogError) {
      if isRehearsal { _ = try writer.refresh() } else { try writer.secure() }
    } catch {
      guard error.code == .noJournal else { throw error }
    }
    var statement = try writer.statement()
    if let owner = statement.user {
      try JournalBatch<StoreSink>.check(writer.options.user, isOwner: owner)
    }
    statement.user = statement.user ?? writer.options.user
    let ledger = writer.pass.ledger
    if candidates == nil {
      candidates =
        Snapshot(
          fold: writer.pass.sink.fold, ledger: ledger, damage: [], bases: ConflictBases()
        ).conflictCandidates
    }
    return LocalState(statement: statement, device: writer.sameDevice, ledger: ledger)
  }

  /// The conflicts that are not among those given, with their bases, of a state that nobody looks
  /// at: that of the others is not asked for.
  fileprivate func newConflicts(
    besides known: [[UInt8]: Set<EventID>]
  ) throws(EventLogError) -> [Conflict] {
    let (fold, ledger) = (writer.pass.sink.fold, writer.pass.ledger)
    func state(_ bases: ConflictBases) -> Snapshot {
      Snapshot(fold: fold, ledger: ledger, damage: [], bases: bases)
    }
    let new = Set(
      state(ConflictBases()).conflicts(besides: known).map { Array($0.id.utf8) })
    if new.isEmpty { return [] }
    let open = fold.openConflicts(ledger).filter { conflict in
      new.contains(Array(fold.complete(conflict, base: nil, ledger).id.utf8))
    }
    var bases = self.bases
    try bases.update(
      for: open, in: fold, ledger,
      past: past.map { PastState(fold: $0.pass.sink.fold, ledger: $0.pass.ledger) },
      reread: try writer.rereading())
    return state(bases).conflicts.filter { new.contains(Array($0.id.utf8)) }
  }

  /// The state that a rehearsed run comes to, with the bases of its conflicts.
  fileprivate func rehearsedState(
    _ batch: JournalBatch<StoreSink>
  ) throws(EventLogError) -> Snapshot {
    let (fold, ledger) = (batch.pass.sink.fold, batch.pass.ledger)
    var bases = self.bases
    var reread = JournalRereading()
    if writer.pass.lineCount > 0 { reread = try writer.rereading() }
    reread.further = batch.bytes
    try bases.update(for: fold.openConflicts(ledger), in: fold, ledger, reread: reread)
    return Snapshot(
      fold: fold, ledger: ledger, damage: [], bases: bases, projections: [])
  }
}
