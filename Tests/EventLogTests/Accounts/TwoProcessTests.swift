import Dispatch
import Testing

/// Tests in which one process waits for another.
///
/// A waiting process blocks its thread. With one test at a time, other threads can continue.
@Suite(.serialized) enum TwoProcessTests {}

/// Runs a body to its end while the calling thread waits.
func runBlocking(_ body: @escaping @Sendable () async -> Void) {
  let finished = DispatchSemaphore(value: 0)
  Task.detached {
    await body()
    finished.signal()
  }
  finished.wait()
}
