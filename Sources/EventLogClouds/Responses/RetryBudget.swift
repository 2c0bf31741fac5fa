import Synchronization

/// The limits of one run on retries, and on waiting for a remote that doesn't answer.
///
/// Answers add to it, so that a long run may retry more often than a short one. The time to wait
/// grows only after the first hundred answers.
final class RetryBudget: Sendable {
  private static let retriesMax = 20
  private static let waitMax = Duration.seconds(20)
  /// The minimum time for each answer, even after long waits, until a silence exhausts the budget.
  private static let timeoutMin = Duration.seconds(5)

  private struct Costs {
    var responses = 0
    var retries = 0
    /// The time spent in pauses before retries, and in silence.
    var waited = Duration.zero
    /// Whether the last silence exhausted the budget.
    var isExhausted = false

    var remaining: Duration { waitMax + .milliseconds(250) * max(0, responses - 100) - waited }
  }

  private let costs = Mutex(Costs())

  func recordSuccess() { costs.withLock { $0.responses += 1 } }

  /// Returns how long the remote may be silent, or nil if the budget is exhausted.
  ///
  /// - Parameter limit: The limit of the request itself.
  func timeout(upTo limit: Duration) -> Duration? {
    costs.withLock { $0.isExhausted ? nil : min(limit, max($0.remaining, Self.timeoutMin)) }
  }

  func recordTimeout(_ duration: Duration) {
    costs.withLock { costs in
      costs.waited += duration
      costs.isExhausted = costs.remaining <= .zero
    }
  }

  /// Takes the cost of a retry.
  ///
  /// - Parameter pause: The time before the retry. If a server demands a pause that exceeds the
  ///   budget, the run ends.
  /// - Returns: Whether the budget allows the retry.
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
