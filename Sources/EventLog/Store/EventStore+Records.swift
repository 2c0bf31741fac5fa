/// The result of creating an entity.
public struct CreationReceipt<R: Record>: Sendable {
  /// The ID of the new entity.
  public let id: ID<R>
  /// The receipt of the events that created it.
  public let receipt: AppendReceipt
}

extension EventStore {
  /// How often an edit is retried after others have written the same fields.
  private static let attemptsMax = 16

  // MARK: - Creating

  /// Creates an entity.
  ///
  /// Only the properties that differ from `R()` are written.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - key: The key of the new entity, or `nil` to generate a random one.
  ///   - durability: When to return.
  ///   - body: A closure that sets the properties of the new record.
  /// - Returns: The ID of the new entity, and the receipt of the append.
  /// - Throws: `entityExists` if the key is taken; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func create<R: Record>(
    _ type: R.Type, key: String? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void = { _ in }
  ) async throws(EventLogError) -> CreationReceipt<R> {
    try catalog.check(type)
    var record = R()
    body(&record)
    let changes = try R.schema.changes(creating: record)
    while true {
      let text = key ?? options.random.next(8)
      guard let id = ID<R>(text) else { throw .invalidKey(text) }
      do throws(EventLogError) {
        let drafts = try catalog.events(
          for: changes, kind: R.schema.kind, entity: id.entity, lifecycle: .begins)
        return CreationReceipt(
          id: id,
          receipt: try await submit(
            Append(ofRecords: drafts, random: options.random), durability))
      } catch {
        // If a generated key is taken, try another one.
        if error.code != .entityExists || key != nil { throw error }
      }
    }
  }

  // MARK: - Editing

  /// Edits an entity.
  ///
  /// Only the properties that `body` changes are written; if it changes none, nothing is appended.
  /// A counter is incremented by the difference, and members are added to and removed from sets one
  /// by one. Concurrent increments and additions by other devices are therefore kept.
  ///
  /// Without `snapshot`, `body` receives the current value. If others write the same fields before
  /// the edit is appended, `body` is called again with the new value, up to 16 times, so that the
  /// edit never replaces a value that `body` hasn't seen. With `snapshot`, `body` receives the
  /// value in that state, and the edit is refused if it would replace a later value.
  ///
  /// - Parameters:
  ///   - id: The entity to edit.
  ///   - from: The first day to which changed dated fields apply, or `nil` for today. Other fields
  ///     have no such day.
  ///   - snapshot: The state on which the edit is based, such as the one a form displays; or `nil`
  ///     for the current state.
  ///   - over: The writes that the edit may replace although `snapshot` doesn't contain them, or
  ///     this version can't read them: those of an earlier ``EventLogError/unseen``.
  ///   - durability: When to return.
  ///   - body: A closure that changes the record.
  /// - Returns: The receipt of the append.
  /// - Throws: `noEntity` if the entity doesn't exist; `deletedEntity` if it is deleted;
  ///   `changedMeanwhile` with the values that would have been replaced; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, from: Day? = nil, asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [],
    durability: Durability = .durable, _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await write(R.self, id.entity, from: from, asOf: snapshot, over: over, durability) {
      (state) throws(EventLogError) in
      guard let old = state[id] else { throw .missing(id, in: state) }
      var new = old
      body(&new)
      return try R.schema.changes(
        from: old, to: new, state.rewritable(R.self, id.entity, from: from ?? today, over: over))
    }
  }

  /// Edits one day of an entity.
  ///
  /// This works like editing the entity itself. A day without any writes begins with the values of
  /// `R.Daily()`.
  ///
  /// - Parameters:
  ///   - id: The entity.
  ///   - day: The day to edit.
  ///   - snapshot: The state on which the edit is based, or `nil` for the current state.
  ///   - over: The writes that the edit may replace although they were not seen.
  ///   - durability: When to return.
  ///   - body: A closure that changes the day's record.
  /// - Returns: The receipt of the append.
  /// - Throws: `changedMeanwhile` with the values that would have been replaced; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, on day: Day, asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [],
    durability: Durability = .durable, _ body: (inout R.Daily) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await write(R.self, id.entity, on: day, asOf: snapshot, over: over, durability) {
      (state) throws(EventLogError) in
      let old = state[id, day]
      var new = old
      body(&new)
      return try R.schema.changes(
        from: old, to: new, state.rewritable(R.self, id.entity, on: day, from: day, over: over))
    }
  }

  /// Edits a singleton.
  ///
  /// This works like editing an entity.
  ///
  /// - Parameters:
  ///   - type: The singleton's record type.
  ///   - from: The first day to which changed dated fields apply, or `nil` for today. Other fields
  ///     have no such day.
  ///   - snapshot: The state on which the edit is based, or `nil` for the current state.
  ///   - over: The writes that the edit may replace although `snapshot` doesn't contain them, or
  ///     this version can't read them: those of an earlier ``EventLogError/unseen``.
  ///   - durability: When to return.
  ///   - body: A closure that changes the record.
  /// - Returns: The receipt of the append.
  /// - Throws: `changedMeanwhile` with the values that would have been replaced; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func edit<R: Record>(
    _ type: R.Type, from: Day? = nil, asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [],
    durability: Durability = .durable, _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await write(R.self, nil, from: from, asOf: snapshot, over: over, durability) {
      (state) throws(EventLogError) in
      let old = state[type]
      var new = old
      body(&new)
      return try R.schema.changes(
        from: old, to: new, state.rewritable(type, nil, from: from ?? today, over: over))
    }
  }

  /// The first day to which an edit applies that states none.
  var today: Day { Day(options.now) }

  private func write<R: Record>(
    _ type: R.Type, _ entity: EntityID?, on day: Day? = nil, from: Day? = nil,
    asOf shown: Snapshot?, over: [UnseenWrite], _ durability: Durability,
    _ decide: (Snapshot) throws(EventLogError) -> [FieldChange]
  ) async throws(EventLogError) -> AppendReceipt {
    try catalog.check(type)
    var attempt = 1
    while true {
      let state = shown ?? snapshot
      let changes = try decide(state)
      if changes.isEmpty { return AppendReceipt(snapshot: state) }
      do throws(EventLogError) {
        let drafts = try catalog.events(
          for: changes, kind: R.schema.kind, entity: entity, day: day, from: from)
        return try await submit(
          Append(
            ofRecords: drafts,
            seen: .init(
              state: state, countsEqual: shown == nil, canRead: { R.canRead($0, ofDay: $1, $2) },
              mayReplace: { over.contains(write: $0) }),
            random: options.random), durability)
      } catch {
        // A value that can't be read stays so.
        guard error.code == .changedMeanwhile, error.hint != EventLogError.AppHint.unreadable,
          shown == nil,
          attempt < Self.attemptsMax
        else { throw error }
        attempt += 1
      }
    }
  }

  // MARK: - Counters and sets

  /// Sets the total of an entity's counter.
  ///
  /// Concurrent increments by other devices are added to the new total. If devices concurrently set
  /// different totals, the result is a conflict. To add to a counter, use
  /// ``add(_:to:of:durability:)`` or an edit instead.
  ///
  /// - Parameters:
  ///   - path: The property that shows the counter.
  ///   - id: The entity.
  ///   - total: The new total, from 0 to 1,000,000,000, or `nil` for no value.
  ///   - snapshot: The state on which the total is based. The call is refused if the counter was
  ///     set or incremented after it. Pass `nil` to base it on the current state.
  ///   - over: The writes that the total may replace although they were not seen.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: `changedMeanwhile`; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func set<R: Record, Number>(
    _ path: KeyPath<R, Counter<Number>>, of id: ID<R>, to total: Number?,
    asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [],
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await write(R.self, id.entity, asOf: snapshot, over: over, durability) {
      (_) throws(EventLogError) in
      [.set(field: field, try total?.amount(of: field))]
    }
  }

  /// Sets the total of a counter of one day.
  ///
  /// This works like setting an entity's counter.
  ///
  /// - Parameters:
  ///   - path: The property that shows the counter.
  ///   - id: The entity.
  ///   - day: The day.
  ///   - total: The new total, from 0 to 1,000,000,000, or `nil` for no value.
  ///   - snapshot: The state on which the total is based, or `nil` for the current state.
  ///   - over: The writes that the total may replace although they were not seen.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: `changedMeanwhile`; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func set<R: Record, Number>(
    _ path: KeyPath<R.Daily, Counter<Number>>, of id: ID<R>, on day: Day, to total: Number?,
    asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [], durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.dayField(path)
    return try await write(R.self, id.entity, on: day, asOf: snapshot, over: over, durability) {
      (_) throws(EventLogError) in
      [.set(field: field, try total?.amount(of: field))]
    }
  }

  /// Sets the total of a singleton's counter.
  ///
  /// This works like setting an entity's counter.
  ///
  /// - Parameters:
  ///   - path: The property that shows the counter.
  ///   - type: The singleton's record type.
  ///   - total: The new total, from 0 to 1,000,000,000, or `nil` for no value.
  ///   - snapshot: The state on which the total is based, or `nil` for the current state.
  ///   - over: The writes that the total may replace although they were not seen.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: `changedMeanwhile`; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func set<R: Record, Number>(
    _ path: KeyPath<R, Counter<Number>>, of type: R.Type, to total: Number?,
    asOf snapshot: Snapshot? = nil, over: [UnseenWrite] = [],
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await write(type, nil, asOf: snapshot, over: over, durability) {
      (_) throws(EventLogError) in
      [.set(field: field, try total?.amount(of: field))]
    }
  }

  /// Adds to an entity's counter.
  ///
  /// Every increment by every device counts once.
  ///
  /// - Parameters:
  ///   - amount: The increment, from −1,000,000,000 to 1,000,000,000.
  ///   - path: The property that shows the counter.
  ///   - id: The entity.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: The errors of ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func add<R: Record, Number>(
    _ amount: Number, to path: KeyPath<R, Counter<Number>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await change(
      R.self, .advance(field: field, try amount.amount(of: field)), id.entity, nil, durability)
  }

  /// Adds to a counter of one day.
  ///
  /// Every increment by every device counts once.
  ///
  /// - Parameters:
  ///   - amount: The increment, from −1,000,000,000 to 1,000,000,000.
  ///   - path: The property that shows the counter.
  ///   - id: The entity.
  ///   - day: The day.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: The errors of ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func add<R: Record, Number>(
    _ amount: Number, to path: KeyPath<R.Daily, Counter<Number>>, of id: ID<R>, on day: Day,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.dayField(path)
    return try await change(
      R.self, .advance(field: field, try amount.amount(of: field)), id.entity, day, durability)
  }

  /// Adds a member to an entity's set.
  ///
  /// The member stays in the set if another device concurrently removes it.
  ///
  /// - Parameters:
  ///   - member: The member to add. It must be represented as a string in JSON.
  ///   - path: The property that shows the set.
  ///   - id: The entity.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: The errors of ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func include<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, in path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await change(
      R.self, .include(field: field, [try member.memberText()]), id.entity, nil, durability)
  }

  /// Removes a member from an entity's set.
  ///
  /// The member stays in the set if another device concurrently adds it.
  ///
  /// - Parameters:
  ///   - member: The member to remove. It must be represented as a string in JSON.
  ///   - path: The property that shows the set.
  ///   - id: The entity.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: The errors of ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func exclude<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, from path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await change(
      R.self, .exclude(field: field, [try member.memberText()]), id.entity, nil, durability)
  }

  private func change<R: Record>(
    _ type: R.Type, _ change: FieldChange, _ entity: EntityID?, _ day: Day?,
    _ durability: Durability
  ) async throws(EventLogError) -> AppendReceipt {
    try catalog.check(type)
    let drafts = try catalog.events(
      for: [change], kind: R.schema.kind, entity: entity, day: day)
    return try await submit(Append(ofRecords: drafts, random: options.random), durability)
  }

  // MARK: - Deleting

  /// Deletes an entity.
  ///
  /// Deleting hides the entity. Its data stays in the journal, and ``restore(_:durability:)`` shows
  /// it again. If the entity is already deleted, nothing is written.
  ///
  /// - Parameters:
  ///   - id: The entity to delete.
  ///   - snapshot: The state on which the deletion is based. The call is refused if it would hide
  ///     something that was written after it. Pass `nil` to skip this check.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: `changedMeanwhile`; and the errors of
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func delete<R: Record>(
    _ id: ID<R>, asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await change(id, .deletes, asOf: snapshot, durability)
  }

  /// Restores a deleted entity with all its data.
  ///
  /// This also resolves a conflict between a deletion and a concurrent edit. If the entity isn't
  /// deleted, nothing is written.
  ///
  /// - Parameters:
  ///   - id: The entity to restore.
  ///   - durability: When to return.
  /// - Returns: The receipt of the append.
  /// - Throws: The errors of ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func restore<R: Record>(
    _ id: ID<R>, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await change(id, .restores, asOf: nil, durability)
  }

  private func change<R: Record>(
    _ id: ID<R>, _ lifecycle: EventSchema.Lifecycle, asOf snapshot: Snapshot?,
    _ durability: Durability
  ) async throws(EventLogError) -> AppendReceipt {
    try catalog.check(R.self)
    let entity = id.entity
    let drafts = try catalog.events(
      for: [], kind: R.schema.kind, entity: entity, lifecycle: lifecycle)
    let append = Append(
      ofRecords: drafts, seen: snapshot.map { ReadVersion.Clock(state: $0) },
      random: options.random)
    return try await submit(
      StoreRequest(durability: durability) { (batch, receipt) throws(EventLogError) in
        if batch.pass.sink.fold.has(entity, after: lifecycle) { return }
        try append.run(&batch, &receipt)
      })
  }
}

extension Fold {
  /// Whether a deletion or a restoration of an entity would change nothing.
  ///
  /// An entity that is visible although a deletion is live is a conflict, which both resolve.
  func has(_ entity: EntityID, after lifecycle: EventSchema.Lifecycle) -> Bool {
    guard let index = entityNames.find(entity.description), entities[index].row >= 0 else {
      return false
    }
    switch lifecycle {
    case .deletes: return presences.isHidden(Int32(index))
    case .restores: return presences.liveDeletions(Int32(index)).isEmpty
    case .begins, .none: return false
    }
  }
}
