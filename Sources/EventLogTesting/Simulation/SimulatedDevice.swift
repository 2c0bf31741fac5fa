import EventLog

/// A device of a simulation, with what its person has open, and what is known of its journal.
final class SimulatedDevice {
  let store: TemporaryStore
  /// The state that its person looked at last.
  var look: Snapshot?
  /// A second store on its journal.
  var second: EventStore?
  /// Its files as they were kept.
  var backup: DeviceBackup?
  /// What stands in its journal.
  private(set) var journal = WatchedJournal()
  /// Whether lines were damaged that its store has read before.
  var hasUnreadDamage = false
  private var status: FileStatus?

  init(_ store: TemporaryStore) { self.store = store }

  /// A copy of another device, whose journal holds the same bytes.
  init(_ store: TemporaryStore, of other: SimulatedDevice) {
    self.store = store
    journal = other.journal
    hasUnreadDamage = other.hasUnreadDamage
  }

  var name: String { store.name }
  var lines: [FullEventID: [UInt8]] { journal.lines }

  /// Looks at the file; nil where nobody has changed it.
  func observe() throws(EventLogError) -> WatchedJournal.Change? {
    let now = try? store.base.status(at: store.path)
    if now == status { return nil }
    status = now
    return journal.follow(try store.journalBytes()) { store.quarantined }
  }

  /// Takes note that the simulator itself has changed the file.
  func observeChange() throws(EventLogError) {
    status = try? store.base.status(at: store.path)
    journal.restart(try store.journalBytes())
  }

  /// Reads what others have written; where nobody has, there is no journal yet.
  func refresh(_ other: EventStore? = nil) async throws(EventLogError) {
    do throws(EventLogError) { try await (other ?? store.store).refresh() } catch {
      if error.code != .noJournal { throw error }
    }
  }

  /// Another store beside the first, as another process has it open.
  func openSecond() async throws(EventLogError) -> EventStore {
    if let second { return second }
    let opened = try await store.openAgain()
    second = opened
    return opened
  }

  /// Ends all its processes.
  func close() async throws(EventLogError) {
    try await second?.close()
    second = nil
    try await store.close()
  }
}
