/// A journal as one side of a replication: a store, which has no state if it has no observers.
///
/// Methods are called one at a time. Received lines are applied batch by batch, and published at
/// the end. So a run folds each event once and collects the conflicts once, however many batches
/// it has.
package final class Replica: HistoryLookup {
  private let worker: StoreWorker
  /// Whether all runs are one dry run: each starts with the events that the earlier ones would have
  /// received.
  private let isOneDryRun: Bool

  init(_ worker: StoreWorker, asOneDryRun isOneDryRun: Bool = false) {
    self.worker = worker
    self.isOneDryRun = isOneDryRun
  }

  /// Creates a side without a state, for a journal whose events are enough.
  package convenience init(_ path: String, _ options: JournalOptions) {
    self.init(path, options, prefix: nil)
  }

  /// Does the same.
  ///
  /// - Parameters:
  ///   - prefix: The common prefix with the initiator's journal.
  ///   - initiator: The initiator's side folder.
  convenience init(
    _ path: String, _ options: JournalOptions, prefix: CommonPrefix<LedgerSink>?,
    initiator: SideFolder? = nil
  ) {
    self.init(
      StoreWorker(StoreCore(eventsOf: path, options, prefix: prefix, initiator: initiator)))
  }

  deinit { worker.forgetReplication(ObjectIdentifier(self)) }

  /// Returns the side for a new run. Only the runs of one dry run share their memory.
  func begun() -> Replica { isOneDryRun ? self : Replica(worker) }

  /// Describes a run for the remote, before the journal is read.
  func request(
    _ address: String, dryRun isDryRun: Bool
  ) async throws(EventLogError) -> SyncRequest {
    try await perform { (core, run) throws(EventLogError) in
      try core.checkIsOpen()
      var user = run.preview?.pass.ledger.user
      if user == nil { user = try core.writer.owner }
      let (side, options) = (core.writer.side, core.writer.options)
      var request = SyncRequest(
        user: user ?? options.user, device: core.ownDevice, isDryRun: isDryRun,
        known: side.known(of: address))
      if options.usesCheckpoints { request.side = side }
      return request
    }
  }

  /// The common prefix of the journal and a remote, or nil if the remote isn't a journal or the
  /// prefix would save no reading.
  ///
  /// - Throws: `usage` if the remote is the journal itself.
  func prefix(
    with remote: any ReachableRemote
  ) async throws(EventLogError) -> CommonPrefix<LedgerSink>? {
    guard let other = remote as? JournalRemote else { return nil }
    return try await perform { (core, _) throws(EventLogError) in
      try other.checkIsOther(than: core.writer.path, core.writer.fileSystem)
      return core.readPrefix(with: other)
    }
  }

  /// Saves the findings of a run at a remote for the next one.
  func remember(_ known: Set<String>, of address: String) async throws(EventLogError) {
    try await perform { (core, _) throws(EventLogError) in
      core.writer.side.keep(known, of: address)
    }
  }

  /// The journal's schema file, or nil if it has none.
  func schema() async throws(EventLogError) -> SchemaFile? {
    try await perform { (core, _) throws(EventLogError) in
      core.saveSchema()
      return core.writer.side.schema
    }
  }

  /// Saves a schema file if it is later than the journal's own.
  func keep(_ schema: SchemaFile) async throws(EventLogError) {
    try await perform { (core, _) throws(EventLogError) in
      core.writer.side.keep(schema, replacingSameRevision: false)
    }
  }

  /// Records the events of a remote. Adds an unknown remote only if `isNew` is true.
  func note(
    _ success: RemoteRecord.Success, of address: String, evenIfNew isNew: Bool
  ) async {
    try? await perform { (core, _) throws(EventLogError) in
      core.writer.side.note(success, of: address, at: core.writer.options.now, evenIfNew: isNew)
    }
  }

  /// Records why a run failed, if the remote is one of the journal's.
  func note(_ error: EventLogError, of address: String) async {
    try? await perform { (core, _) throws(EventLogError) in
      core.writer.side.note(error, of: address, at: core.writer.options.now)
    }
  }

  /// Reads new lines and syncs all lines that may be sent.
  func open(dryRun isDryRun: Bool) async throws(EventLogError) -> ReplicaState {
    try await perform { (core, run) throws(EventLogError) in
      run.isDryRun = isDryRun
      var state = try core.openForReplication(&run.candidates, dryRun: isDryRun)
      if let ledger = run.preview?.pass.ledger {
        (state.ledger, state.statement) = (ledger, ledger.statement)
      }
      return state
    }
  }

  /// Appends the events of a prelude durably.
  ///
  /// - Returns: The events held afterward, also in a dry run.
  func append(
    _ drafts: [EventDraft], of prelude: any ReplicationPrelude
  ) async throws(EventLogError) -> ReplicaState {
    try await perform { (core, run) throws(EventLogError) in
      try core.checkIsOpen()
      func add(to batch: inout JournalBatch<StoreSink>) throws(EventLogError) {
        for (index, draft) in drafts.enumerated() {
          // After a crash, a batch of this size is complete or absent: each event is below 1 KiB.
          let hasMore = index + 1 < drafts.count && (index + 1) % 1024 != 0
          _ = try batch.add(draft, hasMore: hasMore)
        }
        try prelude.check(batch.pass.ledger)
      }
      guard run.isDryRun else {
        if !drafts.isEmpty {
          let writer = core.writer
          writer.note(try writer.commit { (batch) throws(EventLogError) in try add(to: &batch) })
        }
        return try core.openForReplication(&run.candidates, dryRun: false)
      }
      var state = try core.openForReplication(&run.candidates, dryRun: true)
      try core.previewing(run) { (batch) throws(EventLogError) in try add(to: &batch) }
      let ledger = run.preview!.pass.ledger
      (state.ledger, state.statement) = (ledger, ledger.statement)
      return state
    }
  }

  /// Passes the state at the end of a run to its prelude.
  func finish(_ prelude: any ReplicationPrelude) async throws(EventLogError) {
    try await perform { (core, run) throws(EventLogError) in
      let pass = run.preview?.pass ?? core.writer.pass
      prelude.finish(pass.sink.fold, pass.ledger)
    }
  }

  package func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await perform { (core, run) throws(EventLogError) in
      (run.preview?.pass.ledger ?? core.writer.pass.ledger).chains(queries)
    }
  }

  /// Retires the own device ID if `events` contains later events of it than the journal does.
  ///
  /// - Returns: The reason, as a sentence for the user, or nil if nothing has changed.
  func notice(_ events: [FullEventID]) async throws(EventLogError) -> String? {
    try await perform { (core, run) throws(EventLogError) in
      let reason = try core.writer.notice(events, dryRun: run.isDryRun)
      return run.isDryRun ? reason?.foretelling : reason?.sentence
    }
  }

  /// Returns the lines of the held events in some ranges.
  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let reading = SerialWorker(label: "eventlog.send")
    let worker = worker
    return try await perform { (core, _) throws(EventLogError) in
      try core.writer.source(ranges, on: reading) { worker.distrust() }
    }
  }

  /// Receives lines durably.
  func receive(
    _ lines: LineBatch, from user: String?, on filter: ReceiveFilter
  ) async throws(EventLogError) -> ReceiveResult {
    try await perform { (core, run) throws(EventLogError) in
      try core.checkIsOpen()
      guard run.isDryRun else { return try core.writer.receive(lines, from: user, on: filter) }
      return try core.preview(lines, from: user, on: filter, run)
    }
  }

  /// Publishes the received events.
  ///
  /// - Returns: The new conflicts.
  func finish() async throws(EventLogError) -> [Conflict] {
    try await perform { (core, run) throws(EventLogError) in
      let state = try run.preview.map { (batch) throws(EventLogError) in
        try core.previewedState(batch)
      }
      let known = run.candidates ?? [:]
      // In one dry run, the conflicts of a run aren't new to the next run.
      run.candidates = state?.conflictCandidates ?? run.candidates
      if state == nil, !core.isShown {
        return try core.keepingCheckpoint { () throws(EventLogError) in
          try core.newConflicts(besides: known)
        }
      }
      return (state ?? core.publish()).conflicts(besides: known)
    }
  }

  /// The undeclared names in the journal, including the results of the dry runs so far.
  ///
  /// Conflicts about them can't be found.
  func unknownNames() async throws(EventLogError) -> [String] {
    try await perform { (core, run) throws(EventLogError) in
      (run.preview?.pass ?? core.writer.pass).sink.fold.unknownNames
    }
  }

  /// Returns and clears the pending messages for the user.
  func takeNotices() async throws(EventLogError) -> [String] {
    try await perform { (core, _) throws(EventLogError) in core.writer.takeNotices() }
  }

  /// The message about damage in this journal, which the other side would not learn otherwise.
  func damageNotice() async throws(EventLogError) -> String? {
    try await withWriter { (writer) throws(EventLogError) in
      writer.pass.report.firstDamage.map {
        "\"\(writer.path)\" is damaged (line \($0.line)): \($0.message)"
      }
    }
  }

  /// Calls `body` with the journal's writer. Calls run one at a time.
  package func withWriter<Value: Sendable>(
    _ body: @escaping @Sendable (JournalWriter<StoreSink>) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await perform { (core, _) throws(EventLogError) in try body(core.writer) }
  }

  /// Publishes the events that were received before a run ended early. Returns immediately.
  func abandon() { worker.publishSoon() }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (StoreCore, ReplicationMemory) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.performQuietly { (core) throws(EventLogError) in
      // A failed append in between may have discarded the reading.
      try core.writer.readWhole()
      return try body(core, core.memory(of: ObjectIdentifier(self)))
    }
  }
}

/// The state of a replication between its steps.
final class ReplicationMemory {
  /// The candidates of the conflicts that were open before, by the conflict's ID.
  var candidates: [[UInt8]: Set<FullEventID>]?
  /// The resulting journal of a dry run.
  var preview: JournalBatch<StoreSink>?
  var isDryRun = false
}

extension StoreCore {
  /// The memory of a replication, created in its first step.
  fileprivate func memory(of replication: ObjectIdentifier) -> ReplicationMemory {
    if let memory = replications[replication] { return memory }
    let memory = ReplicationMemory()
    replications[replication] = memory
    return memory
  }

  /// The device in `device.json`, if that was written for this file and not for one that it is a
  /// copy of.
  fileprivate var ownDevice: DeviceID? {
    guard let status = try? writer.fileSystem.status(at: writer.path) else { return nil }
    return writer.side.fittingRecord(of: .init(status))?.device
  }

  /// Reads new lines for a replication and syncs all lines that may be sent. Publishes nothing.
  fileprivate func openForReplication(
    _ candidates: inout [[UInt8]: Set<FullEventID>]?, dryRun isDryRun: Bool
  ) throws(EventLogError) -> ReplicaState {
    try RangeName.refuse(journal: writer.path)
    var state = try writer.open(dryRun: isDryRun)
    if let owner = state.statement.user {
      try JournalBatch<StoreSink>.check(writer.options.user, isOwner: owner, of: writer.path)
    }
    state.statement.user = state.statement.user ?? writer.options.user
    if candidates == nil {
      candidates = writer.pass.sink.fold.conflictCandidates(state.ledger)
    }
    return state
  }

  /// Receives lines into the preview of a dry run.
  fileprivate func preview(
    _ lines: LineBatch, from user: String?, on filter: ReceiveFilter, _ run: ReplicationMemory
  ) throws(EventLogError) -> ReceiveResult {
    try previewing(run) { (batch) throws(EventLogError) in
      batch.expect(user: user)
      return try batch.receive(lines.bytes, on: filter)
    }
  }

  /// Changes the preview of a dry run, also partially if `body` fails.
  fileprivate func previewing<Value>(
    _ run: ReplicationMemory,
    _ body: (inout JournalBatch<StoreSink>) throws(EventLogError) -> Value
  ) throws(EventLogError) -> Value {
    var batch = takePreview(of: run)
    let result: Result<Value, EventLogError>
    do throws(EventLogError) { result = .success(try body(&batch)) } catch {
      result = .failure(error)
    }
    run.preview = try reread(batch)
    return try result.get()
  }

  /// Moves the preview out of a dry run, so that it has one owner and is changed in place.
  fileprivate func takePreview(of run: ReplicationMemory) -> JournalBatch<StoreSink> {
    if let begun = run.preview {
      run.preview = nil
      return begun
    }
    writer.paginate()
    return writer.dryRunBatch()
  }

  /// Reads all lines again if received lines change what earlier lines had seen.
  fileprivate func reread(
    _ batch: consuming JournalBatch<StoreSink>
  ) throws(EventLogError) -> JournalBatch<StoreSink> {
    guard batch.pass.ledger.mustReread else { return batch }
    var reread = writer.pass.lineCount > 0 ? try writer.rereading() : JournalRereading()
    reread.further = batch.bytes
    batch.pass = try reread.pass(writer.emptyPass.sink, like: batch.pass)
    return batch
  }

  /// The conflicts of the unpublished state that aren't known yet, with their bases.
  fileprivate func newConflicts(
    besides known: [[UInt8]: Set<FullEventID>]
  ) throws(EventLogError) -> [Conflict] {
    let (fold, ledger) = (writer.pass.sink.fold, writer.pass.ledger)
    let open = fold.openConflicts(ledger, besides: [known])
    if open.isEmpty { return [] }
    try readBases()
    return fold.conflicts(open, ledger, bases)
  }

  /// The resulting state of a dry run, with the bases of its conflicts.
  fileprivate func previewedState(
    _ batch: JournalBatch<StoreSink>
  ) throws(EventLogError) -> Snapshot {
    let (fold, ledger) = (batch.pass.sink.fold, batch.pass.ledger)
    var bases = batch.pass.restartCount == writer.pass.restartCount ? self.bases : ConflictBases()
    var reread = JournalRereading()
    if writer.pass.lineCount > 0 { reread = try writer.rereading() }
    reread.further = batch.bytes
    try bases.update(for: fold.openConflicts(ledger), in: fold, ledger, reread: reread)
    return Snapshot(
      fold: fold, ledger: ledger, damage: [], bases: bases, projections: [])
  }
}
