extension EventStore {
  /// Settles a conflict by one of its candidates.
  ///
  /// The value is written once more, as an event that has seen all candidates: so the choice
  /// replicates, and can itself be undone by a later one. A counter is set to the candidate's total
  /// at that moment. For a conflict of presence, taking a deletion deletes, and taking any other
  /// event restores.
  ///
  /// - Parameter conflict: as a snapshot showed it. A candidate that is not among its candidates is
  ///   never settled away: the call is refused with it.
  /// - Throws: `noConflict` where it is settled already, or `event` is no candidate of it;
  ///   `changedMeanwhile`; else as ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, taking event: EventID, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await settle([ConflictSettlement(shown: conflict, choice: .candidate(event))], durability)
  }

  /// Settles conflicts, each by one of its candidates, in one append: all or none.
  ///
  /// Settle presence before values: what is deleted has no open conflict any more.
  ///
  /// - Throws: as ``resolve(_:taking:durability:)``, for the first that cannot be settled.
  /// - Complexity: O(open conflicts, and their candidates).
  package func resolve(
    _ choices: [(conflict: Conflict, event: EventID)], durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await settle(
      choices.map { ConflictSettlement(shown: $0.conflict, choice: .candidate($0.event)) },
      durability)
  }

  /// Settles a conflict of values by another value.
  ///
  /// - Throws: as ``resolve(_:taking:durability:)``; `invalidEvent` for a conflict of presence, or
  ///   where the value breaks the field's rule. For a counter also `changedMeanwhile` if a total
  ///   has changed since.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, with value: JSONValue, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await settle([ConflictSettlement(shown: conflict, choice: .value(value))], durability)
  }

  private func settle(
    _ settlements: [ConflictSettlement], _ durability: Durability
  ) async throws(EventLogError) -> AppendReceipt {
    let random = options.random
    return try await submit(
      StoreRequest(durability: durability) { (batch, receipt) throws(EventLogError) in
        let pass = batch.pass
        let drafts = try ConflictSettlement.events(settlements, pass.sink.fold, pass.ledger)
        try Append(
          items: drafts.map { Append.Item(draft: $0, entity: $0.entity.map { .exact($0) }) },
          random: random
        ).run(&batch, &receipt)
      })
  }
}

/// How a person settles a conflict that was shown.
struct ConflictSettlement: Sendable {
  enum Choice: Sendable {
    case candidate(EventID)
    case value(JSONValue)
  }

  let shown: Conflict
  let choice: Choice

  /// The events that settle conflicts in the state as it is now.
  static func events(
    _ settlements: [ConflictSettlement], _ fold: Fold, _ ledger: Ledger
  ) throws(EventLogError) -> [EventDraft] {
    // By bytes: to `==`, some different names are one.
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
        .noConflict, "There is no conflict \"\(shown.id)\"; it may be settled. Nothing was written."
      )
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
    return try fold.catalog.events(for: [change], kind: kind, entity: entity, day: day)
  }

  /// A candidate that the person was not shown must not be settled away.
  private func checkUnseen(_ current: Conflict) throws(EventLogError) {
    let known = Dictionary(
      shown.candidates.map { ($0.fullID, $0.value) }, uniquingKeysWith: { first, _ in first })
    let unseen = current.candidates.filter { candidate in
      guard let value = known[candidate.fullID] else { return true }
      // A candidate's own value stays; only a counter's total changes, with new increments.
      if case .value = choice { return value != candidate.value }
      return false
    }
    guard let first = unseen.first else { return }
    throw EventLogError(
      .changedMeanwhile,
      "\"\(shown.id)\" has a candidate that was not shown, \(first.event). Nothing was written.",
      hint: "Look at the conflict again, and decide again.",
      unseen: unseen.map {
        UnseenWrite(
          entity: current.entity, field: current.field, event: $0.event, value: $0.value)
      })
  }

  private func taken(
    _ event: EventID, _ current: Conflict
  ) throws(EventLogError) -> JSONValue {
    let meant = current.candidates.filter { $0.isMeant(by: event) }
    if meant.count > 1 {
      let names = meant.map(\.fullID.description).joined(separator: ", ")
      throw EventLogError(
        .noConflict,
        "\(event) names \(meant.count) candidates of \"\(shown.id)\". Nothing was written.",
        hint: "Give one of \(names).")
    }
    guard let candidate = meant.first else {
      throw EventLogError(
        .noConflict, "\(event) is no candidate of \"\(shown.id)\". Nothing was written.",
        hint: "Its candidates are "
          + current.candidates.map(\.event.description).joined(separator: ", ") + ".")
    }
    return candidate.value
  }

  private func value(_ current: Conflict) throws(EventLogError) -> JSONValue {
    switch choice {
    case .value(let value): return value
    case .candidate(let event): return try taken(event, current)
    }
  }

  private func presence(
    _ current: Conflict
  ) throws(EventLogError) -> EventSchema.Lifecycle {
    guard case .candidate(let event) = choice else {
      throw EventLogError(
        .invalidEvent,
        "\"\(shown.id)\" is about presence and takes no value. Nothing was written.",
        hint: "Take one of its candidates: a deletion deletes, anything else keeps.")
    }
    return try taken(event, current) == "deleted" ? .deletes : .restores
  }
}
