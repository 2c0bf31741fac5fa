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
  private let commit: Commit

  /// Answers every request once, by its place: with `answer` where the caller need not wait for
  /// the end of the commit, else with what it returns.
  package typealias Commit =
    @Sendable ([Request], _ answer: @Sendable (Int, Answer) -> Void) -> [(Int, Answer)]

  /// `commit` runs on `worker`.
  package init(on worker: SerialWorker, commit: @escaping Commit) {
    self.worker = worker
    self.commit = commit
  }

  /// Whether nobody waits for an answer.
  package var isIdle: Bool { state.withLock { !$0.isRunning } }

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
      let answers = commit(batch.map(\.request)) {
        batch[$0].continuation.resume(returning: $1)
      }
      // Whoever is answered last finds nobody at work.
      let isOver = state.withLock { state in
        state.isRunning = !state.waiting.isEmpty
        return !state.isRunning
      }
      for (index, answer) in answers { batch[index].continuation.resume(returning: answer) }
      if isOver { return }
    }
  }
}
