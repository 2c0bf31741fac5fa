import Synchronization

/// The limits of one run on retries, and on waiting for an unresponsive remote.
///
/// Each response adds retries, so a long run may retry more often than a short one. The time limit
/// grows only after the first hundred responses.
final class RetryBudget: Sendable {
  private static let retriesMax = 20
  private static let waitMax = Duration.seconds(20)
  /// The minimum time to wait for a response, even if little time is left.
  private static let timeoutMin = Duration.seconds(5)

  private struct Costs {
    var responses = 0
    var retries = 0
    /// The time spent on pauses before retries, and on requests that timed out.
    var waited = Duration.zero
    /// Whether the last timeout exhausted the budget.
    var isExhausted = false

    var remaining: Duration { waitMax + .milliseconds(250) * max(0, responses - 100) - waited }
  }

  private let costs = Mutex(Costs())

  func recordSuccess() { costs.withLock { $0.responses += 1 } }

  /// Returns the timeout for a request, or nil if the budget is exhausted.
  ///
  /// - Parameter limit: The request's own timeout.
  func timeout(upTo limit: Duration) -> Duration? {
    costs.withLock { $0.isExhausted ? nil : min(limit, max($0.remaining, Self.timeoutMin)) }
  }

  func recordTimeout(_ duration: Duration) {
    costs.withLock { costs in
      costs.waited += duration
      costs.isExhausted = costs.remaining <= .zero
    }
  }

  /// Deducts the cost of a retry.
  ///
  /// - Parameter pause: The pause before the retry. If it exceeds the budget, there is no retry.
  /// - Returns: False if the budget doesn't allow the retry.
  func spend(_ pause: Duration) -> Bool {
    costs.withLock { costs in
      guard !costs.isExhausted, costs.retries < Self.retriesMax + costs.responses / 4,
        pause <= costs.remaining
      else { return false }
      costs.retries += 1
      costs.waited += pause
      return true
    }
  }
}
