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
  /// An upper bound on the bytes written, or nil if it is unknown or large.
  var byteCountMax: Int?
  /// Whether the request may be answered on the caller's thread.
  var mayBeAtOnce: Bool { durability == .buffered && byteCountMax != nil }
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
