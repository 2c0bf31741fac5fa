import Dispatch

/// Runs tasks on a separate queue, independent of other tests.
///
/// A test reaps an ended process only when its task runs, which is late if other tests occupy the
/// shared pool for seconds. Until then, the monitor of exit tests finds the process again and
/// again, which keeps a processor busy.
final class OwnQueue: TaskExecutor {
  private let queue = DispatchQueue(label: "eventlog.tests.own")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs a body that waits for processes.
  static func run(_ body: () async throws -> Void) async rethrows {
    try await withTaskExecutorPreference(OwnQueue(), operation: body)
  }
}
