import Synchronization

/// Waits for the sync that covers the events of a buffered append.
///
/// A sync that couldn't begin, for example because another process kept the lock, fails its
/// callers. It is tried again later, and at once for the next caller.
final class DurabilityTicket: Sendable {
  typealias Answer = Result<Void, EventLogError>

  private enum State {
    /// The waiting callers, and why the last sync couldn't begin, if one was tried.
    case waiting([CheckedContinuation<Answer, Never>], last: EventLogError?)
    case answered(Answer)
  }

  private let state = Mutex(State.waiting([], last: nil))
  /// Starts the sync now instead of a moment later.
  private let hurry: @Sendable () -> Void

  init(hurry: @escaping @Sendable () -> Void) { self.hurry = hurry }

  func wait() async throws(EventLogError) {
    let answer = await withCheckedContinuation { continuation in
      let known: Answer? = state.withLock { state in
        switch state {
        case .waiting(let others, let last):
          state = .waiting(others + [continuation], last: last)
          return nil
        case .answered(let answer): return answer
        }
      }
      if let known { continuation.resume(returning: known) } else { hurry() }
    }
    try answer.get()
  }

  /// Answers the waiting callers, and also later ones if the answer is final.
  func answer(_ answer: Answer) {
    finish(
      answer,
      as: answer.failureToRetry.map { .waiting([], last: $0) } ?? .answered(answer))
  }

  /// Makes the last failure final, because no sync is tried again.
  func end() {
    guard case .waiting(_, let last?) = state.withLock({ $0 }) else { return }
    finish(.failure(last), as: .answered(.failure(last)))
  }

  /// Resumes the waiting callers.
  private func finish(_ answer: Answer, as next: State) {
    let waiting = state.withLock { state in
      guard case .waiting(let waiting, _) = state else {
        return [CheckedContinuation<Answer, Never>]()
      }
      state = next
      return waiting
    }
    for continuation in waiting { continuation.resume(returning: answer) }
  }
}

extension DurabilityTicket.Answer {
  /// The error if the sync couldn't begin, or nil if the answer is final.
  var failureToRetry: EventLogError? {
    if case .failure(let error) = self, error.code != .syncFailed { error } else { nil }
  }
}
