/// A store as the side of a replication that a run is started on.
///
/// What is received is applied batch by batch and shown at the end, so that a run costs one fold
/// and one look at its conflicts, however many batches it has.
final class StoreReplica: LocalReplica {
  private let worker: StoreWorker
  /// Whether runs follow upon one another: each begins with what the ones before have rehearsed.
  private let isOneRehearsal: Bool

  init(_ worker: StoreWorker, asOneRehearsal isOneRehearsal: Bool = false) {
    self.worker = worker
    self.isOneRehearsal = isOneRehearsal
  }

  func begun() -> any LocalReplica { isOneRehearsal ? self : StoreReplica(worker) }

  func visit(
    _ address: String, rehearsing isRehearsal: Bool
  ) async throws(EventLogError) -> RemoteVisit {
    try await perform { (core, run) throws(EventLogError) in
      var user = run.rehearsal?.pass.ledger.user
      if user == nil { user = try core.writer.owner }
      return RemoteVisit(
        user: user ?? core.writer.options.user,
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
      let state = try core.openForReplication(&run.candidates, rehearsing: isRehearsal)
      guard let batch = run.rehearsal else { return state }
      return try core.rehearsed(state, batch)
    }
  }

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    try await perform { (core, run) throws(EventLogError) in
      guard let batch = run.rehearsal else { return try core.writer.checksum(of: event) }
      return try core.writer.checksum(of: event, orIn: batch)
    }
  }

  func notice(
    _ claims: [[DeviceID: HistoryPoint]]
  ) async throws(EventLogError) -> String? {
    try await perform { (core, run) throws(EventLogError) in
      let reason = try core.writer.notice(claims, rehearsing: run.isRehearsal)
      return run.isRehearsal ? reason?.foretelling : reason?.sentence
    }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let reading = SerialWorker(label: "eventlog.send")
    return try await perform { (core, run) throws(EventLogError) in
      guard let batch = run.rehearsal else {
        return try core.writer.source(ranges, on: reading)
      }
      return try core.writer.source(ranges, with: batch, on: reading)
    }
  }

  func receive(
    _ lines: LineBatch, from user: String?, on terms: ReceivingTerms
  ) async throws(EventLogError) -> Reception {
    try await perform { (core, run) throws(EventLogError) in
      core.writer.expect(user: user)
      if let reception = try core.writer.receive(
        lines, on: terms, &run.spool, rehearsing: run.isRehearsal)
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
      let reception = batch.receive(lines.bytes, on: terms)
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
      // What a run has brought is not new to the next one of a rehearsal.
      run.candidates = state?.conflictCandidates ?? run.candidates
      if state == nil, !core.isShown {
        return try core.keepingCheckpoint { () throws(EventLogError) in
          try core.newConflicts(besides: known)
        }
      }
      return (state ?? core.publish()).conflicts(besides: known)
    }
  }

  func takeNotices() async throws(EventLogError) -> [String] {
    try await perform { (core, _) throws(EventLogError) in core.writer.takeAsides() }
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
    try RangeName.refuse(journal: writer.path)
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
      candidates = writer.pass.sink.fold.conflictCandidates(ledger)
    }
    return LocalState(statement: statement, device: writer.sameDevice, ledger: ledger)
  }

  /// The same with what earlier runs of a rehearsal have brought.
  fileprivate func rehearsed(
    _ state: LocalState, _ batch: JournalBatch<StoreSink>
  ) throws(EventLogError) -> LocalState {
    var state = state
    state.statement = try writer.statement(with: batch)
    state.ledger = batch.pass.ledger
    return state
  }

  /// The conflicts that are not among those given, with their bases, of a state that nobody looks
  /// at: that of the others is not asked for.
  fileprivate func newConflicts(
    besides known: [[UInt8]: Set<EventID>]
  ) throws(EventLogError) -> [Conflict] {
    let (fold, ledger) = (writer.pass.sink.fold, writer.pass.ledger)
    let open = fold.openConflicts(ledger, besides: [known])
    if open.isEmpty { return [] }
    var bases = self.bases
    try bases.update(
      for: open, in: fold, ledger,
      past: (past?.pass ?? stored).map {
        PastState(fold: $0.sink.fold, ledger: $0.ledger, endOffset: $0.endOffset)
      },
      reread: try writer.rereading())
    return fold.conflicts(open, ledger, bases)
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
