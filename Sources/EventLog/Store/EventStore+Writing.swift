import Synchronization

extension EventStore {
  /// Writes several changes as one: all of them or, if `body` throws, none.
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
  /// `body` is called once, on the store's own thread, while nobody else can write to the journal:
  /// what it reads is true when its changes are written. Other devices see all of its changes or
  /// none, and so does this one after a crash.
  ///
  /// With `snapshot`, `body` gets the state that the person was shown, and the whole batch is
  /// refused if it would replace anything that was written since.
  ///
  /// - Parameter body: must not wait for anything: the journal is locked.
  /// - Returns: what `body` returned, and what was appended: nothing where nothing changed.
  /// - Throws: what `body` throws; `changedMeanwhile`; `eventTooLarge` for more than 4,096 events
  ///   or 1 MiB; else as ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func write<Value: Sendable>(
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
  ) async throws -> (value: Value, receipt: AppendReceipt) {
    let outcome = WriteOutcome<Value>()
    let random = options.random
    do throws(EventLogError) {
      let receipt = try await submit(
        StoreRequest(durability: durability) { [self] (journal, receipt) throws(EventLogError) in
          let items = try outcome.run(
            body, WriteBatch(self, asOf: snapshot, journal: journal))
          try Append(
            items: items, isOneBatch: true, seen: snapshot.map { .init(state: $0) },
            random: random
          ).run(&journal, &receipt)
        })
      return (outcome.value!, receipt)
    } catch {
      throw outcome.error ?? error
    }
  }
}

/// What the closure of a write has come to, which runs elsewhere.
private final class WriteOutcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  var value: Value? { result.withLock { try? $0?.get() } }

  /// What the closure has thrown.
  var error: (any Error)? {
    result.withLock { if case .failure(let error)? = $0 { error } else { nil } }
  }

  /// Runs the closure and returns what it wants written.
  ///
  /// - Throws: what has the batch given up; ``error`` tells why.
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
