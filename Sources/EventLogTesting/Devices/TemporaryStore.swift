public import EventLog
import EventLogInspection
import Synchronization

/// A device for a test: a store in a temporary folder, with a clock that the test controls.
///
/// ```swift
/// let phone = try await TemporaryStore(records: Food.self)
/// let oats = try await phone.create(Food.self) { $0.name = "Oats" }.id
/// try await phone.reopen()
/// #expect(phone.snapshot[oats]?.name == "Oats")
/// ```
///
/// It has all methods of `EventStore`. Pass ``store`` to the code under test. A seed determines
/// device IDs and generated keys, so the same calls write the same bytes in each run.
public final class TemporaryStore: Sendable {
  /// The prefix of the device's ID.
  public let name: String
  /// The device's clock.
  public let clock: AdjustableClock
  /// The device's disk, whose calls can be counted and made to fail.
  ///
  /// The methods with which you examine the journal bypass these failures.
  public let disk: InstrumentedFileSystem
  /// The folder that contains the journal.
  ///
  /// It is removed when you release it, the device, and every ``journal``.
  public let folder: TemporaryFolder
  /// The collections of the store.
  public var catalog: SchemaCatalog { store.catalog }

  package let options: JournalOptions
  /// The disk without injected failures.
  let base: any FileSystem
  /// The identity of the device's machine.
  let machine: String
  let projections: [any Projection.Type]
  private let current: Mutex<EventStore>

  /// Creates a device without a journal.
  ///
  /// - Parameters:
  ///   - device: The prefix of the device ID. Devices that sync need different names or seeds.
  ///   - user: The user of the journal.
  ///   - records: The record types.
  ///   - catalog: Additional collections.
  ///   - projections: Your app's own projections.
  ///   - clock: The clock that gives events their times.
  ///   - seed: The seed for the device ID and generated keys.
  ///   - memory: A disk in memory, which several devices can share, or `nil` for the real disk.
  /// - Throws: `invalidSchema` if the declarations are invalid or contradict each other;
  ///   `inputOutput`.
  public convenience init(
    device: String = "phone", user: String = "ada", records: any Record.Type...,
    catalog: SchemaCatalog = SchemaCatalog(), projections: [any Projection.Type] = [],
    clock: AdjustableClock = AdjustableClock(), seed: UInt64 = 1,
    on memory: MemoryFileSystem? = nil
  ) async throws(EventLogError) {
    try await self.init(
      device: device, user: user, bytes: nil, catalog: try catalog.adding(records),
      projections: projections, clock: clock, seed: seed, on: memory)
  }

  /// Creates a device with a copy of a recorded journal.
  ///
  /// It continues under a new device ID.
  ///
  /// - Parameters:
  ///   - journal: The recorded journal.
  ///   - device: The prefix of the device ID.
  ///   - projections: Your app's own projections.
  ///   - clock: The clock that gives events their times.
  ///   - seed: The seed for the device ID and generated keys.
  ///   - memory: A disk in memory, or `nil` for the real disk.
  /// - Throws: `inputOutput`.
  public convenience init(
    continuing journal: RecordedJournal, device: String = "phone",
    projections: [any Projection.Type] = [], clock: AdjustableClock = AdjustableClock(),
    seed: UInt64 = 1, on memory: MemoryFileSystem? = nil
  ) async throws(EventLogError) {
    try await self.init(
      device: device, user: journal.snapshot.user, bytes: journal.bytes,
      catalog: journal.snapshot.catalog, projections: projections, clock: clock, seed: seed,
      on: memory)
  }

  /// Creates a device with a journal that has the given bytes.
  ///
  /// - Parameter bytes: The bytes of the journal, or nil if it doesn't exist yet.
  convenience init(
    device: String, user: String?, bytes: [UInt8]?, catalog: SchemaCatalog,
    projections: [any Projection.Type], clock: AdjustableClock, seed: UInt64,
    on memory: MemoryFileSystem?
  ) async throws(EventLogError) {
    let folder = try TemporaryFolder.make(on: memory)
    let base: any FileSystem = memory ?? SystemFileSystem()
    if let bytes {
      try TemporaryFolder.write(bytes, to: folder.file("journal.jsonl"), on: base)
    }
    // Each device is a separate machine.
    try await self.init(
      device: device, user: user, catalog: catalog, projections: projections, clock: clock,
      seed: seed, in: folder, on: base, machine: device)
  }

  /// Opens a store in a folder, whether or not it contains a journal.
  init(
    device: String, user: String?, catalog: SchemaCatalog, projections: [any Projection.Type],
    clock: AdjustableClock, seed: UInt64, in folder: TemporaryFolder, on base: any FileSystem,
    machine: String
  ) async throws(EventLogError) {
    let path = folder.file("journal.jsonl")
    let disk = InstrumentedFileSystem(base, machineIdentity: machine)
    let options = JournalOptions.repeatable(
      device: device, user: user, clock: clock, seed: seed, fileSystem: disk)
    name = device
    self.clock = clock
    self.disk = disk
    self.base = base
    self.machine = machine
    self.folder = folder
    self.options = options
    self.projections = projections
    current = Mutex(
      try await EventStore.open(
        path: path, options: options, catalog: catalog, projections: projections))
  }

  // MARK: - Store

  /// The device's store.
  ///
  /// ``reopen()`` replaces it.
  public var store: EventStore { current.withLock { $0 } }

  /// Closes the store and opens a new one on the same journal, like a restart of an app.
  ///
  /// Call this method to continue after a failed sync to disk.
  ///
  /// - Throws: `inputOutput`.
  public func reopen() async throws(EventLogError) {
    try await reopen(with: catalog)
  }

  /// Closes the store and opens the journal with other collections, like an update of the app.
  ///
  /// - Throws: `inputOutput`; `invalidSchema`.
  public func reopen(with catalog: SchemaCatalog) async throws(EventLogError) {
    try? await store.close()
    let opened = try await open(catalog)
    current.withLock { $0 = opened }
  }

  /// Opens a second store on the same journal, like a widget or another process.
  ///
  /// The journal is removed with this device, so keep a reference to the device while you use the
  /// second store.
  ///
  /// - Throws: `inputOutput`.
  public func openAgain() async throws(EventLogError) -> EventStore { try await open(catalog) }

  private func open(_ catalog: SchemaCatalog) async throws(EventLogError) -> EventStore {
    try await EventStore.open(
      path: store.path, options: options, catalog: catalog, projections: projections)
  }

  // MARK: - Journal

  /// The device's journal, for examining it independently of the store and the failures of
  /// ``disk``.
  public var journal: Journal {
    journal(usingCheckpoint: true)
  }

  /// Returns the device's journal.
  ///
  /// - Parameter usesCheckpoint: Whether to use a checkpoint. If false, all of the file is read.
  func journal(usingCheckpoint usesCheckpoint: Bool) -> Journal {
    Journal(
      path: store.path, catalog: catalog,
      fileSystem: InstrumentedFileSystem(base, machineIdentity: machine, keeping: folder),
      usesCheckpoint: usesCheckpoint, user: options.user)
  }

  /// The device ID under which the device writes, or `nil` before its first append.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the journal.
  public var deviceID: DeviceID? { (try? journal.status())?.device }

  /// Returns the events in the journal, in an order that respects causality.
  ///
  /// - Throws: `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the journal.
  public func events() throws(EventLogError) -> [Event] {
    var events: [Event] = []
    try replay { event, _ in events.append(event) }
    return events
  }

  /// Returns the lines of the journal's events without their line feeds.
  ///
  /// - Throws: `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the journal.
  public func lines() throws(EventLogError) -> [String] {
    var lines: [String] = []
    try replay { _, line in lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  /// Passes each event to a closure, with its line without the line feed.
  func replay(_ body: (Event, [UInt8]) -> Void) throws(EventLogError) {
    do throws(EventLogError) {
      _ = try journal.replay { event, line in
        body(event, line)
        return true
      }
    } catch {
      guard error.code == .noJournal else { throw error }
    }
  }
}
