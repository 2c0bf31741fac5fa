import Synchronization

/// What the retries of one run may cost.
///
/// Each answer adds to it, so that a long run may retry more often than a short one.
final class RetryBudget: Sendable {
  private static let retriesMax = 20
  /// Each silence takes as long as a request may.
  private static let silencesMax = 1
  private static let waitMax = Duration.seconds(20)

  private struct Costs {
    var answers = 0
    var retries = 0
    var silences = 0
    var waited = Duration.zero
  }

  private let costs = Mutex(Costs())

  func noteSuccess() { costs.withLock { $0.answers += 1 } }

  /// Takes what a retry costs.
  ///
  /// - Parameters:
  ///   - pause: How long is waited before it. A server that wants to be left alone for longer than
  ///     what is left ends the run.
  ///   - isSilence: Whether the server did not answer in time.
  /// - Returns: Whether there was enough left.
  func take(_ pause: Duration, afterSilence isSilence: Bool) -> Bool {
    costs.withLock { costs in
      guard costs.retries < Self.retriesMax + costs.answers / 4,
        !isSilence || costs.silences < Self.silencesMax + costs.answers / 100,
        costs.waited + pause <= Self.waitMax + .milliseconds(250) * costs.answers
      else { return false }
      costs.retries += 1
      costs.silences += isSilence ? 1 : 0
      costs.waited += pause
      return true
    }
  }
}
