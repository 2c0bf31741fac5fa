import Synchronization

/// The point at which an append returns.
public enum Durability: Sendable, Hashable {
  /// Returns when the events survive a power loss.
  case durable
  /// Returns when the events are written.
  ///
  /// The events survive a crash of the process. They survive a power loss only once
  /// ``AppendReceipt/durable()`` returns. The store syncs them by itself within about 20
  /// milliseconds, or later if another process keeps the journal locked.
  case buffered
}
