import Synchronization

extension EventStore {
  /// Undoes what an append did, by further events: fields show again what they showed before,
  /// counters lose what was added, members go back, what was created is deleted, and what was
  /// deleted is restored.
  ///
  /// ```swift
  /// let receipt = try await store.delete(soup)
  /// let undone = try await store.undo(receipt)
  /// if !undone.left.isEmpty { show("Somebody has changed it meanwhile.") }
  /// try await store.undo(undone.receipt)  // redo
  /// ```
  ///
  /// What shows otherwise by now was written since, and stays; so does what another device has
  /// written since, and an entity to which it has written: nobody's work is lost by an undo. Undo
  /// the last append first, then the one before it, to go back step by step.
  ///
  /// A settlement that is undone shows again what showed before it; the conflict stays settled.
  ///
  /// - Parameter receipt: of an append to this journal, since the process began.
  /// - Returns: the events that undo it, and the writes that stay, each in the way of something.
  /// - Throws: `noEvent` where the journal does not hold the events any more; else as
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  /// - Complexity: O(file size): the journal is read for what showed before and after.
  @discardableResult
  public func undo(
    _ receipt: AppendReceipt, durability: Durability = .durable
  ) async throws(EventLogError) -> (receipt: AppendReceipt, left: [UnseenWrite]) {
    guard let first = receipt.appended.first, let last = receipt.appended.last else {
      return (AppendReceipt(snapshot: snapshot), [])
    }
    let before = try await self.snapshot(at: Cut(before: first.id), includingDeleted: true)
    let after = try await self.snapshot(at: Cut(event: last.id), includingDeleted: true)
    let left = UndoRemainder()
    let random = options.random
    let undone = try await submit(
      StoreRequest(durability: durability) { (batch, answer) throws(EventLogError) in
        var undo = Undo(of: receipt, before: before, after: after, in: batch)
        let drafts = try undo.events(in: batch)
        left.writes = undo.left
        try Append(
          items: drafts.map { Append.Item(draft: $0, entity: $0.entity.map { .exact($0) }) },
          random: random
        ).run(&batch, &answer)
      })
    return (undone, left.writes)
  }
}

/// What an undo leaves, as its request tells it.
private final class UndoRemainder: Sendable {
  private let kept = Mutex<[UnseenWrite]>([])

  var writes: [UnseenWrite] {
    get { kept.withLock { $0 } }
    set { kept.withLock { $0 = newValue } }
  }
}
