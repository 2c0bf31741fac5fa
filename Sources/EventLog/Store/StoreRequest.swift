import Synchronization

/// One thing that a caller wants written, all of it or none.
struct StoreRequest: Sendable {
  /// Adds the events to the batch and notes them in the receipt.
  typealias Body =
    @Sendable (_ batch: inout JournalBatch<StoreSink>, _ receipt: inout AppendReceipt)
    throws(EventLogError) -> Void

  var durability = Durability.durable
  /// Whether `body` may throw after it has added something, so that a state to return to is kept.
  var mayBreakOff = true
  /// No more bytes are written than this; nil where that is not known, or they are many.
  var byteCountMax: Int?
  /// Whether it may be answered on the caller's thread.
  var mayBeAtOnce: Bool { durability == .buffered && byteCountMax != nil }
  var body: Body
}

/// What a request has found on the store's thread.
final class RequestResult<Value: Sendable>: Sendable {
  private let found = Mutex<Value?>(nil)

  var value: Value? {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}
