import Synchronization

extension EventStore {
  /// Adopts the user of another journal, and fetches that user's events; the other journal is only
  /// read.
  ///
  /// - Parameters:
  ///   - journal: The other user's journal.
  ///   - isDryRun: Whether to leave this journal unchanged, too.
  /// - Throws: `invalidInput` where both journals have one user; `damaged` where the other one is
  ///   damaged; `otherUser` where its user has adopted this one's; the errors of ``sync(with:_:)``.
  package func adoption(
    of journal: JournalRemote, dryRun isDryRun: Bool = false
  ) -> Replication {
    Replication(
      local: Replica(worker), remote: AdoptedJournal(journal: journal), .pull,
      dryRun: isDryRun, isAdoption: true)
  }

  /// Brings the state to what it is without the devices of a user who was adopted, by appending
  /// events.
  ///
  /// - Returns: what changed; which entities of that user stay, because others have written to
  ///   them; and the receipt, or nil of a dry run.
  /// - Throws: `invalidInput` where nobody of that name was adopted; `changedMeanwhile` where other
  ///   processes appended each time that the state was looked at; the errors of an append.
  package func undoAdoption(
    of user: String, dryRun isDryRun: Bool = false
  ) async throws(EventLogError) -> AdoptionUndoResult {
    // It finds somebody, or throws.
    try await turn(dryRun: isDryRun) { (journal) throws(EventLogError) in
      try journal.remainder(hiding: user)
    }!
  }

  /// Brings back what undone adoptions of a user have hidden, by appending events: as far as nobody
  /// else has written it since.
  ///
  /// - Returns: what changed; nil where nothing of the user is hidden.
  /// - Throws: `changedMeanwhile`, and the errors of an append.
  package func showAgain(
    _ user: String, dryRun isDryRun: Bool = false
  ) async throws(EventLogError) -> AdoptionUndoResult? {
    try await turn(dryRun: isDryRun) { (journal) throws(EventLogError) in
      try journal.remainder(showing: user)
    }
  }

  private func turn(
    dryRun isDryRun: Bool,
    _ read: @escaping @Sendable (Journal) throws(EventLogError) -> AdoptionRemainder?
  ) async throws(EventLogError) -> AdoptionUndoResult? {
    for _ in 0..<Self.undoAttempts {
      guard let rest = try await reading(read) else { return nil }
      if isDryRun {
        try await refresh()
        let snapshot = snapshot
        guard rest.isOf(snapshot.ledger) else { continue }
        var undo = AdoptionUndo(in: snapshot.fold, snapshot.ledger, leaving: rest)
        _ = undo.events()
        return AdoptionUndoResult(undo)
      }
      if let result = try await turn(leaving: rest) { return result }
    }
    throw EventLogError(
      .changedMeanwhile,
      "Other processes appended to \"\(path)\" each time its state was compared. Nothing was"
        + " written.", hint: "Run it again when they are idle.")
  }

  /// How often the journal is read anew where somebody has appended meanwhile.
  private static var undoAttempts: Int { 10 }

  /// Nil where somebody has appended since the journal was read.
  private func turn(
    leaving rest: AdoptionRemainder
  ) async throws(EventLogError) -> AdoptionUndoResult? {
    let found = FoundUndo()
    let random = options.random
    let receipt = try await submit(
      StoreRequest { (batch, receipt) throws(EventLogError) in
        let pass = batch.pass
        guard rest.isOf(pass.ledger) else { return }
        var undo = AdoptionUndo(in: pass.sink.fold, pass.ledger, leaving: rest)
        let drafts = undo.events()
        found.result = AdoptionUndoResult(undo)
        try Append(
          items: drafts.map { Append.Item(draft: $0, entity: $0.entity.map { .exact($0) }) },
          random: random
        ).run(&batch, &receipt)
        // Who is hidden or shown again is so from now on, though nothing had to be changed for it.
        if receipt.appended.isEmpty, rest.wasHidden { return }
        try batch.mark(rest.turn, receipt.appended.count)
        receipt.turn = rest.turn
      })
    guard var result = found.result else { return nil }
    result.receipt = receipt
    return result
  }
}

/// What undoing an adoption comes to.
package struct AdoptionUndoResult: Sendable {
  /// The values that change, by place and field.
  package let changes: [(place: String, field: String, old: JSONValue, new: JSONValue)]
  /// The entities of the adopted user that stay as they are, because others wrote to them.
  package let kept: [EntityID]
  /// The fields that keep a value of the user's, because somebody else has written it since.
  package let keptFields: [String]
  /// Conflicts that end with the value that shows without the user.
  package let resolved: [String]
  /// What no event of its collection can bring back.
  package let left: [String]
  /// Whether an earlier undo had hidden the user.
  package let wasHidden: Bool
  /// The receipt of the append; nil of a dry run.
  package fileprivate(set) var receipt: AppendReceipt?

  init(_ undo: AdoptionUndo) {
    changes = undo.changes.map { ($0.place, $0.field, $0.old, $0.new) }
    (kept, resolved, left) = (undo.kept, undo.resolved, undo.left)
    wasHidden = undo.wasHidden
    keptFields = undo.keptFields
  }
}

/// What a request on the store's thread has found.
private final class FoundUndo: Sendable {
  private let found = Mutex<AdoptionUndoResult?>(nil)

  var result: AdoptionUndoResult? {
    get { found.withLock { $0 } }
    set { found.withLock { $0 = newValue } }
  }
}

extension AdoptionRemainder {
  /// Whether a state is of the events that the journal held when this was read.
  fileprivate func isOf(_ other: Ledger) -> Bool { ledger.frontier == other.frontier }
}
