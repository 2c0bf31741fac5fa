/// Turns a store's requests into commits, and its states into snapshots.
///
/// A ``StoreWorker`` uses it from one thread at a time.
final class StoreCore {
  let writer: JournalWriter<StoreSink>
  let feed: LatestFeed<Snapshot>
  /// Nil if the store uses no checkpoints.
  private var checkpoints: CheckpointKeeper?
  /// The app's schema until it is saved, or nil if the app declares no revision.
  var schema: SchemaFile?
  private(set) var bases = ConflictBases()
  /// The ``Fold/conflictVersion`` whose bases are complete.
  private var conflictVersion = 0
  /// The reading that `bases` belongs to. In another reading, branches have other numbers.
  private var basesReset = 0
  private var published: PublishedState?
  private var publishedReadingCount = 0
  /// The decoded records of published states.
  private let records = RecordCache()
  /// The prefix of the journal that was read ahead, or nil.
  var prefix: CommonPrefix<StoreSink>?
  /// The state of each running replication.
  var replications: [ObjectIdentifier: ReplicationMemory] = [:]
  /// The ticket of the buffered appends that aren't synced yet, or nil if there are none.
  private var ticket: DurabilityTicket?
  /// The ticket of the appends that are being synced.
  private var syncingTicket: DurabilityTicket?

  /// Whether to publish the state after a replication: false for an unread store until its state
  /// is first published for another reason.
  private(set) var isShown: Bool
  /// Whether the store refuses appends and syncs.
  var isClosed = false

  /// Identifies the state of a snapshot.
  private struct PublishedState: Equatable {
    var resetCount: Int
    var lineCount: Int
    /// Whether the bases of its conflicts could be read.
    var hasBases: Bool
    /// Why the next append takes a fresh device ID.
    var freshDevice: DeviceDecision.Reason?
    var device: DeviceID?
  }

  init(
    writer: JournalWriter<StoreSink>, feed: LatestFeed<Snapshot>, checkpoints: CheckpointKeeper?,
    isShown: Bool
  ) {
    self.writer = writer
    self.isShown = isShown
    self.feed = feed
    self.checkpoints = checkpoints
    writer.checkpoint = { [unowned self] in begin($0) }
  }

  // MARK: - Reading

  /// Reads lines that other processes have appended.
  ///
  /// - Throws: The errors of ``JournalWriter/refresh()``.
  func refresh() throws(EventLogError) {
    if try writer.refresh() { try readBases() }
    // A sync of buffered events or a replication may have read more lines before.
    publish()
  }

  /// Whether lines of others were read that no published state contains.
  var hasUnpublishedReading: Bool { writer.readingCount != publishedReadingCount }

  /// Publishes the state if it has changed, and returns the current snapshot.
  ///
  /// A failed commit or reading has discarded the state, so the journal is read again. If that
  /// fails, too, the last published state remains until a reading succeeds.
  @discardableResult
  func publish() -> Snapshot {
    isShown = true
    if !writer.isWhole, !writer.syncState.isSyncing { _ = try? writer.refresh() }
    guard writer.isWhole else {
      // After the sync, the journal can be read again.
      return writer.syncState.isSyncing ? feed.value : keep()
    }
    // If this fails, the bases are read for the next snapshot.
    try? readBases()
    publishedReadingCount = writer.readingCount
    let state = PublishedState(
      resetCount: writer.resetCount, lineCount: writer.pass.lineCount,
      hasBases: conflictVersion == writer.pass.sink.fold.conflictVersion,
      freshDevice: writer.foreseen.reason, device: writer.foreseen.device)
    if state == published { return keep() }
    published = state
    writer.paginate()
    let snapshot = Snapshot(
      fold: writer.pass.sink.fold, ledger: writer.pass.ledger,
      damage: writer.pass.report.problems,
      bases: bases, projections: writer.pass.sink.projections,
      notices: state.freshDevice?.sentence.map { [$0] } ?? [], deviceID: state.device,
      records: records, reading: state.resetCount)
    feed.publish(snapshot)
    return snapshot
  }

  /// Keeps the last published state as the current one.
  private func keep() -> Snapshot {
    feed.confirm()
    return feed.value
  }

  func publishIfDeferred() {
    if feed.latest == nil { publish() }
  }

  /// Publishes the state, or defers that until it is read.
  ///
  /// After a snapshot, the next append has to copy everything that it changes. An app that appends
  /// many events in a row usually doesn't read the states in between.
  private func publishOrDefer(_ worker: StoreWorker) {
    // Projections run code of the app, and missing bases are read from the file.
    guard worker.isIdle, writer.isWhole, writer.pass.sink.projections.isEmpty, isCurrent,
      feed.putOff()
    else {
      publish()
      return
    }
  }

  /// Reads the bases of new conflicts.
  ///
  /// Own appends have seen all other events and begin no conflict, so this does nothing unless
  /// events were received.
  func readBases() throws(EventLogError) {
    if basesReset != writer.resetCount, writer.pass.restartCount > 0 {
      bases = ConflictBases()
      conflictVersion = writer.pass.sink.fold.conflictVersion &- 1
    }
    basesReset = writer.resetCount
    guard writer.pass.sink.fold.conflictVersion != conflictVersion else { return }
    let pass = writer.pass
    let fold = pass.sink.fold
    let hasRead = try bases.update(
      for: fold.openConflicts(pass.ledger), in: fold, pass.ledger, reread: try writer.rereading())
    conflictVersion = fold.conflictVersion
    if hasRead { checkpoints?.noteRereading(upTo: pass.endOffset) }
  }

  // MARK: - Checkpoints

  /// Discards the bases of the previous reading and begins one after the checkpoint, if it fits.
  private func begin(_ file: JournalFile) -> JournalPass<StoreSink>? {
    bases = ConflictBases()
    conflictVersion = 0
    if let pass = takePrefix(of: file) { return pass }
    guard
      let start = checkpoints?.begin(file, writer.blank, user: writer.options.user)
    else { return nil }
    bases = start.bases ?? ConflictBases()
    // If the checkpoint contains no bases, they are read as if all conflicts were new.
    conflictVersion = start.pass.sink.fold.conflictVersion &- (start.bases == nil ? 1 : 0)
    return start.pass
  }

  /// Whether a checkpoint is worth writing, and possible, because all events are synced, or the
  /// app's schema isn't saved yet.
  var needsUpkeep: Bool {
    schema != nil
      || !hasBuffered && checkpoints?.isDue(at: writer.pass.endOffset, closing: false) == true
  }

  /// Saves the app's schema once there is a journal, and writes a checkpoint if it is worth it.
  ///
  /// Never called under the journal's lock, and only after requests are answered.
  func performUpkeep(closing isClosing: Bool = false) {
    saveSchema()
    guard checkpoints?.isDue(at: writer.pass.endOffset, closing: isClosing) == true else { return }
    checkpoints?.keep(writer, isCurrent ? bases : nil)
  }

  /// Saves the app's schema once there is a journal.
  func saveSchema() {
    guard let schema, writer.side.isBesideJournal else { return }
    self.schema = nil
    writer.side.keep(schema, replacingSameRevision: true)
  }

  /// Runs `body` while a checkpoint is written, if that is worth it for a store that soon closes.
  func keepingCheckpoint<Value>(
    _ body: () throws(EventLogError) -> Value
  ) throws(EventLogError) -> Value {
    guard checkpoints?.isDue(at: writer.pass.endOffset, closing: true) == true,
      let write = checkpoints?.writing(writer, isCurrent ? bases : nil)
    else { return try body() }
    return try SerialWorker(label: "eventlog.checkpoint").both(
      there: { () throws(EventLogError) in write() }, here: body
    ).here
  }

  private var isCurrent: Bool { writer.pass.sink.fold.conflictVersion == conflictVersion }

  // MARK: - Committing

  /// Requests whose events are written, and may have to be synced.
  struct Written: Sendable {
    /// The answer to each request, without a failure of the sync.
    var answers: [StoreWorker.Answer] = []
    /// Whether each request is answered before the sync.
    var isBuffered: [Bool] = []
    /// The sync that has to run before the other requests are answered.
    var sync: SyncJob?
    /// The answers to callers that wait for syncs.
    var tickets: [(DurabilityTicket, DurabilityTicket.Answer)] = []
    /// Whether buffered appends wait for a later sync.
    var hasBuffered = false
    /// Whether their sync couldn't begin.
    var hasFailedToSync = false
    /// Whether to call ``performUpkeep(closing:)``.
    var needsUpkeep = false
  }

  /// Writes requests under the journal's lock. A refused request doesn't affect the others.
  ///
  /// If there is a sync, the caller has to run it and then call ``finish(_:failure:for:)``.
  func write(_ requests: [StoreRequest], for worker: StoreWorker) -> Written {
    write(requests, for: worker) { (add) throws(EventLogError) in
      try RangeName.refuse(journal: writer.path)
      return try writer.write(durably: requests.contains { $0.durability == .durable }, add)
    }!
  }

  /// Does the same for one request. Returns nil, with nothing done, if it has to wait for anything
  /// but a sync.
  func writeAtOnce(_ request: StoreRequest, for worker: StoreWorker) -> Written? {
    // If the append fails, the journal can't be read again until the sync ends.
    if request.runsAppCode || writer.syncState.isSyncing { publishIfDeferred() }
    return write([request], for: worker) { (add) throws(EventLogError) in
      try writer.writeAtOnce(durably: request.durability == .durable, add)
    }
  }

  private func write(
    _ requests: [StoreRequest], for worker: StoreWorker,
    _ commit: ((inout JournalBatch<StoreSink>) -> Void) throws(EventLogError)
      -> JournalWriter<StoreSink>.Outcome?
  ) -> Written? {
    var results: [Result<AppendReceipt, EventLogError>] = []
    var written = Written(isBuffered: requests.map { $0.durability == .buffered })
    var hasFailed = false
    do throws(EventLogError) {
      let outcome = try commit { batch in results = requests.map { add($0, to: &batch) } }
      guard let outcome else { return nil }
      written.sync = outcome.sync
      // The state is known once the journal is read again, after the sync.
      if !writer.isWhole { written.isBuffered = requests.map { _ in false } }
      if outcome.sync == nil || written.isBuffered.contains(true) { publishOrDefer(worker) }
      // A skipped event may wait for the sync of an earlier request.
      let ticket = outcome.wrote ? currentTicket(worker) : self.ticket ?? syncingTicket
      if outcome.sync != nil {
        (syncingTicket, self.ticket) = (self.ticket, nil)
      } else if case .synced = writer.syncState {
        written.tickets = takeTickets(.success(()))
      }
      written.answers = zip(results, written.isBuffered).map { (result, isBuffered) in
        result.map { complete($0, outcome, isBuffered ? ticket : nil, worker) }
      }
    } catch {
      hasFailed = true
      if error.code == .syncFailed || requests.isEmpty {
        written.tickets = takeTickets(.failure(error))
      }
      publishIfDeferred()
      written.answers = requests.indices.map { index in
        // A request that was refused for its own reason keeps that reason.
        if index < results.count, case .failure = results[index] { return results[index] }
        return .failure(error)
      }
    }
    written.hasBuffered = hasBuffered
    written.hasFailedToSync = hasFailed && requests.isEmpty
    written.needsUpkeep = needsUpkeep
    return written
  }

  /// Ends a write after its sync has run.
  func finish(_ written: Written, failure: Errno?, for worker: StoreWorker) -> Written {
    guard let sync = written.sync else { return written }
    var written = written
    written.tickets = syncingTicket.map { [($0, .success(()))] } ?? []
    do throws(EventLogError) {
      try writer.finish(sync, failure: failure)
    } catch {
      if error.code == .syncFailed { written.tickets = takeTickets(.failure(error)) }
      for index in written.answers.indices where !written.isBuffered[index] {
        if case .success = written.answers[index] { written.answers[index] = .failure(error) }
      }
    }
    syncingTicket = nil
    publishOrDefer(worker)
    for index in written.answers.indices where !written.isBuffered[index] {
      written.answers[index] = written.answers[index].map { receipt in
        var receipt = receipt
        receipt.state = currentState(worker)
        return receipt
      }
    }
    (written.hasBuffered, written.needsUpkeep) = (hasBuffered, needsUpkeep)
    return written
  }

  /// The current state for a receipt.
  private func currentState(_ worker: StoreWorker) -> AppendReceipt.State {
    feed.latest.map { .known($0) } ?? .toCome(LazySnapshot(of: worker))
  }

  /// The ticket of buffered appends, which all of them share until the next sync.
  private func currentTicket(_ worker: StoreWorker) -> DurabilityTicket {
    let ticket = self.ticket ?? DurabilityTicket { [weak worker] in worker?.flush() }
    self.ticket = ticket
    return ticket
  }

  /// Writes nothing and begins the sync of buffered appends, if there are any.
  func beginFlush(for worker: StoreWorker) -> Written? {
    guard hasBuffered else { return nil }
    return write([], for: worker) { (add) throws(EventLogError) in
      try writer.write(durably: true, add)
    }
  }

  /// Syncs buffered appends.
  ///
  /// - Throws: `syncFailed`, which waiting callers receive as well.
  func flush() throws(EventLogError) {
    if hasBuffered { try sync() }
  }

  /// Syncs everything that this store has written.
  ///
  /// - Throws: `syncFailed`, also if an earlier sync failed.
  func sync() throws(EventLogError) {
    let result = Result { () throws(EventLogError) in try writer.sync() }
    // The state is published already, so no reader of it waits for this work.
    for (ticket, answer) in takeTickets(result) { ticket.answer(answer) }
    try result.get()
  }

  /// Ends the tickets of appends that no sync covers anymore.
  func endTickets() {
    for ticket in [syncingTicket, ticket] { ticket?.end() }
  }

  private var hasBuffered: Bool { ticket != nil || writer.syncState.isOwed }

  /// Returns the tickets to answer, and forgets them unless another sync is tried.
  private func takeTickets(
    _ answer: DurabilityTicket.Answer
  ) -> [(DurabilityTicket, DurabilityTicket.Answer)] {
    defer { if answer.failureToRetry == nil { (syncingTicket, ticket) = (nil, nil) } }
    return [syncingTicket, ticket].compactMap { $0.map { ($0, answer) } }
  }

  private func complete(
    _ receipt: AppendReceipt, _ outcome: JournalWriter<StoreSink>.Outcome,
    _ ticket: DurabilityTicket?, _ worker: StoreWorker
  ) -> AppendReceipt {
    var receipt = receipt
    receipt.state = currentState(worker)
    receipt.ticket = ticket
    if !receipt.appended.isEmpty { receipt.notices = outcome.notices }
    return receipt
  }

  /// - Throws: `usage` if the store is closed.
  func checkIsOpen() throws(EventLogError) {
    guard isClosed else { return }
    throw EventLogError(
      .usage, "The store of \"\(writer.path)\" is closed. Nothing was written.",
      hint: "Open the journal again: EventStore.open(…).")
  }

  private func add(
    _ request: StoreRequest, to batch: inout JournalBatch<StoreSink>
  ) -> Result<AppendReceipt, EventLogError> {
    // A request that can't fail partway needs no state to return to.
    let saved = request.mayBreakOff || batch.device == nil ? batch : nil
    do throws(EventLogError) {
      try checkIsOpen()
      try batch.checkUser()
      var receipt = AppendReceipt(snapshot: feed.value)
      try request.body(&batch, &receipt)
      return .success(receipt)
    } catch {
      if let saved { batch = saved }
      return .failure(error)
    }
  }
}

extension JournalWriter<StoreSink> {
  /// Divides the state into pages that snapshots share until they change.
  func paginate() {
    pass.sink.fold.paginate()
    pass.ledger.paginate()
  }
}

extension JournalWriter.Outcome {
  /// The messages for the user.
  fileprivate var notices: [String] {
    var notices: [String] = []
    var reason = freshDevice
    if let sentence = quarantineNotice(of: "the journal") {
      notices.append(sentence)
      // A damaged end is also the reason for a new device ID.
      reason = .doubtfulTail
    }
    if let sentence = reason?.sentence { notices.append(sentence) }
    return notices
  }
}
