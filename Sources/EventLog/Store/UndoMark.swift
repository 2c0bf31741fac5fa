/// Events that follow the events of an undo, and mark them as an undo.
package struct UndoMark: Sendable {
  /// Returns the events that follow `count` events of an undo, or of the undo of that undo.
  private let drafts: @Sendable (_ count: Int, _ isReversed: Bool) -> [EventDraft]
  private var isReversed = false

  package init(_ drafts: @escaping @Sendable (_ count: Int, _ isReversed: Bool) -> [EventDraft]) {
    self.drafts = drafts
  }

  /// The mark of an undo that undoes the marked one.
  var reversed: UndoMark {
    var mark = self
    mark.isReversed.toggle()
    return mark
  }

  /// Adds the mark of an undo that the batch contains.
  ///
  /// - Throws: The errors of ``JournalBatch/add(_:hasMore:)``.
  func add(
    to batch: inout JournalBatch<StoreSink>, _ receipt: inout AppendReceipt
  ) throws(EventLogError) {
    for draft in drafts(receipt.appended.count, isReversed) { _ = try batch.add(draft) }
    receipt.mark = self
  }
}

extension EventStore {
  /// Appends the events of an undo, which are found in the state at the time of the append, and
  /// their mark.
  ///
  /// - Parameters:
  ///   - isNeeded: Whether to append the mark even if there are no events.
  ///   - find: Returns the events and a result, or nil to append nothing.
  /// - Returns: The receipt and the result, or nil if `find` returned nil.
  package func append<Value: Sendable>(
    markedBy mark: UndoMark, evenWithoutEvents isNeeded: Bool,
    _ find: @escaping @Sendable (Fold, Ledger) -> (events: [EventDraft], value: Value)?
  ) async throws(EventLogError) -> (receipt: AppendReceipt, value: Value)? {
    let found = RequestResult<Value>()
    let random = options.random
    let receipt = try await submit(
      StoreRequest { (batch, receipt) throws(EventLogError) in
        guard let (events, value) = find(batch.pass.sink.fold, batch.pass.ledger) else { return }
        found.value = value
        try Append(events, fillsFrom: false, random: random).run(&batch, &receipt)
        if receipt.appended.isEmpty, !isNeeded { return }
        try mark.add(to: &batch, &receipt)
      })
    return found.value.map { (receipt, $0) }
  }

  /// Appends the events that undo an append, which are found in the state at that time.
  ///
  /// - Parameter find: Returns the events and a result.
  package func append<Value: Sendable>(
    undoing receipt: AppendReceipt, _ durability: Durability,
    _ find:
      @escaping @Sendable (
        JournalBatch<StoreSink>
      ) throws(EventLogError) -> (events: [EventDraft], value: Value)
  ) async throws(EventLogError) -> (receipt: AppendReceipt, value: Value?) {
    let found = RequestResult<Value>()
    let random = options.random
    let undone = try await submit(
      StoreRequest(durability: durability) { (batch, answer) throws(EventLogError) in
        let (drafts, value) = try find(batch)
        found.value = value
        try Append(drafts, fillsFrom: false, random: random).run(&batch, &answer)
        if !answer.appended.isEmpty { try receipt.mark?.reversed.add(to: &batch, &answer) }
      })
    return (undone, found.value)
  }
}
