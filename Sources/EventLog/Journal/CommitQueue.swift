import Synchronization

/// Lets many callers share one commit: what arrives while a batch is being synced makes the next
/// one.
///
/// Each caller waits, suspended, until its own request is durable. One commit at a time runs, on a
/// thread of its own, never on a caller's actor.
package final class CommitQueue<Request: Sendable, Reply: Sendable>: Sendable {
  private struct Waiting {
    var request: Request
    var continuation: CheckedContinuation<Result<Reply, EventLogError>, Never>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let worker = SerialWorker()
  private let commit: @Sendable ([Request]) -> [Result<Reply, EventLogError>]

  /// `commit` answers every request, in their order.
  package init(commit: @escaping @Sendable ([Request]) -> [Result<Reply, EventLogError>]) {
    self.commit = commit
  }

  /// Hands in one request and waits for its answer.
  package func submit(_ request: Request) async throws(EventLogError) -> Reply {
    let result = await withCheckedContinuation { continuation in
      let mustStart = state.withLock { state in
        state.waiting.append(Waiting(request: request, continuation: continuation))
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if mustStart { worker.run { self.drain() } }
    }
    return try result.get()
  }

  private func drain() {
    while true {
      let batch = state.withLock { state in
        defer { state.waiting = [] }
        if state.waiting.isEmpty { state.isRunning = false }
        return state.waiting
      }
      if batch.isEmpty { return }
      let results = commit(batch.map(\.request))
      for (waiting, result) in zip(batch, results) {
        waiting.continuation.resume(returning: result)
      }
    }
  }
}
