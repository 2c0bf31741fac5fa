import Dispatch

/// Runs tasks on a queue of its own, whatever the other tests do meanwhile.
///
/// An exit test only notices after a turn of its task that its process has ended. Behind tests that
/// take seconds that turn comes late, and until then swift-testing asks for the process without a
/// pause, which takes a processor from everybody.
final class OwnQueue: TaskExecutor {
  private let queue = DispatchQueue(label: "eventlog.tests.own")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs what waits for processes.
  static func run(_ body: () async -> Void) async {
    await withTaskExecutorPreference(OwnQueue(), operation: body)
  }
}
