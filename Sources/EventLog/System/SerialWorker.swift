// One thread's worth of work in order, for calls that wait for a disk: those must not hold up
// the threads that Swift's tasks share.

import Dispatch

/// Runs what it is given one after the other, in the order given, on no thread in particular.
package final class SerialWorker: Sendable {
  private let queue: DispatchQueue

  /// Makes a worker; the label shows in debuggers.
  package init(label: String = "eventlog") {
    queue = DispatchQueue(label: label)
  }

  /// Has the work done after all that was given before; returns at once.
  ///
  /// Work given is done, even if the worker is let go of.
  package func run(_ work: @escaping @Sendable () -> Void) {
    queue.async(execute: work)
  }

  /// Has the work done once so much time has passed.
  package func run(afterMilliseconds delay: Int, _ work: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .milliseconds(delay), execute: work)
  }
}

extension SerialWorker {
  /// Has `body` done on the worker, and waits, suspended, for what it throws or returns.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      run { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}
