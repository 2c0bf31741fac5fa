import Synchronization

/// The latest state, for those who look and for those who wait.
///
/// A reader that is slow, or asleep, costs one state: it gets the latest when it looks again, and
/// never holds up a writer.
final class StateFeed: Sendable {
  private struct State {
    var snapshot: Snapshot
    var readers: [Int: AsyncStream<Snapshot>.Continuation] = [:]
    var readerCount = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  init(_ snapshot: Snapshot) { state = Mutex(State(snapshot: snapshot)) }

  var snapshot: Snapshot { state.withLock(\.snapshot) }

  func publish(_ snapshot: Snapshot) {
    let readers = state.withLock { state in
      state.snapshot = snapshot
      return Array(state.readers.values)
    }
    for reader in readers { reader.yield(snapshot) }
  }

  /// The current state, then the latest after each change.
  var changes: AsyncStream<Snapshot> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      let number: Int? = state.withLock { state in
        // Under the lock, so that no later state can come before this one.
        reader.yield(state.snapshot)
        if state.isFinished { return nil }
        state.readerCount += 1
        state.readers[state.readerCount] = reader
        return state.readerCount
      }
      guard let number else { return reader.finish() }
      reader.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
      }
    }
  }

  /// Ends all loops over ``changes``, after the state they have not seen yet.
  func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }
}
