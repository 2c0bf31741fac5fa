/// The part of a store that runs on its worker. It turns requests into commits, and states into
/// snapshots.
final class StoreCore {
  let writer: JournalWriter<StoreSink>
  private let feed: LatestFeed<Snapshot>
  /// Nil if the store uses no checkpoints.
  private var checkpoints: CheckpointKeeper?
  private(set) var bases = ConflictBases()
  /// The ``Fold/conflictVersion`` whose bases are complete.
  private var conflictVersion = 0
  /// The reading that `bases` belongs to. In another reading, branches have other numbers.
  private var basesReset = 0
  private var published: PublishedState?
  /// The decoded records of published states.
  private let records = RecordCache()
  /// The prefix of the journal that was read ahead, or nil.
  var prefix: CommonPrefix<StoreSink>?
  /// The state of each running replication.
  var replications: [ObjectIdentifier: ReplicationMemory] = [:]
  /// The ticket of the buffered appends that aren't synced yet, or nil if there are none.
  private var ticket: DurabilityTicket?
  /// The current state, if it was handed out before its snapshot was created.
  private var unmade: LazySnapshot?

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
    // A sync of buffered events or a replication may have read more lines during the refresh.
    publish()
  }

  /// Publishes the state if it has changed, and returns the current snapshot.
  ///
  /// A failed commit or reading has discarded the state, so the journal is read again. If that
  /// fails, too, the last published state remains until a reading succeeds.
  @discardableResult
  func publish() -> Snapshot {
    isShown = true
    if !writer.isWhole { _ = try? writer.refresh() }
    guard writer.isWhole else { return keep() }
    // If this fails, the bases are read for the next snapshot.
    try? readBases()
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
    give(snapshot)
    feed.publish(snapshot)
    return snapshot
  }

  /// Keeps the last published state as the current one.
  private func keep() -> Snapshot {
    give(feed.value)
    feed.confirm()
    return feed.value
  }

  /// Sets the snapshot of the deferred state, if there is one.
  ///
  /// Call it before publishing, which may wait for a cancellation handler that reads the state (see
  /// ``LatestFeed``).
  private func give(_ snapshot: Snapshot) {
    unmade?.set(snapshot)
    unmade = nil
  }

  /// Publishes the current state if that was deferred.
  ///
  /// Call it before any work that may wait, or that runs code of the app, because readers of the
  /// state must not wait for that.
  func catchUp() {
    if feed.latest == nil || unmade != nil { publish() }
  }

  /// The current state for a receipt, deferred until it is read if possible.
  private func currentState(_ worker: StoreWorker) -> AppendReceipt.State {
    // Projections run code of the app, and missing bases are read from the file.
    guard writer.pass.sink.projections.isEmpty, isCurrent, feed.putOff() else {
      return .known(publish())
    }
    let state = unmade ?? LazySnapshot(of: worker)
    unmade = state
    return .toCome(state)
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

  /// Whether a checkpoint is worth writing, and possible, because all events are synced.
  var mustKeepCheckpoint: Bool {
    !hasBuffered && checkpoints?.isDue(at: writer.pass.endOffset, closing: false) == true
  }

  /// Writes a checkpoint if it is worth it.
  ///
  /// Never called under the lock, and only after requests are answered.
  func keepCheckpoint(closing isClosing: Bool = false) {
    guard checkpoints?.isDue(at: writer.pass.endOffset, closing: isClosing) == true else { return }
    checkpoints?.keep(writer, isCurrent ? bases : nil)
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

  /// Commits requests for a ``CommitQueue`` and answers each of them.
  ///
  /// A refused request doesn't affect the others.
  func commit(
    _ requests: [StoreRequest], for worker: StoreWorker,
    _ answer: @Sendable (Int, Result<AppendReceipt, EventLogError>) -> Void
  ) -> [(Int, Result<AppendReceipt, EventLogError>)] {
    var results: [Result<AppendReceipt, EventLogError>] = []
    var answered = Set<Int>()
    func answerBuffered(_ outcome: JournalWriter<StoreSink>.Outcome) {
      let ticket = currentTicket(worker)
      // Without a sync, all requests are answered after the commit.
      guard outcome.isDurable, requests.contains(where: { $0.durability == .buffered }) else {
        return
      }
      let snapshot = publish()
      for index in requests.indices where requests[index].durability == .buffered {
        answered.insert(index)
        answer(index, results[index].map { complete($0, outcome, .known(snapshot), ticket) })
      }
    }
    do throws(EventLogError) {
      try RangeName.refuse(journal: writer.path)
      let isDurable = requests.contains { $0.durability == .durable }
      let outcome = try writer.commit(durably: isDurable, written: answerBuffered) {
        (batch) throws(EventLogError) in
        results = []
        for request in requests { results.append(add(request, to: &batch)) }
      }
      if outcome.isDurable { answerTicket(.success(())) }
      let state = AppendReceipt.State.known(publish())
      let ticket = outcome.wrote ? ticket : nil
      return requests.indices.filter { !answered.contains($0) }.map { index in
        (index, results[index].map { complete($0, outcome, state, ticket) })
      }
    } catch {
      if error.code == .syncFailed { answerTicket(.failure(error)) }
      return requests.indices.filter { !answered.contains($0) }.map { index in
        // A request that was refused for its own reason keeps that reason.
        if index < results.count, case .failure = results[index] { return (index, results[index]) }
        return (index, .failure(error))
      }
    }
  }

  /// Answers a request on the caller's thread, if it takes no time. Otherwise does nothing and
  /// returns nil.
  func commitAtOnce(
    _ request: StoreRequest, upTo byteCountMax: Int, for worker: StoreWorker
  ) -> Result<AppendReceipt, EventLogError>? {
    // If a receipt still refers to the deferred state, create its snapshot. Usually, none does.
    if unmade != nil, !isKnownUniquelyReferenced(&unmade) { publish() }
    var result: Result<AppendReceipt, EventLogError>?
    do throws(EventLogError) {
      try RangeName.refuse(journal: writer.path)
      let outcome = try writer.commitAtOnce(upTo: byteCountMax) { (batch) throws(EventLogError) in
        result = add(request, to: &batch)
      }
      guard let outcome else { return nil }
      let ticket = outcome.wrote ? currentTicket(worker) : nil
      let state = currentState(worker)
      return result?.map { complete($0, outcome, state, ticket) }
    } catch {
      catchUp()
      if case .failure? = result { return result }
      return .failure(error)
    }
  }

  /// The ticket of buffered appends, which all of them share until the next sync.
  private func currentTicket(_ worker: StoreWorker) -> DurabilityTicket {
    let ticket = self.ticket ?? DurabilityTicket { [weak worker] in worker?.flush() }
    self.ticket = ticket
    return ticket
  }

  /// Syncs buffered appends.
  ///
  /// - Throws: `syncFailed`, which waiting callers receive as well.
  func flush() throws(EventLogError) {
    if ticket != nil { try sync() }
  }

  /// Syncs everything that this store has written.
  ///
  /// - Throws: `syncFailed`, also if an earlier sync failed.
  func sync() throws(EventLogError) {
    do throws(EventLogError) {
      try writer.sync()
      answerTicket(.success(()))
    } catch {
      answerTicket(.failure(error))
      throw error
    }
  }

  var hasBuffered: Bool { ticket != nil }

  private func answerTicket(_ answer: DurabilityTicket.Answer) {
    ticket?.answer(answer)
    ticket = nil
  }

  private func complete(
    _ receipt: AppendReceipt, _ outcome: JournalWriter<StoreSink>.Outcome,
    _ state: AppendReceipt.State, _ ticket: DurabilityTicket?
  ) -> AppendReceipt {
    var receipt = receipt
    receipt.state = state
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
