// A store, its journal and its disk, for as long as a test has them.

public import EventLog
import Synchronization

/// A device of a test: a store in a folder that goes away with it, with a clock that the test holds
/// and IDs that follow from a seed.
///
/// ```swift
/// let phone = try await TemporaryStore(records: Food.self)
/// let oats = try await phone.create(Food.self) { $0.name = "Oats" }.id
/// try await phone.reopen()
/// #expect(phone.snapshot[oats]?.name == "Oats")
/// ```
///
/// It has all that ``EventLog/EventStore`` has; code under test is given ``store``. The same calls
/// write the same bytes in each run.
public final class TemporaryStore: Sendable {
  /// What the ID of this device begins with.
  public let name: String
  /// The device's clock.
  public let clock: AdjustableClock
  /// The device's disk, which can be made to fail. Looking at the journal by this type's own
  /// methods goes past it.
  public let disk: InstrumentedFileSystem
  /// Where the journal is; removed with the last reference to it, to this or to a ``journal``.
  public let folder: TemporaryFolder
  /// The collections that the store knows.
  public let catalog: SchemaCatalog

  package let options: JournalOptions
  /// The disk without its failures.
  let base: any FileSystem
  /// What its machine calls itself.
  let machine: String
  let projections: [any Projection.Type]
  private let current: Mutex<EventStore>

  /// Opens a store on a journal that is not there yet.
  ///
  /// - Parameters:
  ///   - device: what the device ID begins with; devices that sync need different names or seeds.
  ///   - user: whose journal it will be.
  ///   - records: the collections besides those of `catalog`.
  ///   - catalog: the collections of the store, and of what looks at its journal.
  ///   - projections: projections of the app's own.
  ///   - clock: gives events their `at`.
  ///   - seed: what the device ID and minted keys follow from.
  ///   - memory: a disk in memory, which several devices may share; nil: the real one.
  /// - Throws: `invalidSchema` for declarations that cannot be; `inputOutput`.
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

  /// Opens a store on a copy of a recorded journal, which goes on under a device ID of its own.
  ///
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

  /// - Parameter bytes: what the journal begins with; nil: it is not there yet.
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
    // Each device is a machine of its own.
    try await self.init(
      device: device, user: user, catalog: catalog, projections: projections, clock: clock,
      seed: seed, in: folder, on: base, machine: device)
  }

  /// Opens a store in a folder, on the journal that is there, or on none.
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
    self.catalog = catalog
    self.options = options
    self.projections = projections
    current = Mutex(
      try await EventStore.open(
        path: path, options: options, catalog: catalog, projections: projections))
  }

  // MARK: - The store

  /// The store; another one after ``reopen()``.
  public var store: EventStore { current.withLock { $0 } }

  /// Closes the store and opens another one on the same journal, as an app does that was ended and
  /// is started again.
  ///
  /// It also goes on after a failed sync, if the disk does.
  ///
  /// - Throws: `inputOutput`.
  public func reopen() async throws(EventLogError) {
    try? await store.close()
    let opened = try await openAgain()
    current.withLock { $0 = opened }
  }

  /// Opens a second store on the same journal, as a widget or another process does.
  ///
  /// It lives no longer than this one: the folder goes away.
  ///
  /// - Throws: `inputOutput`.
  public func openAgain() async throws(EventLogError) -> EventStore {
    try await EventStore.open(
      path: store.path, options: options, catalog: catalog, projections: projections)
  }

  // MARK: - The journal

  /// The journal, to look at past the store and past the failures of ``disk``.
  public var journal: Journal {
    journal(usingCheckpoint: true)
  }

  /// - Parameter usesCheckpoint: false: all of it is read.
  func journal(usingCheckpoint usesCheckpoint: Bool) -> Journal {
    Journal(
      path: store.path, catalog: catalog,
      fileSystem: InstrumentedFileSystem(base, machineIdentity: machine, keeping: folder),
      usesCheckpoint: usesCheckpoint, user: options.user)
  }

  /// Under which ID this device writes; nil before its first append.
  ///
  /// - Complexity: O(file size).
  public var deviceID: DeviceID? { (try? journal.status())?.device }

  /// Returns the events in the journal, in its order; none where it is not there yet.
  ///
  /// - Throws: `notAJournal`, `inputOutput`.
  /// - Complexity: O(file size).
  public func events() throws(EventLogError) -> [Event] {
    var events: [Event] = []
    try replay { event, _ in events.append(event) }
    return events
  }

  /// Returns the lines of the journal's events, without their LF.
  ///
  /// - Throws: `notAJournal`, `inputOutput`.
  /// - Complexity: O(file size).
  public func lines() throws(EventLogError) -> [String] {
    var lines: [String] = []
    try replay { _, line in lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  /// Hands over each event with its line, without its LF.
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
