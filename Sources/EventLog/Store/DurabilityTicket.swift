import Synchronization

/// Waits for the sync that covers the events of a buffered append.
final class DurabilityTicket: Sendable {
  typealias Answer = Result<Void, EventLogError>

  private enum State {
    case waiting([CheckedContinuation<Answer, Never>])
    case answered(Answer)
  }

  private let state = Mutex(State.waiting([]))
  /// Starts the sync now instead of a moment later.
  private let hurry: @Sendable () -> Void

  init(hurry: @escaping @Sendable () -> Void) { self.hurry = hurry }

  func wait() async throws(EventLogError) {
    let answer = await withCheckedContinuation { continuation in
      let known: Answer? = state.withLock { state in
        switch state {
        case .waiting(let others):
          state = .waiting(others + [continuation])
          return nil
        case .answered(let answer): return answer
        }
      }
      if let known { continuation.resume(returning: known) } else { hurry() }
    }
    try answer.get()
  }

  func answer(_ answer: Answer) {
    let waiting = state.withLock { state in
      guard case .waiting(let waiting) = state else {
        return [CheckedContinuation<Answer, Never>]()
      }
      state = .answered(answer)
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: answer) }
  }
}
