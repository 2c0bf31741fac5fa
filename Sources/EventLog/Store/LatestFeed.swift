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
    /// Whether there is a later value, which nobody has looked at yet.
    var isOutdated = false

    /// - Returns: the reader's number; nil where no more values come.
    mutating func add(_ reader: AsyncStream<Value>.Continuation) -> Int? {
      if isFinished { return nil }
      readerCount += 1
      readers[readerCount] = reader
      return readerCount
    }
  }

  /// Held while values are handed over, so that they come in order.
  ///
  /// Whoever hands one to a task that is just being cancelled waits until the cancellation has told
  /// all who wanted to know, which ends readers. So nothing that runs in a cancellation may wait
  /// for this lock, or both would wait for ever.
  private let order = Mutex(())
  /// Held for moments, and never while values are handed over.
  private let state: Mutex<State>

  package init(_ value: Value) { state = Mutex(State(value: value)) }

  /// The last value that was published.
  package var value: Value { state.withLock { $0.value } }

  /// The latest value; nil while it is still to be published.
  package var latest: Value? { state.withLock { $0.isOutdated ? nil : $0.value } }

  /// Takes note that there is a later value, which is published once somebody looks; false, and
  /// nothing is noted, where somebody waits for it.
  package func putOff() -> Bool {
    state.withLock { state in
      if state.readers.isEmpty { state.isOutdated = true }
      return state.readers.isEmpty
    }
  }

  /// Takes note that the last value that was published is the latest.
  package func confirm() { state.withLock { $0.isOutdated = false } }

  package func publish(_ value: Value) { update { $0 = value } }

  /// Changes the value for all who look and wait.
  package func update(_ change: (inout Value) -> Void) {
    order.withLock { _ in
      let (value, readers) = state.withLock { state in
        change(&state.value)
        state.isOutdated = false
        return (state.value, state.readers.values)
      }
      for reader in readers { reader.yield(value) }
    }
  }

  /// The current value, then the latest after each change.
  package var changes: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      // No later value can come before the current one.
      let number = order.withLock { _ in
        let (value, number) = state.withLock { state in (state.value, state.add(reader)) }
        reader.yield(value)
        return number
      }
      guard let number else { return reader.finish() }
      reader.onTermination = { [weak self] _ in
        // Released outside the lock.
        _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
      }
    }
  }

  /// Ends all loops over ``changes``, after the value they have not seen yet.
  package func finish() {
    let readers = order.withLock { _ in
      state.withLock { state in
        state.isFinished = true
        defer { state.readers = [:] }
        return Array(state.readers.values)
      }
    }
    for reader in readers { reader.finish() }
  }
}
