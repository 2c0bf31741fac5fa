import Synchronization

/// Lets many callers share one commit: requests that arrive during a commit form the next one.
///
/// Each caller is suspended until its own request is answered. One commit runs at a time, on a
/// separate thread and never on a caller's actor.
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

  /// Answers each request once, by its index: with `answer` if the caller needn't wait for the end
  /// of the commit, otherwise in the return value.
  package typealias Commit =
    @Sendable ([Request], _ answer: @Sendable (Int, Answer) -> Void) -> [(Int, Answer)]

  /// Creates a queue that runs `commit` on `worker`.
  package init(on worker: SerialWorker, commit: @escaping Commit) {
    self.worker = worker
    self.commit = commit
  }

  /// Whether no caller waits for an answer.
  package var isIdle: Bool { state.withLock { !$0.isRunning } }

  /// Submits a request and waits for its answer.
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
      // Update the state first, so that the queue is idle when the last caller is resumed.
      let isOver = state.withLock { state in
        state.isRunning = !state.waiting.isEmpty
        return !state.isRunning
      }
      for (index, answer) in answers { batch[index].continuation.resume(returning: answer) }
      if isOver { return }
    }
  }
}
