import Dispatch

/// Runs jobs one at a time, in order, on no thread in particular.
///
/// It is for calls that wait for a disk, which must not block the threads that Swift's tasks share.
package final class SerialWorker: Sendable {
  private let queue: DispatchQueue

  /// Creates a worker; the label is shown in debuggers.
  package init(label: String = "eventlog") {
    queue = DispatchQueue(label: label)
  }

  /// Runs the job after all previous ones; returns at once.
  ///
  /// The job runs even if the worker is released.
  package func run(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Runs the job after a delay.
  package func run(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .milliseconds(delay), execute: work)
  }
}

extension SerialWorker {
  /// Runs `body` on the worker and suspends until it returns or throws.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      run { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
