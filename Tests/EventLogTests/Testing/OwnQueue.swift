import Dispatch

/// Runs tasks on a queue of its own, whatever the other tests do meanwhile.
///
/// A test only notices after a turn of its task that a process has ended. Behind tests that take
/// seconds that turn comes late. Until the process is reaped, the monitor of exit tests finds it
/// again and again, whoever started it, which takes a processor from everybody.
final class OwnQueue: TaskExecutor {
  private let queue = DispatchQueue(label: "eventlog.tests.own")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs what waits for processes.
  static func run(_ body: () async throws -> Void) async rethrows {
    try await withTaskExecutorPreference(OwnQueue(), operation: body)
  }
}
