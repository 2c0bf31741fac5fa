import Synchronization

/// A snapshot of a store's state that is created when it is first read.
final class LazySnapshot: Sendable {
  private let state: Mutex<State>

  private enum State {
    case toCome(StoreWorker)
    case known(Snapshot)
  }

  init(of worker: StoreWorker) { state = Mutex(.toCome(worker)) }

  /// The store's state when this was first read.
  var snapshot: Snapshot {
    let worker: StoreWorker
    switch state.withLock({ $0 }) {
    case .known(let snapshot): return snapshot
    case .toCome(let store): worker = store
    }
    // Not under the lock, because observers of the state may read this.
    let latest = worker.snapshot
    return state.withLock { state in
      if case .known(let first) = state { return first }
      state = .known(latest)
      return latest
    }
  }
}
