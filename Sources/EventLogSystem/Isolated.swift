import Synchronization

/// State that one worker accesses, one job at a time.
///
/// Callers suspend, so that a job waiting for a disk blocks none of the threads that Swift's tasks
/// share.
package final class Isolated<State>: Sendable {
  package let worker: SerialWorker
  private let state: Mutex<State>
  /// The number of jobs that haven't ended.
  private let workCount = Atomic(0)

  /// - Parameter label: The name of the worker in debuggers.
  package init(label: String, _ state: consuming sending State) {
    worker = SerialWorker(label: label)
    self.state = Mutex(state)
  }

  /// Uses a worker that also has other jobs.
  package init(_ state: consuming sending State, on worker: SerialWorker) {
    self.worker = worker
    self.state = Mutex(state)
  }

  /// Runs `body` on the worker and suspends until it returns or throws.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (inout sending State) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      begin()
      worker.run {
        let result = Result { () throws(Failure) in
          try self.state.withLock { (state) throws(Failure) in try body(&state) }
        }
        // Before resuming the caller, which may use ``nowIfIdle(_:)`` next.
        self.end()
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Runs `body` on the worker and returns at once.
  package func run(_ body: @escaping @Sendable (inout sending State) -> Void) {
    begin()
    worker.run {
      self.state.withLock { body(&$0) }
      self.end()
    }
  }

  /// Runs `body` on this thread, which must be the worker's or the only one that uses the state.
  package func now<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value {
    begin()
    defer { end() }
    return state.withLock { body(&$0) }
  }

  /// Runs `body` on this thread if the worker is idle, otherwise returns nil; never waits.
  package func nowIfIdle<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value? {
    guard
      workCount.compareExchange(
        expected: 0, desired: 1, ordering: .acquiringAndReleasing
      ).exchanged
    else { return nil }
    defer { end() }
    // The worker may have received and started a job after the exchange.
    return state.withLockIfAvailable { body(&$0) }
  }

  private func begin() { workCount.add(1, ordering: .acquiringAndReleasing) }

  private func end() { workCount.subtract(1, ordering: .acquiringAndReleasing) }
}
