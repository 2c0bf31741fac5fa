/// The part of a store that runs on its worker: turns requests into commits, and states into
/// snapshots.
final class StoreCore {
  let writer: JournalWriter<StoreSink>
  private let feed: LatestFeed<Snapshot>
  /// Nil where the store keeps no checkpoints.
  private var checkpoints: CheckpointKeeper?
  private(set) var bases = ConflictBases()
  /// The fold's conflicts whose bases are read.
  private var conflictVersion = 0
  /// The reading that `bases` belong to: by another one, branches have other numbers.
  private var basesReset = 0
  private var published: PublishedState?
  /// The records that were decoded of the states that were published.
  private let records = RecordCache()
  /// A beginning of the journal that was read ahead of the rest.
  var prefix: CommonPrefix<StoreSink>?
  /// What is kept of replications that are under way.
  var replications: [ObjectIdentifier: ReplicationMemory] = [:]
  /// What buffered appends wait for; nil where there is none that is not synced.
  private var ticket: DurabilityTicket?
  /// The current state, where it was handed out and not made yet.
  private var unmade: StateToCome?

  /// Whether somebody looks at the states: else none is made after a replication.
  private(set) var isShown: Bool
  /// Whether the store takes no more appends and syncs.
  var isClosed = false

  /// What tells the state of one snapshot from that of another.
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

  /// Reads what other processes have written.
  ///
  /// - Throws: as ``JournalWriter/refresh()``.
  func refresh() throws(EventLogError) {
    if try writer.refresh() { try readBases() }
    // Also what the sync of buffered events or a replication has read meanwhile.
    publish()
  }

  /// Makes the state that was read the current snapshot, if it is another.
  ///
  /// A commit or a reading that broke off has taken along what was read: that is read again. Where
  /// that fails as well, the last state stays that was published, until a reading succeeds.
  @discardableResult
  func publish() -> Snapshot {
    isShown = true
    if !writer.isWhole { _ = try? writer.refresh() }
    guard writer.isWhole else { return keep() }
    // Where that fails, the bases are read for the next snapshot.
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

  /// Lets the last state that was published be the current one.
  private func keep() -> Snapshot {
    give(feed.value)
    feed.confirm()
    return feed.value
  }

  /// Gives the current state to all to whom it was handed out.
  ///
  /// First: publishing may wait for a cancellation (see ``LatestFeed``), which may look at it.
  private func give(_ snapshot: Snapshot) {
    unmade?.set(snapshot)
    unmade = nil
  }

  /// Publishes the current state, where that was put off.
  ///
  /// Comes before all that may wait for anything, or that runs code of the app: who looks at the
  /// state meanwhile must not wait for that.
  func catchUp() {
    if feed.latest == nil || unmade != nil { publish() }
  }

  /// The current state for a receipt, made only if somebody looks at it.
  private func currentState(_ worker: StoreWorker) -> AppendReceipt.State {
    // Projections are code of the app, and bases are read from the file.
    guard writer.pass.sink.projections.isEmpty, isCurrent, feed.putOff() else {
      return .known(publish())
    }
    let state = unmade ?? StateToCome(of: worker)
    unmade = state
    return .toCome(state)
  }

  /// Own appends have seen all there is and begin no conflict, so this reads only after something
  /// has come from elsewhere.
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

  /// Forgets what belongs to the reading before, and begins one with the checkpoint, if it fits.
  private func begin(_ file: JournalFile) -> JournalPass<StoreSink>? {
    bases = ConflictBases()
    conflictVersion = 0
    if let pass = takePrefix(of: file) { return pass }
    guard
      let start = checkpoints?.begin(file, writer.blank, user: writer.options.user)
    else { return nil }
    bases = start.bases ?? ConflictBases()
    // Where the bases are not told, they are read as if all conflicts were new.
    conflictVersion = start.pass.sink.fold.conflictVersion &- (start.bases == nil ? 1 : 0)
    return start.pass
  }

  /// Whether a checkpoint is worth writing, and can be written: of synced events.
  var mustKeepCheckpoint: Bool {
    !hasBuffered && checkpoints?.isDue(at: writer.pass.endOffset, closing: false) == true
  }

  /// Writes a checkpoint if it is worth it: never under the lock, and after the answers are given.
  func keepCheckpoint(closing isClosing: Bool = false) {
    guard checkpoints?.isDue(at: writer.pass.endOffset, closing: isClosing) == true else { return }
    checkpoints?.keep(writer, isCurrent ? bases : nil)
  }

  /// Does something else while a checkpoint is written, if it is worth it for a store that soon
  /// closes.
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

  /// Answers each request, as ``CommitQueue`` asks for it; one that is refused leaves the others
  /// alone.
  func commit(
    _ requests: [StoreRequest], for worker: StoreWorker,
    _ answer: @Sendable (Int, Result<AppendReceipt, EventLogError>) -> Void
  ) -> [(Int, Result<AppendReceipt, EventLogError>)] {
    var results: [Result<AppendReceipt, EventLogError>] = []
    var answered = Set<Int>()
    func answerBuffered(_ outcome: JournalWriter<StoreSink>.Outcome) {
      let ticket = currentTicket(worker)
      // Where nothing is synced, there is nothing to wait for.
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

  /// Answers a request on the thread of whoever asks, where that takes no time; else does nothing
  /// and returns nil.
  func commitAtOnce(
    _ request: StoreRequest, upTo byteCountMax: Int, for worker: StoreWorker
  ) -> Result<AppendReceipt, EventLogError>? {
    // Who has the state so far keeps it; mostly nobody does.
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

  /// What buffered appends wait for: until the next sync, it is the same for all.
  private func currentTicket(_ worker: StoreWorker) -> DurabilityTicket {
    let ticket = self.ticket ?? DurabilityTicket { [weak worker] in worker?.flush() }
    self.ticket = ticket
    return ticket
  }

  /// Syncs what buffered appends have written.
  ///
  /// - Throws: `syncFailed`, which those who wait are told as well.
  func flush() throws(EventLogError) {
    if ticket != nil { try sync() }
  }

  /// Syncs all that this store has written.
  ///
  /// - Throws: `syncFailed`, also where that had failed before.
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

  /// - Throws: `usage` after the store was closed.
  func checkIsOpen() throws(EventLogError) {
    guard isClosed else { return }
    throw EventLogError(
      .usage, "The store of \"\(writer.path)\" is closed. Nothing was written.",
      hint: "Open the journal again: EventStore.open(…).")
  }

  private func add(
    _ request: StoreRequest, to batch: inout JournalBatch<StoreSink>
  ) -> Result<AppendReceipt, EventLogError> {
    // What cannot break off half-way needs no state to return to.
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
  /// Lets the states that are handed out share what does not change.
  func paginate() {
    pass.sink.fold.paginate()
    pass.ledger.paginate()
  }
}

extension JournalWriter.Outcome {
  /// What it means for the person whose journal it is.
  fileprivate var notices: [String] {
    var notices: [String] = []
    var reason = freshDevice
    if let aside = asideSentence(of: "the journal") {
      notices.append(aside)
      // What else does not fit stood in those bytes.
      reason = .doubtfulTail
    }
    if let sentence = reason?.sentence { notices.append(sentence) }
    return notices
  }
}
