import Synchronization

/// State that one worker accesses, one job at a time.
///
/// Callers suspend, so that a job waiting for a disk blocks none of the threads that Swift's tasks
/// share.
package final class Isolated<State>: Sendable {
  package let worker: SerialWorker
  private let state: Mutex<State>

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
      worker.run {
        let result = Result { () throws(Failure) in
          try self.state.withLock { (state) throws(Failure) in try body(&state) }
        }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Runs `body` on the worker and returns at once.
  package func run(_ body: @escaping @Sendable (inout sending State) -> Void) {
    worker.run { self.state.withLock { body(&$0) } }
  }
}
