// How a task that waits for one of several things is woken.

import Synchronization

/// Lets one task wait until somebody wants something of it, or a time is over.
///
/// What is wanted while nobody waits is kept for the next wait.
package final class WakeUp<Reasons: OptionSet & Sendable>: Sendable {
  private struct State {
    var raised: Reasons = []
    /// What the waiting task waits for, and how it is resumed.
    var mask: Reasons = []
    var waiting: CheckedContinuation<Void, Never>?

    mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
      defer { (mask, waiting) = ([], nil) }
      return waiting
    }
  }

  private let state = Mutex(State())
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameter sleep: lets a time pass, or throws at once when the task is cancelled.
  package init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

  /// Wakes the task, if it waits for one of the reasons; from any thread.
  package func raise(_ reasons: Reasons) {
    let waiting = state.withLock { state in
      state.raised.formUnion(reasons)
      return state.raised.isDisjoint(with: state.mask) ? nil : state.takeWaiting()
    }
    waiting?.resume()
  }

  /// What was wanted since the last call.
  package func take() -> Reasons {
    state.withLock { state in
      defer { state.raised = [] }
      return state.raised
    }
  }

  /// Waits for one of the reasons, the end of the time, or cancellation; only one task may.
  ///
  /// - Returns: what has been wanted, of those reasons; it stays wanted until ``take()``.
  package func wait(for mask: Reasons, atMost limit: Duration? = nil) async -> Reasons {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.waitUntilRaised(mask) }
      if let limit {
        let sleep = sleep
        group.addTask { try? await sleep(limit) }
      }
      await group.next()
      group.cancelAll()
    }
    return state.withLock { $0.raised.intersection(mask) }
  }

  private func waitUntilRaised(_ mask: Reasons) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          // Cancelled before it waited: nobody would come any more.
          if Task.isCancelled || !state.raised.isDisjoint(with: mask) { return true }
          precondition(state.waiting == nil, "Only one task waits.")
          (state.mask, state.waiting) = (mask, continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.takeWaiting() }?.resume()
    }
  }
}
