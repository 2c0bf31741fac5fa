package import Synchronization

/// A journal that is open for reading and writing.
///
/// Open one store for each journal, and keep it while your app runs. An append is checked against
/// the schema and the current state, written under the journal's lock, and synced to disk before
/// the call returns. Appends that wait at the same time share one sync. Other processes can append
/// to the same journal at any time.
///
/// No call blocks the caller's actor. An append is written on one of the threads that Swift's tasks
/// share if the store isn't in use; all other work waits for files on a thread of its own. Reading
/// ``snapshot`` never waits for a sync or for another process.
public final class EventStore: Sendable {
  /// The path of the journal's file.
  public let path: String
  package let options: JournalOptions
  package let catalog: SchemaCatalog
  private let feed: LatestFeed<Snapshot>
  let worker: StoreWorker
  /// Watches the file for appends by other processes.
  private let observer = Mutex<FileObserver?>(nil)
  /// The replications that have not been stopped. They retain the store only while they sync.
  package let replications = Mutex<[any RunningReplication]>([])

  /// Opens a journal and reads its state.
  ///
  /// If the file doesn't exist, the first append creates it, provided that its folder exists and
  /// `options` contains a user. Until then, the state is empty. A damaged journal can be opened:
  /// the state contains every event that can be read, and ``Snapshot/damage`` lists what is
  /// missing.
  ///
  /// - Parameters:
  ///   - path: The path of the journal's file.
  ///   - options: The user of a new journal and the device's name.
  ///   - catalog: The collections whose rules apply to appends. Events of other collections are
  ///     kept and replicated, but not shown. If it has a ``SchemaCatalog/revision``, its
  ///     collections are saved beside the journal.
  ///   - projections: Your app's own projections. Every snapshot contains their states.
  /// - Returns: The open store.
  /// - Throws: `noJournal` if the file doesn't exist and `options` contains no user, or if there is
  ///   no folder for it; `invalidInput` if no journal can belong to the user of a new one;
  ///   `otherUser` if the journal belongs to another user than the one in `options`; `notAJournal`
  ///   if the file contains something else; `inputOutput`; `invalidSchema` if the revision is
  ///   outside its limits.
  /// - Complexity: O(*n*), where *n* is the size of the file. If a checkpoint exists, only the
  ///   lines after it are read.
  public static func open(
    path: String, options: JournalOptions = JournalOptions(),
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = []
  ) async throws(EventLogError) -> EventStore {
    let schema = try SchemaFile(of: catalog)
    let store = EventStore(
      path: path, options: options, catalog: catalog, projections: projections)
    do throws(EventLogError) {
      try await store.refresh()
    } catch {
      guard error.code == .noJournal else { throw error }
      guard options.user != nil else { throw error.advising(EventLogError.AppHint.noJournal) }
      try JournalFile.checkFolder(of: path, options.fileSystem)
    }
    if let owner = store.snapshot.user {
      // Never show a user another user's journal.
      try JournalBatch<StoreSink>.check(options.user, isOwner: owner, of: path)
    } else if store.snapshot.eventCount == 0 {
      // Only the user of a new journal must be valid: an existing one can be read anyway.
      try options.checkUser()
    }
    // Off the caller's actor, because starting to watch a file takes system calls.
    try await store.worker.perform { [weak store] (core) throws(EventLogError) in
      core.schema = schema
      store?.observe()
    }
    return store
  }

  /// Creates a store without reading its journal.
  ///
  /// The state is empty until the first append or call of ``refresh()``. Use such a store to sync a
  /// journal without showing it: the file doesn't need to exist, because a sync creates it from the
  /// events that it receives. A sync alone doesn't update ``snapshot``.
  ///
  /// Unlike an opened store, this store notices appends by other processes only when you call one
  /// of its methods. It verifies every byte of the journal instead of relying on a checkpoint, so
  /// it finds damage while another copy can still repair it.
  ///
  /// - Parameters:
  ///   - path: The path of the journal's file.
  ///   - options: The user of a new journal and the device's name.
  ///   - catalog: The collections whose rules apply to appends.
  ///   - projections: Your app's own projections.
  /// - Returns: A store with an empty state.
  public static func unread(
    path: String, options: JournalOptions = JournalOptions(),
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = []
  ) -> EventStore {
    EventStore(
      path: path, options: options, catalog: catalog, projections: projections,
      isShown: false)
  }

  /// Prepares a store.
  ///
  /// The journal is read by the first append or ``refresh()``.
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
  }

  private func observe() {
    let observer = FileObserver(path, in: options.fileSystem) { [weak worker] in
      worker?.refreshSoon()
    }
    self.observer.withLock { $0 = observer }
    // Reads appends made between the first reading and the start of the observation.
    worker.refreshSoon()
  }

  deinit {
    for replication in replications.withLock({ $0 }) { replication.cancel() }
    feed.finish()
    worker.finish()
  }

  // MARK: - State

  /// The state after this store's last append, or after the last read that followed it.
  public var snapshot: Snapshot { worker.snapshot }

  /// The user of the journal, or the future user of a new journal.
  package var user: String? { snapshot.user ?? options.user }

  /// The current state, followed by the latest state after each change.
  ///
  /// A slow reader receives the latest state, not every state in between, and never delays a
  /// writer. The sequence includes appends by other processes: at once if the file system reports
  /// changes, otherwise within a second. The sequence ends when the store is closed or deallocated.
  public var changes: AsyncStream<Snapshot> {
    let changes = feed.changes
    // From now on, every state is published, but the latest one may be deferred.
    _ = snapshot
    return changes
  }

  /// Reads events that other processes have appended.
  ///
  /// When the call returns, ``snapshot`` is at least as recent as the start of the call. An opened
  /// store also reads these appends by itself, as ``changes`` describes.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the number of new bytes. The first call reads the
  ///   checkpoint and the lines after it, or the whole file if no checkpoint fits.
  public func refresh() async throws(EventLogError) {
    try await worker.perform { (core) throws(EventLogError) in try core.refresh() }
  }

  /// Syncs buffered appends to disk, stops the store's replicators, and ends ``changes``.
  ///
  /// From then on, the store refuses appends and syncs with the code `usage`. You can still read
  /// ``snapshot``. If enough was appended, the store also writes a checkpoint that speeds up the
  /// next opening. Closing a closed store changes nothing. A store that you release without closing
  /// it does the same, except that a failed sync isn't reported.
  ///
  /// - Throws: `syncFailed`; `locked` or `inputOutput` if the sync couldn't begin. You can call the
  ///   method again then.
  public func close() async throws(EventLogError) {
    observer.withLock { $0 = nil }
    for replication in replications.withLock({ $0 }) { await replication.stop() }
    defer { feed.finish() }
    try await worker.perform { (core) throws(EventLogError) in
      core.isClosed = true
      try core.flush()
      core.performUpkeep(closing: true)
    }
  }

  /// Whether the store refuses appends and syncs.
  package var isClosed: Bool {
    get async {
      (try? await worker.performQuietly { (core) throws(EventLogError) in core.isClosed }) ?? true
    }
  }

  /// Syncs everything that this store has written, before any of it is sent elsewhere.
  ///
  /// - Throws: `syncFailed`, also if an earlier sync failed.
  package func sync() async throws(EventLogError) {
    try await worker.perform { (core) throws(EventLogError) in try core.sync() }
  }

  // MARK: - Appending

  /// Appends events, all or none.
  ///
  /// If one event is refused, nothing is written. After a crash, up to 4,096 events with up to 1
  /// MiB in total are all present or all absent; of a longer append, only the first part may be
  /// present. An event whose ``EventDraft/ref`` the journal already contains is skipped.
  ///
  /// - Parameters:
  ///   - drafts: The events to append.
  ///   - snapshot: The state on which the events are based, such as the one a form displays. The
  ///     append is refused if it would replace a value that this state doesn't contain. Pass `nil`
  ///     to skip this check.
  ///   - durability: When to return.
  ///   - allowingUnknownTypes: Whether to accept events whose type no collection declares.
  /// - Returns: The IDs and entities of the events, the resulting state, and messages for the user.
  /// - Throws: The first rule that an event breaks, such as `unknownType`, `invalidEvent`,
  ///   `noEntity`, `deletedEntity`, `entityExists`, or `eventTooLarge`; `changedMeanwhile` with the
  ///   values in ``EventLogError/unseen``; `locked`; `inputOutput` with the journal unchanged;
  ///   `syncFailed`, after which the store refuses all later appends, because it is unknown whether
  ///   the last ones survive a power loss; `usage` if the store is closed.
  public func append(
    _ drafts: [EventDraft], asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable, allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    var append = Append(drafts, random: options.random)
    append.allowsUnknownTypes = allowingUnknownTypes
    append.seen = snapshot.map { .init(state: $0) }
    return try await submit(append, durability)
  }

  /// Appends events that refer to their entities by name, all or none.
  ///
  /// - Parameters:
  ///   - lines: The line of each event in the input that it was read from, for error messages. An
  ///     event without a line is called "Event 3", its position in `drafts`.
  ///   - over: The events whose values may be replaced although they break the rules of their
  ///     fields, or nil for all events.
  package func append(
    _ drafts: [(draft: EventDraft, entity: EntityReference?)], lines: [Int] = [],
    asOf snapshot: Snapshot? = nil, over: [EventID]? = nil, durability: Durability = .durable,
    allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    var seen = snapshot.map { ReadVersion.Clock(state: $0) }
    if let over {
      seen = ReadVersion.Clock(state: snapshot, mayReplace: { over.contains($0.event) })
    }
    return try await submit(
      Append(
        items: drafts.map { Append.Item(draft: $0.draft, entity: $0.entity) }, lines: lines,
        allowsUnknownTypes: allowingUnknownTypes, seen: seen, random: options.random),
      durability)
  }

  func submit(
    _ append: Append, _ durability: Durability
  ) async throws(EventLogError) -> AppendReceipt {
    try await submit(
      StoreRequest(
        durability: durability, mayBreakOff: append.items.count > 1,
        runsAppCode: append.seen?.canRead != nil
      ) { (batch, receipt) throws(EventLogError) in try append.run(&batch, &receipt) })
  }

  /// Never runs on the caller's actor, because it may wait for the disk.
  @concurrent
  func submit(_ request: StoreRequest) async throws(EventLogError) -> AppendReceipt {
    try await worker.append(request)
  }
}
