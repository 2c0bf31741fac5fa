/// A replication that runs until it is stopped, or until its store is closed or released.
package protocol RunningReplication: AnyObject, Sendable {
  /// Ends the replication, and returns when no sync is running.
  func stop() async

  /// Ends the replication without waiting for a sync that is running.
  func cancel()

  /// Called after the store was synced with a remote by other means.
  func noteSync(with address: String)
}
