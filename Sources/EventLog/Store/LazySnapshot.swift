import Synchronization

/// A snapshot of a store's state that is created when it is first read.
final class LazySnapshot: Sendable {
  private let worker: StoreWorker
  private let known = Mutex<Snapshot?>(nil)

  init(of worker: StoreWorker) { self.worker = worker }

  /// The store's state when this was first read.
  var snapshot: Snapshot {
    if let snapshot = known.withLock({ $0 }) { return snapshot }
    // Not under the lock, because observers of the state may read this.
    let latest = worker.snapshot
    return known.withLock { known in
      let snapshot = known ?? latest
      known = snapshot
      return snapshot
    }
  }
}
