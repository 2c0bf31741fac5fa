import Synchronization

/// A caller's request to write events, all or none.
struct StoreRequest: Sendable {
  /// Adds the events to the batch and records them in the receipt.
  typealias Body =
    @Sendable (_ batch: inout JournalBatch<StoreSink>, _ receipt: inout AppendReceipt)
    throws(EventLogError) -> Void

  var durability = Durability.durable
  /// Whether `body` may throw after it has added events, so that a state to return to is needed.
  var mayBreakOff = true
  /// Whether `body` runs code of the app, which may read the store's state.
  var runsAppCode = false
  var body: Body
}

/// A result that a request computes on the store's thread.
final class RequestResult<Value: Sendable>: Sendable {
  private let found = Mutex<Value?>(nil)

  var value: Value? {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}
