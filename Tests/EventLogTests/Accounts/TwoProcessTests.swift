import Dispatch
import Testing

/// The parent suite of tests in which one process waits for another.
///
/// A waiting process blocks its thread, so only one test runs at a time.
@Suite(.serialized) enum TwoProcessTests {}

/// Runs a body on another thread, and blocks the calling thread until it ends.
func runBlocking(_ body: @escaping @Sendable () async -> Void) {
  let finished = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    finished.signal()
  }
  finished.wait()
}
