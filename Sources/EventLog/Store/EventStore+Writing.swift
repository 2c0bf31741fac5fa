import Synchronization

extension EventStore {
  /// Writes several changes together: all of them, or none if `body` throws.
  ///
  /// ```swift
  /// let (soup, receipt) = try await store.write { batch in
  ///   let soup = try batch.create(Meal.self) { $0.name = "Soup" }
  ///   try batch.edit(leek) { $0.used += 1 }
  ///   try batch.delete(shoppingList)
  ///   return soup
  /// }
  /// ```
  ///
  /// The store calls `body` once, while it holds the journal's lock. The values
  /// that `body` reads are therefore still current when its changes are written. Other devices
  /// receive all of the changes or none. The same applies to this device after a crash.
  ///
  /// If you pass `snapshot`, `body` reads that state instead of the current one. The whole batch is
  /// refused if it would replace a value that was written after it.
  ///
  /// - Parameters:
  ///   - snapshot: The state on which the changes are based, such as the one a form displays; or
  ///     `nil` for the current state.
  ///   - over: The writes that the batch may replace although `snapshot` doesn't contain them, or
  ///     this version can't read them: those of an earlier ``EventLogError/unseen``.
  ///   - durability: When to return.
  ///   - body: A closure that makes the changes. It must not wait for anything, because the journal
  ///     is locked.
  /// - Returns: The value that `body` returned, and a receipt of the events that were appended. The
  ///   receipt is empty if nothing changed.
  /// - Throws: Any error that `body` throws; `changedMeanwhile`; `eventTooLarge` for more than
  ///   4,096 events or 1 MiB; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func write<Value: Sendable>(
    asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [], durability: Durability = .durable,
    _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
  ) async throws -> (value: Value, receipt: AppendReceipt) {
    let outcome = WriteOutcome<Value>()
    let random = options.random
    do throws(EventLogError) {
      let receipt = try await submit(
        StoreRequest(durability: durability, runsAppCode: true) {
          [self] (journal, receipt) throws(EventLogError) in
          let items = try outcome.run(
            body, WriteBatch(self, asOf: snapshot, over: over, journal: journal))
          try Append(
            items: items, isOneBatch: true,
            seen: .init(state: snapshot, mayReplace: { over.contains(write: $0) }),
            random: random
          ).run(&journal, &receipt)
        })
      return (outcome.value!, receipt)
    } catch {
      throw outcome.error ?? error
    }
  }
}

/// The result of a write's closure, which runs on another thread.
private final class WriteOutcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  var value: Value? { result.withLock { try? $0?.get() } }

  /// The error that the closure threw.
  var error: (any Error)? {
    result.withLock { if case .failure(let error)? = $0 { error } else { nil } }
  }

  /// Runs the closure and returns the events to write.
  ///
  /// - Throws: An error that cancels the batch; ``error`` contains the reason.
  func run(
    _ body: (inout WriteBatch) throws -> Value, _ batch: consuming WriteBatch
  ) throws(EventLogError) -> [Append.Item] {
    var batch = batch
    do {
      let value = try body(&batch)
      result.withLock { $0 = .success(value) }
    } catch {
      result.withLock { $0 = .failure(error) }
      throw EventLogError(.invalidInput, "The closure of a write has thrown an error.")
    }
    return batch.items
  }
}
