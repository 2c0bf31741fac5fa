import Synchronization

/// The latest value of a source, for readers that poll and for readers that wait.
///
/// A slow or suspended reader costs one value: it gets the latest one when it continues, and never
/// delays a writer.
package final class LatestFeed<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    var readerCount = 0
    var isFinished = false
    /// Whether there is a later value whose publication is deferred.
    var isOutdated = false

    /// - Returns: The reader's number, or nil if no more values follow.
    mutating func add(_ reader: AsyncStream<Value>.Continuation) -> Int? {
      if isFinished { return nil }
      readerCount += 1
      readers[readerCount] = reader
      return readerCount
    }
  }

  /// Held while values are delivered, to keep their order.
  ///
  /// A delivery to a task that is being canceled waits for its cancellation handlers, which end
  /// readers. So a cancellation handler must never wait for this lock, or both would deadlock.
  private let order = Mutex(())
  /// Held only briefly, and never while values are delivered.
  private let state: Mutex<State>

  package init(_ value: Value) { state = Mutex(State(value: value)) }

  /// The last value that was published.
  package var value: Value { state.withLock { $0.value } }

  /// The latest value, or nil if its publication is deferred.
  package var latest: Value? { state.withLock { $0.isOutdated ? nil : $0.value } }

  /// Defers the publication of a later value until a reader asks for it.
  ///
  /// - Returns: false, without deferring, if a reader waits for changes.
  package func putOff() -> Bool {
    state.withLock { state in
      if state.readers.isEmpty { state.isOutdated = true }
      return state.readers.isEmpty
    }
  }

  /// Records that the last published value is the latest.
  package func confirm() { state.withLock { $0.isOutdated = false } }

  package func publish(_ value: Value) { update { $0 = value } }

  /// Changes the value and delivers it to all readers.
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

  /// The current value, followed by the latest value after each change.
  package var changes: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { reader in
      // Under the lock, no later value can be delivered before the current one.
      let number = order.withLock { _ in
        let (value, number) = state.withLock { state in (state.value, state.add(reader)) }
        reader.yield(value)
        return number
      }
      guard let number else { return reader.finish() }
      reader.onTermination = { [weak self] _ in
        // The continuation is released outside the lock.
        _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
      }
    }
  }

  /// Ends all sequences of ``changes``, after a value that they haven't delivered yet.
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
