import Synchronization

/// The latest value of something, for those who look and for those who wait.
///
/// A reader that is slow, or asleep, costs one value: it gets the latest when it looks again, and
/// never holds up a writer.
package final class LatestFeed<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    var readerCount = 0
    var isFinished = false
  }

  private let state: Mutex<State>

  package init(_ value: Value) { state = Mutex(State(value: value)) }

  package var value: Value { state.withLock(\.value) }

  package func publish(_ value: Value) { update { $0 = value } }

  /// Changes the value for all who look and wait.
  package func update(_ change: (inout Value) -> Void) {
    state.withLock { state in
      change(&state.value)
      // Under the lock, so that values come in order.
      for reader in state.readers.values { reader.yield(state.value) }
    }
  }

  /// The current value, then the latest after each change.
  package var changes: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      let number: Int? = state.withLock { state in
        // Under the lock, so that no later value can come before this one.
        reader.yield(state.value)
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

  /// Ends all loops over ``changes``, after the value they have not seen yet.
  package func finish() {
    let readers = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish() }
  }
}
