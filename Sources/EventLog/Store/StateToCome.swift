import Synchronization

/// A state that is made when somebody first looks at it.
///
/// Handing out a state makes the next append copy all that it changes. An app that appends many
/// events one after the other mostly looks at none of the states between.
final class StateToCome: Sendable {
  private enum State {
    /// It is the store's current state.
    case current(StoreWorker)
    case known(Snapshot)
  }

  private let state: Mutex<State>

  /// - Parameter worker: That of a store in this state; it sets the snapshot before it goes on to
  ///   another, or waits for anything.
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
