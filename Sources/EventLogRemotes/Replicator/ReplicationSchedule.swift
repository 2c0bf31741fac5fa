import EventLog
package import EventLogSystem

/// The delays with which a ``Replicator`` syncs.
public struct ReplicationSchedule: Sendable, Hashable {
  /// The time to wait after an append, so that a burst of appends results in one sync.
  public var delay: Duration
  /// The time after which to sync with a remote that has reported no change, or `nil` to sync only
  /// after a change.
  public var interval: Duration?
  /// The maximum time to wait after the first failure.
  ///
  /// The maximum doubles with each failure, up to ``retryMax``. The actual wait is random,
  /// between zero and the maximum, so that devices don't all return to a failed server at once
  /// ("full jitter").
  public var retryMin: Duration
  /// The maximum time to wait after any failure.
  public var retryMax: Duration

  /// Creates a schedule.
  ///
  /// The defaults suit an app in the foreground.
  ///
  /// - Parameters:
  ///   - delay: The time to wait after an append.
  ///   - interval: The time after which to sync without a change, or `nil` to sync only after a
  ///     change.
  ///   - retryMin: The maximum time to wait after the first failure.
  ///   - retryMax: The maximum time to wait after any failure.
  public init(
    delay: Duration = .milliseconds(500), interval: Duration? = .seconds(60),
    retryMin: Duration = .milliseconds(500), retryMax: Duration = .seconds(300)
  ) {
    (self.delay, self.interval) = (delay, interval)
    (self.retryMin, self.retryMax) = (retryMin, retryMax)
  }
}

extension ReplicationSchedule {
  /// A random delay between zero and a maximum that doubles with each failure.
  ///
  /// "Full jitter" of Marc Brooker, Exponential Backoff and Jitter (2015).
  package func backoff(_ failureCount: Int, _ random: RandomText) -> Duration {
    let doublings = min(failureCount - 1, 30)
    return min(retryMin * (1 << doublings), retryMax) * random.fraction()
  }
}
