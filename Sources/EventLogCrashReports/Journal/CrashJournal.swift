public import EventLog
import EventLogErasure
import EventLogRemotes

/// The reports of an app's crashes and errors on this device.
///
/// They are kept in a journal of their own, of a random user that changes every 90 days, so that
/// nothing connects them with the person's journal. Open it once after the app's start, take in
/// what was recorded, and sync it if the person agrees:
///
/// ```swift
/// let crashes = try await CrashJournal.open(in: folder)
/// try await crashes.takeIn()
/// try await crashes.setConsent(.given, for: .person)
/// try await crashes.sync { user in FolderRemote(path: "\(shared)/\(user)") }
/// ```
///
/// At most 20 reports are kept. Older ones are deleted, whether they were uploaded or not, and
/// their contents are erased from the journal's file.
public actor CrashJournal {
  /// The maximum number of reports that are kept.
  public static let reportsMax = 20
  /// The number of days after which the journal's user changes.
  public static let daysPerUser = 90

  let folder: CrashFolder
  let raw: RawFolder
  let options: JournalOptions
  private let worker = SerialWorker(label: "eventlog.crashes")
  private var lock: JournalFile?
  var state: CrashJournalState
  /// The journals, in the order of the state's entries.
  var stores: [String: EventStore] = [:]
  var replicators: [String: Replicator] = [:]
  var turns = IntakeTurns()

  private init(
    _ folder: CrashFolder, _ options: JournalOptions, _ state: CrashJournalState,
    _ lock: JournalFile
  ) {
    (self.folder, self.options, self.state, self.lock) = (folder, options, state, lock)
    raw = RawFolder(path: RawFolder.path(in: folder.path), fileSystem: folder.fileSystem)
  }

  deinit { if let lock { folder.unlock(lock) } }

  /// Opens the reports in a folder.
  ///
  /// - Parameter folder: The path of the folder that was passed to `CrashReports.start`. It is
  ///   created if its parent exists.
  /// - Returns: The reports.
  /// - Throws: `locked` if they are open already, here or in another process; `invalidInput` if
  ///   `crashes.json` in the folder is damaged; `inputOutput`; and the errors of
  ///   `EventStore.open(path:options:catalog:projections:)`.
  /// - Complexity: O(*n*), where *n* is the size of the journals.
  public static func open(in folder: String) async throws(EventLogError) -> CrashJournal {
    try await open(in: folder, options: JournalOptions())
  }

  /// Opens the reports with another file system, clock, or source of randomness.
  package static func open(
    in path: String, options: JournalOptions
  ) async throws(EventLogError) -> CrashJournal {
    let folder = CrashFolder(path: path, fileSystem: options.fileSystem)
    try folder.create()
    let lock = try folder.lock()
    let journal: CrashJournal
    do throws(EventLogError) {
      journal = CrashJournal(folder, options, try folder.state(now: options.now), lock)
    } catch {
      folder.unlock(lock)
      throw error
    }
    do throws(EventLogError) { try await journal.openStores() } catch {
      await journal.releaseLock()
      throw error
    }
    return journal
  }

  private func openStores() async throws(EventLogError) {
    for entry in state.entries { try await open(entry) }
  }

  private func open(_ entry: CrashJournalState.Entry) async throws(EventLogError) {
    var options = options
    options.user = entry.user
    // Else the host's name would be in the ID of every event.
    options.deviceName = "crash"
    // The events leave the device, and contain the time like reports: cut to the hour.
    let clock = options.clock
    options.clock = WallClock {
      let now = clock.now()
      return Timestamp(milliseconds: now)?.startOfHour.milliseconds ?? now
    }
    stores[entry.user] = try await EventStore.open(
      path: folder.file(entry.file), options: options, catalog: .crashReports)
  }

  /// Closes the journals, and ends their replication.
  ///
  /// The folder can be opened again afterwards, even if an error is thrown.
  ///
  /// - Throws: `syncFailed`, `locked`, `inputOutput`.
  public func close() async throws(EventLogError) {
    defer { releaseLock() }
    try noteUploads()
    for store in stores.values { try await store.close() }
    replicators = [:]
  }

  private func releaseLock() {
    if let lock { folder.unlock(lock) }
    lock = nil
  }

  // MARK: - Reports

  /// The reports, the latest first.
  public var reports: [CrashReport] {
    stores.values.flatMap { CrashReport.all(in: $0.snapshot).reports }
      .sorted(by: CrashReport.isLater)
  }

  /// Returns the reports as a file that shows every byte that leaves the device.
  ///
  /// It is JSON with a report on each line. `eventlog crashes` reads it.
  public func exported() -> [UInt8] { CrashReportFile.bytes(of: reports) }

  /// Deletes reports on this device, and at its places with the next sync.
  ///
  /// Their contents are erased from the files, and from a place by its next sync.
  ///
  /// - Parameter reports: The reports. Reports that don't exist are ignored.
  /// - Throws: The errors of an append. Some of the reports may be deleted then.
  public func remove(_ reports: [CrashReport]) async throws(EventLogError) {
    let ids = Set(reports.map(\.id))
    for store in stores.values {
      let present = CrashReport.all(in: store.snapshot).reports.filter { ids.contains($0.id) }
      for entity in present.compactMap(\.entity) { try await store.erase(.entity(entity)) }
    }
  }

  /// Removes all reports and their files from this device.
  ///
  /// Uploaded reports stay at their place. Later reports are written as a new user.
  ///
  /// - Throws: `inputOutput`. Some of the files may be removed then.
  public func removeAll() async throws(EventLogError) {
    for entry in state.entries { try await removeJournal(entry) }
    state.uploaded = [:]
    try folder.write(state)
  }

  private func removeJournal(_ entry: CrashJournalState.Entry) async throws(EventLogError) {
    replicators[entry.user] = nil
    try await stores[entry.user]?.close()
    stores[entry.user] = nil
    try folder.remove(entry)
    state.entries.removeAll { $0.user == entry.user }
    try folder.write(state)
  }

  // MARK: - Users

  /// Returns the store to which new reports are appended, of a new user after 90 days.
  func currentStore() async throws(EventLogError) -> EventStore {
    let now = options.now
    if let entry = state.entries.last, let store = stores[entry.user] {
      let days = (now.milliseconds - entry.created.milliseconds) / 86_400_000
      // A negative age means that the clock was wrong then, or is now.
      if (0..<Int64(Self.daysPerUser)).contains(days) { return store }
    }
    let name = CrashJournalState.userPrefix + options.random.next(12)
    let entry = CrashJournalState.Entry(user: name, created: now)
    state.entries.append(entry)
    // The state is written first: a journal without an entry would be treated as new each time.
    try folder.write(state)
    try await open(entry)
    return stores[name]!
  }

  /// Removes the journals of earlier users that have nothing to upload, or are 180 days old.
  func removeEarlierJournals() async throws(EventLogError) {
    for entry in state.entries.dropLast() {
      guard let store = stores[entry.user] else { continue }
      let reports = CrashReport.all(in: store.snapshot).reports
      let days = (options.now.milliseconds - entry.created.milliseconds) / 86_400_000
      let isDone = reports.allSatisfy { state.isUploaded($0.id) }
      if isDone || days >= Int64(2 * Self.daysPerUser) { try await removeJournal(entry) }
    }
  }

  /// Runs work that waits for files on a thread of its own.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable () throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform(body)
  }
}

extension CrashReport {
  fileprivate var entity: EntityID? {
    EntityID(kind: CollectionSchema.crashReport.kind, key: id)
  }
}
