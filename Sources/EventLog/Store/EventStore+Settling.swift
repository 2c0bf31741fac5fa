extension EventStore {
  /// Resolves a conflict by choosing one of its candidates.
  ///
  /// The chosen value is written again, by an event that supersedes all candidates. The choice
  /// replicates like any other change, and a later write can replace it. For a counter, the store
  /// writes the candidate's current total. For a presence conflict, choosing a deletion deletes the
  /// entity, and choosing any other event restores it.
  ///
  /// The call is refused if the conflict has a candidate that `conflict` doesn't contain, so that
  /// no unseen value is discarded.
  ///
  /// - Parameters:
  ///   - conflict: The conflict, as a snapshot showed it.
  ///   - event: The event of the chosen candidate.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: `noConflict` if the conflict is already resolved or `event` is not one of its
  ///   candidates; `changedMeanwhile` if there is a new candidate; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, taking event: EventID, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await settle([ConflictSettlement(shown: conflict, choice: .candidate(event))], durability)
  }

  /// Resolves conflicts by choosing one candidate for each, in one append: all or none.
  ///
  /// Resolve presence conflicts before value conflicts: a deleted entity has no open conflicts.
  ///
  /// - Throws: The errors of ``resolve(_:taking:durability:)``, for the first conflict that can't
  ///   be resolved.
  /// - Complexity: O(open conflicts, and their candidates).
  package func resolve(
    _ choices: [(conflict: Conflict, event: EventID)], durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await settle(
      choices.map { ConflictSettlement(shown: $0.conflict, choice: .candidate($0.event)) },
      durability)
  }

  /// Resolves a value conflict with a new value.
  ///
  /// - Parameters:
  ///   - conflict: The conflict, as a snapshot showed it.
  ///   - value: The value to write.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: `invalidEvent` for a presence conflict, or if the value breaks the field's rule;
  ///   `changedMeanwhile` if there is a new candidate, or for a counter if a candidate's total has
  ///   changed; and the errors of ``resolve(_:taking:durability:)``.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, with value: JSONValue, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await settle(
      [ConflictSettlement(shown: conflict, choice: .value(value))], fillsFrom: true, durability)
  }

  private func settle(
    _ settlements: [ConflictSettlement], fillsFrom: Bool = false, _ durability: Durability
  ) async throws(EventLogError) -> AppendReceipt {
    let random = options.random
    return try await submit(
      StoreRequest(durability: durability) { (batch, receipt) throws(EventLogError) in
        let pass = batch.pass
        let drafts = try ConflictSettlement.events(settlements, pass.sink.fold, pass.ledger)
        try Append(drafts, fillsFrom: fillsFrom, random: random).run(&batch, &receipt)
      })
  }
}

extension Snapshot {
  /// Checks whether a value would resolve a conflict of this state.
  ///
  /// - Throws: The errors of ``EventStore/resolve(_:with:durability:)``, except those that only
  ///   writing detects, such as a value that is too large.
  package func checkResolving(
    _ conflict: Conflict, with value: JSONValue
  ) throws(EventLogError) {
    let settlement = ConflictSettlement(shown: conflict, choice: .value(value))
    for event in try ConflictSettlement.events([settlement], fold, ledger) {
      try fold.check(event, catalog.rules(of: event.type), ledger)
    }
  }
}

/// A choice that resolves a conflict, as a snapshot showed it.
struct ConflictSettlement: Sendable {
  enum Choice: Sendable {
    case candidate(EventID)
    case value(JSONValue)
  }

  let shown: Conflict
  let choice: Choice

  /// The events that resolve conflicts in the current state.
  static func events(
    _ settlements: [ConflictSettlement], _ fold: Fold, _ ledger: Ledger
  ) throws(EventLogError) -> [EventDraft] {
    // By bytes, because `==` considers some different names equal.
    let fields = Set(settlements.map { Array($0.shown.field.utf8) })
    var open: [[UInt8]: OpenConflict] = [:]
    for conflict in fold.openConflicts(ledger) where fields.contains(Array(conflict.field.utf8)) {
      open[Array(fold.id(of: conflict).utf8)] = conflict
    }
    var events: [EventDraft] = []
    for settlement in settlements {
      events += try settlement.events(open[Array(settlement.shown.id.utf8)], fold, ledger)
    }
    return events
  }

  private func events(
    _ open: OpenConflict?, _ fold: Fold, _ ledger: Ledger
  ) throws(EventLogError) -> [EventDraft] {
    guard let open else {
      throw EventLogError(
        .noConflict,
        "There is no conflict \"\(shown.id)\"; it may be resolved already. Nothing was written.",
        hint: EventLogError.AppHint.noConflict)
    }
    let current = fold.complete(open, base: nil, ledger)
    try checkUnseen(current)
    let kind = fold.catalog.collections[open.collection].kind
    let entity = open.entity < 0 ? nil : EntityID(fold.entityNames.text(Int(open.entity)))
    if current.kind == .presence {
      return try fold.catalog.events(
        for: [], kind: kind, entity: entity, lifecycle: try presence(current))
    }
    let day = open.day == Fold.Row.noDay ? nil : Day(number: open.day)
    let change = try fold.catalog.collections[open.collection]
      .change(of: current.field, ofDay: day != nil, to: try value(current))
    return try fold.catalog.events(
      for: [change], kind: kind, entity: entity, day: day,
      from: try from(current, open, fold, ledger))
  }

  /// The day from which the taken value of a dated field applies, or nil for the beginning.
  private func from(
    _ current: Conflict, _ open: OpenConflict, _ fold: Fold, _ ledger: Ledger
  ) throws(EventLogError) -> Day? {
    guard case .candidate(let event) = choice, case .register(let register) = open.subject else {
      return nil
    }
    let taken = try taken(event, current).fullID
    return open.candidates.first { ledger.fullID($0.point) == taken }
      .flatMap { fold.from(of: $0, register: register) }
  }

  /// Refuses to discard a candidate that wasn't shown.
  private func checkUnseen(_ current: Conflict) throws(EventLogError) {
    let known = Dictionary(
      shown.candidates.map { ($0.fullID, $0.value) }, uniquingKeysWith: { first, _ in first })
    let unseen = current.candidates.filter { candidate in
      guard let value = known[candidate.fullID] else { return true }
      // A candidate's value never changes, except a counter's total, with new increments.
      if case .value = choice { return value != candidate.value }
      return false
    }
    guard let first = unseen.first else { return }
    throw EventLogError(
      .changedMeanwhile,
      "\"\(shown.id)\" has a candidate that you have not seen, \(first.event). Nothing was"
        + " written.",
      hint: "Look at the conflict again before you choose.",
      unseen: unseen.map {
        UnseenWrite(
          entity: current.entity, field: current.field, event: $0.event, value: $0.value)
      })
  }

  private func taken(
    _ event: EventID, _ current: Conflict
  ) throws(EventLogError) -> Conflict.Candidate {
    let meant = current.candidates.filter { $0.isMeant(by: event) }
    if meant.count > 1 {
      let names = meant.map(\.fullID.description).joined(separator: ", ")
      throw EventLogError(
        .noConflict,
        "\(event) refers to \(meant.count) candidates of \"\(shown.id)\". Nothing was written.",
        hint: "Use one of \(names).")
    }
    guard let candidate = meant.first else {
      throw EventLogError(
        .noConflict, "\(event) is not a candidate of \"\(shown.id)\". Nothing was written.",
        hint: "Its candidates are "
          + current.candidates.map(\.event.description).joined(separator: ", ") + ".")
    }
    return candidate
  }

  private func value(_ current: Conflict) throws(EventLogError) -> JSONValue {
    switch choice {
    case .value(let value): return value
    case .candidate(let event): return try taken(event, current).value
    }
  }

  private func presence(
    _ current: Conflict
  ) throws(EventLogError) -> EventSchema.Lifecycle {
    guard case .candidate(let event) = choice else {
      throw EventLogError(
        .invalidEvent,
        "\"\(shown.id)\" is about presence, so it takes no value. Nothing was written.",
        hint: "Take one of its candidates: a deletion deletes the entity, any other keeps it.")
    }
    return try taken(event, current).isDeletion ? .deletes : .restores
  }
}
