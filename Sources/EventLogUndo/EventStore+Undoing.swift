public import EventLog

extension EventStore {
  /// Undoes an append by appending more events.
  ///
  /// Fields show their previous values again, counters lose what was added, members return to their
  /// previous sets, created entities are deleted, and deleted entities are restored.
  ///
  /// ```swift
  /// let receipt = try await store.delete(soup)
  /// let undone = try await store.undo(receipt)
  /// if !undone.left.isEmpty { show("It was changed meanwhile.") }
  /// try await store.undo(undone.receipt)  // redo
  /// ```
  ///
  /// An undo never discards later work. It leaves a field alone if, after the append, its value
  /// changed or another device wrote it, and it doesn't delete an entity that another device wrote
  /// to after the append. To go back several steps, undo the last append first, then the one before
  /// it.
  ///
  /// If you undo the resolution of a conflict, the previous value shows again, but the conflict
  /// stays resolved.
  ///
  /// - Parameters:
  ///   - receipt: The receipt of an earlier append to this journal.
  ///   - durability: When to return.
  /// - Returns: The receipt of the events that undo the append, and the writes that it left alone.
  /// - Throws: `noEvent` if the journal no longer contains the events; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  /// - Complexity: O(*n*), where *n* is the size of the file. The journal is read for the states
  ///   before and after the append.
  @discardableResult
  public func undo(
    _ receipt: AppendReceipt, durability: Durability = .durable
  ) async throws(EventLogError) -> (receipt: AppendReceipt, left: [UnseenWrite]) {
    guard let first = receipt.appended.first, let last = receipt.appended.last else {
      return (AppendReceipt(snapshot: snapshot), [])
    }
    let before = try await self.snapshot(at: Cut(before: first.id), includingDeleted: true)
    let after = try await self.snapshot(at: Cut(event: last.id), includingDeleted: true)
    let undone = try await append(undoing: receipt, durability) { (batch) throws(EventLogError) in
      var undo = Undo(of: receipt, before: before, after: after, in: batch)
      return (try undo.events(in: batch), undo.left)
    }
    return (undone.receipt, undone.value ?? [])
  }
}
