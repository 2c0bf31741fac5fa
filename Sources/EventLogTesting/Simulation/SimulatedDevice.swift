import EventLog

/// A device of a simulation, with its open stores and the expected contents of its journal.
final class SimulatedDevice {
  let store: TemporaryStore
  /// The state that the last `look` action kept.
  var look: Snapshot?
  /// A second store on its journal.
  var second: EventStore?
  /// The last backup of its files.
  var backup: DeviceBackup?
  /// The tracked contents of its journal.
  private(set) var journal = WatchedJournal()
  /// Whether lines were damaged after its store had read them.
  var hasUnreadDamage = false
  /// Whether all its files were rolled back while its app was running, which alone knows that.
  var isRolledBack = false
  private var status: FileStatus?

  init(_ store: TemporaryStore) { self.store = store }

  /// Creates a copy of another device, whose journal contains the same bytes.
  init(_ store: TemporaryStore, of other: SimulatedDevice) {
    self.store = store
    journal = other.journal
    hasUnreadDamage = other.hasUnreadDamage
  }

  var name: String { store.name }
  var lines: [FullEventID: [UInt8]] { journal.lines }

  /// Reads the file and returns its changes, or nil if it is unchanged.
  func observe() throws(EventLogError) -> WatchedJournal.Change? {
    let now = try? store.base.status(at: store.path)
    if now == status { return nil }
    status = now
    return journal.follow(try store.journalBytes()) { store.quarantined }
  }

  /// Records a change that the simulator made to the file.
  func observeChange() throws(EventLogError) {
    status = try? store.base.status(at: store.path)
    journal.restart(try store.journalBytes())
  }

  /// Reads lines of other writers; a journal that doesn't exist yet isn't an error.
  func refresh(_ other: EventStore? = nil) async throws(EventLogError) {
    do throws(EventLogError) { try await (other ?? store.store).refresh() } catch {
      if error.code != .noJournal { throw error }
    }
  }

  /// Returns a second store, open at the same time, like that of another process.
  func openSecond() async throws(EventLogError) -> EventStore {
    if let second { return second }
    let opened = try await store.openAgain()
    second = opened
    return opened
  }

  /// Closes all its stores.
  func close() async throws(EventLogError) {
    try await second?.close()
    second = nil
    try await store.close()
  }
}
