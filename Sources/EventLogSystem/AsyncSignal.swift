import Synchronization

/// Lets one task wait until a reason is raised or a time has passed.
///
/// Reasons raised while no task waits are kept for the next wait.
package final class AsyncSignal<Reasons: OptionSet & Sendable>: Sendable {
  private struct State {
    var raised: Reasons = []
    /// The reasons for which the task waits, and its continuation.
    var mask: Reasons = []
    var waiting: CheckedContinuation<Void, Never>?

    mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
      defer { (mask, waiting) = ([], nil) }
      return waiting
    }
  }

  private let state = Mutex(State())
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameter sleep: Waits for a duration, or throws at once if the task is canceled.
  package init(sleep: @escaping @Sendable (Duration) async throws -> Void) { self.sleep = sleep }

  /// Raises reasons and wakes the task if it waits for one of them; from any thread.
  package func raise(_ reasons: Reasons) {
    let waiting = state.withLock { state in
      state.raised.formUnion(reasons)
      return state.raised.isDisjoint(with: state.mask) ? nil : state.takeWaiting()
    }
    waiting?.resume()
  }

  /// Returns and clears the raised reasons.
  package func take() -> Reasons {
    state.withLock { state in
      defer { state.raised = [] }
      return state.raised
    }
  }

  /// Waits for one of the reasons, the limit, or cancellation; only one task may wait.
  ///
  /// - Returns: The raised reasons among `mask`; they stay raised until ``take()``.
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
          // If already canceled, the cancellation handler has run, and nothing would resume it.
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
