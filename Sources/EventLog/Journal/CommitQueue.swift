import Synchronization

/// Lets many callers share one commit: what arrives while a batch is being synced makes the next
/// one.
///
/// Each caller waits, suspended, until its own request is answered. One commit at a time runs, on a
/// thread of its own, never on a caller's actor.
package final class CommitQueue<Request: Sendable, Reply: Sendable>: Sendable {
  package typealias Answer = Result<Reply, EventLogError>

  private struct Waiting: Sendable {
    var request: Request
    var continuation: CheckedContinuation<Answer, Never>
  }

  private struct State {
    var waiting: [Waiting] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let worker: SerialWorker
  private let commit: @Sendable ([Request], _ answer: @Sendable (Int, Answer) -> Void) -> Void

  /// `commit` answers every request once, by its place, as soon as it can; it runs on `worker`.
  package init(
    on worker: SerialWorker,
    commit: @escaping @Sendable ([Request], _ answer: @Sendable (Int, Answer) -> Void) -> Void
  ) {
    self.worker = worker
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
      commit(batch.map(\.request)) { batch[$0].continuation.resume(returning: $1) }
    }
  }
}
