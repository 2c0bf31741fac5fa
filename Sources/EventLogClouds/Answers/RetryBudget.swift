import Synchronization

/// The limits of one run on retries, and on waiting for a place that doesn't answer.
///
/// Answers add to it, so that a long run may retry more often than a short one. A run of a hundred
/// requests waits no longer than one of a few.
final class RetryBudget: Sendable {
  private static let retriesMax = 20
  private static let waitMax = Duration.seconds(20)
  /// A place that still answers gets so much time for each answer, however long the run has waited.
  private static let silenceMin = Duration.seconds(5)

  private struct Costs {
    var answers = 0
    var retries = 0
    /// In pauses before retries, and in silence.
    var waited = Duration.zero
    /// Whether the last silence has taken all that was left.
    var isOver = false

    var left: Duration { waitMax + .milliseconds(250) * max(0, answers - 100) - waited }
  }

  private let costs = Mutex(Costs())

  func noteSuccess() { costs.withLock { $0.answers += 1 } }

  /// Returns how long a place may be silent, or nil if the run has waited long enough.
  ///
  /// - Parameter limit: The limit of the request itself.
  func silence(upTo limit: Duration) -> Duration? {
    costs.withLock { $0.isOver ? nil : min(limit, max($0.left, Self.silenceMin)) }
  }

  func noteSilence(_ duration: Duration) {
    costs.withLock { costs in
      costs.waited += duration
      costs.isOver = costs.left <= .zero
    }
  }

  /// Takes the cost of a retry.
  ///
  /// - Parameter pause: The time before it. A server that wants to be left alone for longer than
  ///   what is left ends the run.
  /// - Returns: Whether enough was left.
  func take(_ pause: Duration) -> Bool {
    costs.withLock { costs in
      guard !costs.isOver, costs.retries < Self.retriesMax + costs.answers / 4,
        pause <= costs.left
      else { return false }
      costs.retries += 1
      costs.waited += pause
      return true
    }
  }
}
