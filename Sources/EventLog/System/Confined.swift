import Synchronization

/// State that one worker touches, one piece of work after the other.
///
/// Callers wait, suspended: work that waits for a disk holds up none of the threads that Swift's
/// tasks share.
package final class Confined<State>: Sendable {
  package let worker: SerialWorker
  private let state: Mutex<State>
  /// How many pieces of work were given and are not done yet.
  private let workCount = Atomic(0)

  /// - Parameter label: shows in debuggers.
  package init(label: String, _ state: consuming sending State) {
    worker = SerialWorker(label: label)
    self.state = Mutex(state)
  }

  /// The same on a worker that has other work too.
  package init(_ state: consuming sending State, on worker: SerialWorker) {
    self.worker = worker
    self.state = Mutex(state)
  }

  /// Has `body` done on the worker, and waits for what it throws or returns.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (inout sending State) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      begin()
      worker.run {
        let result = Result { () throws(Failure) in
          try self.state.withLock { (state) throws(Failure) in try body(&state) }
        }
        // Before the caller goes on, who may have something for ``nowIfIdle(_:)``.
        self.end()
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Has `body` done on the worker, and returns at once.
  package func run(_ body: @escaping @Sendable (inout sending State) -> Void) {
    begin()
    worker.run {
      self.state.withLock { body(&$0) }
      self.end()
    }
  }

  /// Does `body` here and now: to be called on the worker, or where nobody else works.
  package func now<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value {
    begin()
    defer { end() }
    return state.withLock { body(&$0) }
  }

  /// Does `body` here and now where the worker has nothing to do; else returns nil. Never waits.
  package func nowIfIdle<Value: Sendable>(_ body: (inout sending State) -> Value) -> Value? {
    guard
      workCount.compareExchange(
        expected: 0, desired: 1, ordering: .acquiringAndReleasing
      ).exchanged
    else { return nil }
    defer { end() }
    // The worker may have been given something meanwhile, and have begun it.
    return state.withLockIfAvailable { body(&$0) }
  }

  private func begin() { workCount.add(1, ordering: .acquiringAndReleasing) }

  private func end() { workCount.subtract(1, ordering: .acquiringAndReleasing) }
}
