import Synchronization

/// A journal that takes appends and shows its state: what an app opens once per file.
///
/// Every append is checked against the schema and the state, written under the journal's lock, and
/// synced before the call returns; appends that wait at the same time share one sync. Other
/// processes may append to the same journal meanwhile. No call waits for a disk on the caller's
/// actor; ``snapshot`` never waits at all.
public final class EventStore: Sendable {
  /// The journal's file.
  public let path: String
  let options: JournalOptions
  let catalog: SchemaCatalog
  private let feed: LatestFeed<Snapshot>
  let worker: StoreWorker
  /// The records that were compared with the catalog.
  private let knownRecords = Mutex<Set<ObjectIdentifier>>([])
  /// Notices what other processes append.
  private let observer = Mutex<FileObserver?>(nil)
  private let queue: CommitQueue<StoreRequest, AppendReceipt>

  /// Opens a journal and reads its state.
  ///
  /// A journal that is not there yet begins with the first append, if `options` say whose it is;
  /// until then the state is empty. Damage costs nothing else: ``Snapshot/damage`` says what
  /// is missing.
  ///
  /// - Parameters:
  ///   - options: the user of a new journal, the device's name, and what is injected in tests.
  ///   - catalog: the collections whose rules appends keep.
  ///   - projections: projections of the app's own, whose states every snapshot has.
  /// - Throws: `noJournal` where there is none and `options` name no user; `otherUser` where
  ///   it belongs to another one than they name; `notAJournal`;
  ///   `inputOutput`.
  public static func open(
    path: String, options: JournalOptions = JournalOptions(),
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = []
  ) async throws(EventLogError) -> EventStore {
    let store = EventStore(
      path: path, options: options, catalog: catalog, projections: projections)
    do throws(EventLogError) {
      try await store.refresh()
    } catch {
      guard error.code == .noJournal, options.user != nil else { throw error }
    }
    // Nobody is shown what is somebody else's.
    if let owner = store.snapshot.user {
      try JournalBatch<StoreSink>.check(options.user, isOwner: owner)
    }
    // Off the caller's actor: asking for a watch takes system calls.
    try await store.worker.perform { [weak store] (_) throws(EventLogError) in store?.observe() }
    return store
  }

  /// A store that has not looked at its journal yet: its state is empty until the first append or
  /// ``refresh()``.
  ///
  /// It needs no journal: a sync makes one of what comes. A sync alone shows no state; the next
  /// append or ``refresh()`` does. What others append it notices with its own calls only. It looks
  /// at every byte of the journal, whatever a checkpoint tells: so damage is found while another
  /// copy still has what was lost.
  ///
  /// Parameters are those of ``open(path:options:catalog:projections:)``.
  public static func unread(
    path: String, options: JournalOptions = JournalOptions(),
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = []
  ) -> EventStore {
    EventStore(
      path: path, options: options, catalog: catalog, projections: projections,
      isShown: false)
  }

  /// Prepares a store; the journal is read with the first append or ``refresh()``.
  init(
    path: String, options: JournalOptions, catalog: SchemaCatalog,
    projections: [any Projection.Type], isShown: Bool = true
  ) {
    self.path = path
    self.options = options
    self.catalog = catalog
    let sink = StoreSink(catalog, projections)
    let feed = LatestFeed(
      Snapshot(
        fold: sink.fold, ledger: Ledger(), damage: [], bases: ConflictBases(),
        projections: sink.projections))
    let worker = StoreWorker(
      StoreCore(
        writer: JournalWriter(path: path, options: options, sink: sink), feed: feed,
        checkpoints: options.usesCheckpoints
          ? CheckpointKeeper(
            beside: path, catalog, options.fileSystem, lookingAtAll: !isShown) : nil,
        isShown: isShown))
    self.feed = feed
    self.worker = worker
    queue = CommitQueue(on: worker.worker) { worker.commit($0, $1) }
  }

  /// - Throws: `invalidSchema` where the store was not opened with the record.
  func check<R: Record>(_ record: R.Type) throws(EventLogError) {
    // A declaration is made anew each time it is asked for.
    if knownRecords.withLock({ $0.contains(ObjectIdentifier(record)) }) { return }
    try catalog.check(record)
    _ = knownRecords.withLock { $0.insert(ObjectIdentifier(record)) }
  }

  private func observe() {
    let observer = FileObserver(path, in: options.fileSystem) { [weak worker] in
      worker?.refreshSoon()
    }
    self.observer.withLock { $0 = observer }
    // What was appended between the reading and the beginning of the observation.
    worker.refreshSoon()
  }

  deinit {
    feed.finish()
    worker.finish()
  }

  // MARK: - State

  /// The state after the last append of this store, or after what it has read since.
  public var snapshot: Snapshot { feed.value }

  /// The current state, then the latest after each change.
  ///
  /// A slow reader gets the latest state, not every one; it never holds up a writer, and costs no
  /// more than one state. What other processes append shows at once where the file system tells of
  /// changes, else within a second. The sequence ends when the store is closed or let go of.
  public var changes: AsyncStream<Snapshot> { feed.changes }

  /// Reads what other processes have appended, at once; ``snapshot`` is then at least as new as the
  /// call.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(what is new); the first time O(checkpoint and what is new behind it), or
  ///   O(file size) where there is no checkpoint that fits.
  public func refresh() async throws(EventLogError) {
    try await worker.perform { (core) throws(EventLogError) in try core.refresh() }
  }

  /// Makes durable what buffered appends have written, leaves a checkpoint for the next opening
  /// where that is worth it, and ends ``changes``.
  ///
  /// The store can still be used afterwards; it no longer notices by itself what others append.
  ///
  /// - Throws: `syncFailed`.
  public func close() async throws(EventLogError) {
    observer.withLock { $0 = nil }
    defer { feed.finish() }
    try await worker.perform { (core) throws(EventLogError) in
      try core.flush()
      core.keepCheckpoint(closing: true)
    }
  }

  /// Makes durable all that this store has written, before anything of it is shipped.
  ///
  /// - Throws: `syncFailed`, also where a sync had failed before.
  package func sync() async throws(EventLogError) {
    try await worker.perform { (core) throws(EventLogError) in try core.sync() }
  }

  // MARK: - Appending

  /// Appends events, all or none.
  ///
  /// - Parameters:
  ///   - snapshot: the state that the person was shown who decided on the events. One that would
  ///     replace a value which that state does not hold is refused, with the value in
  ///     ``EventLogError/unseen``.
  ///   - durability: when to return.
  /// - Returns: their IDs and entities, the state that holds them, and what else the append did.
  /// - Throws: the first rule that one of them breaks, with nothing written; `changedMeanwhile`;
  ///   `locked`; `inputOutput`, with the journal as it was; `syncFailed`, after which the store
  ///   refuses appends, because it is unknown whether the last ones survive a power loss.
  public func append(
    _ drafts: [EventDraft], asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable, allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    try await append(
      drafts.map { ($0, $0.entity.map(EntityReference.exact)) }, asOf: snapshot,
      durability: durability, allowingUnknownTypes: allowingUnknownTypes)
  }

  /// Appends events whose entities are named by reference, all or none.
  ///
  /// - Parameter lines: where each event stands in the input that it was read from, for errors; an
  ///   event without one is `Event 3`, the third of `drafts`.
  package func append(
    _ drafts: [(draft: EventDraft, entity: EntityReference?)], lines: [Int] = [],
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    try await submit(
      Append(
        items: drafts.map { Append.Item(draft: $0.draft, entity: $0.entity) }, lines: lines,
        allowsUnknownTypes: allowingUnknownTypes,
        seen: snapshot.map { WriterView.Clock(state: $0) }, random: options.random),
      durability)
  }

  func submit(
    _ append: Append, _ durability: Durability
  ) async throws(EventLogError) -> AppendReceipt {
    try await submit(
      StoreRequest(durability: durability, mayBreakOff: append.items.count > 1) {
        (batch, receipt) throws(EventLogError) in try append.run(&batch, &receipt)
      })
  }

  func submit(_ request: StoreRequest) async throws(EventLogError) -> AppendReceipt {
    try await queue.submit(request)
  }
}
