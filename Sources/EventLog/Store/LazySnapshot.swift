import Synchronization

/// A snapshot that is created when it is first read.
///
/// After a snapshot, the next append has to copy everything that it changes. An app that appends
/// many events in a row usually doesn't read the states in between.
final class LazySnapshot: Sendable {
  private enum State {
    /// The state is the store's current state.
    case current(StoreWorker)
    case known(Snapshot)
  }

  private let state: Mutex<State>

  /// - Parameter worker: The worker of a store in this state. It sets the snapshot before it
  ///   changes the state, or waits for anything.
  init(of worker: StoreWorker) { state = Mutex(.current(worker)) }

  func set(_ snapshot: Snapshot) { state.withLock { $0 = .known(snapshot) } }

  var snapshot: Snapshot {
    switch state.withLock({ $0 }) {
    case .known(let snapshot): snapshot
    case .current(let worker): worker.catchUp { known }
    }
  }

  private var known: Snapshot? {
    if case .known(let snapshot) = state.withLock({ $0 }) { snapshot } else { nil }
  }
}
