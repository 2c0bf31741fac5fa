/// What creating an entity did.
public struct CreationReceipt<R: Record>: Sendable {
  /// The new entity.
  public let id: ID<R>
  /// The events that created it.
  public let receipt: AppendReceipt
}

extension EventStore {
  /// How often an edit is decided anew because of what others have written meanwhile.
  private static let attemptsMax = 16

  // MARK: - Creating

  /// Creates an entity; only what differs from `R()` enters its events.
  ///
  /// - Parameter key: nil: a fresh one is minted.
  /// - Throws: `entityExists` for a key that is taken; else as
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func create<R: Record>(
    _ type: R.Type, key: String? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void = { _ in }
  ) async throws(EventLogError) -> CreationReceipt<R> {
    try check(type)
    var record = R()
    body(&record)
    let changes = try R.schema.changes(creating: record)
    while true {
      guard let id = ID<R>(key ?? options.random.next(8)) else { throw .invalidKey }
      do throws(EventLogError) {
        let drafts = try catalog.events(
          for: changes, kind: R.schema.kind, entity: id.entity, lifecycle: .begins)
        return CreationReceipt(id: id, receipt: try await append(drafts, durability: durability))
      } catch {
        // A minted key that is taken is nobody's mistake.
        if error.code != .entityExists || key != nil { throw error }
      }
    }
  }

  // MARK: - Editing

  /// Edits an entity; only fields whose value changed enter the event, and none if none did.
  ///
  /// A counter is incremented by the difference, and members go into sets and out of them one by
  /// one: what other devices count and collect meanwhile counts too.
  ///
  /// Without `snapshot`, `body` gets the current value, and is called again if others have written
  /// the same fields before the event was: so nothing is replaced that it has not seen. With
  /// `snapshot`, it gets the value of the state that the person was shown, and such an event is
  /// refused.
  ///
  /// - Throws: `noEntity` where the entity is not there or is deleted; `changedMeanwhile` with what
  ///   would be replaced unseen; else as
  ///   ``append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await write(R.self, id.entity, asOf: snapshot, durability) {
      (state) throws(EventLogError) in
      guard let old = state[id] else { throw .missing(id, in: state) }
      var new = old
      body(&new)
      return try R.schema.changes(from: old, to: new)
    }
  }

  /// Edits one day of an entity, as ``edit(_:asOf:durability:_:)`` does the entity.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, on day: Day, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R.Daily) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await write(R.self, id.entity, on: day, asOf: snapshot, durability) {
      (state) throws(EventLogError) in
      let old = state[id, day]
      var new = old
      body(&new)
      return try R.schema.changes(from: old, to: new)
    }
  }

  /// Edits a collection of which there is only one, as ``edit(_:asOf:durability:_:)`` does an
  /// entity.
  @discardableResult
  public func edit<R: Record>(
    _ type: R.Type, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await write(R.self, nil, asOf: snapshot, durability) { (state) throws(EventLogError) in
      let old = state[type]
      var new = old
      body(&new)
      return try R.schema.changes(from: old, to: new)
    }
  }

  private func write<R: Record>(
    _ type: R.Type, _ entity: EntityID?, on day: Day? = nil, asOf shown: Snapshot?,
    _ durability: Durability,
    _ decide: (Snapshot) throws(EventLogError) -> [FieldChange]
  ) async throws(EventLogError) -> AppendReceipt {
    try check(type)
    var attempt = 1
    while true {
      let state = shown ?? snapshot
      let changes = try decide(state)
      if changes.isEmpty { return AppendReceipt(snapshot: state) }
      do throws(EventLogError) {
        let drafts = try catalog.events(
          for: changes, kind: R.schema.kind, entity: entity, day: day)
        return try await submit(
          Append(
            items: drafts.map { Append.Item(draft: $0, entity: entity.map { .exact($0) }) },
            seen: .init(state: state, countsEqual: shown == nil),
            random: options.random), durability)
      } catch {
        guard error.code == .changedMeanwhile, shown == nil, attempt < Self.attemptsMax else {
          throw error
        }
        attempt += 1
      }
    }
  }

  // MARK: - Counters and sets

  /// Sets a counter's total; increments of other devices that are not known here count on top.
  ///
  /// To add, use ``add(_:to:of:durability:)``, or an edit. Devices that set different totals and do
  /// not know of each other are in conflict.
  ///
  /// - Parameter snapshot: the state that the person was shown; the total is refused if something
  ///   was set or added since.
  @discardableResult
  public func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R, Count>, of id: ID<R>, to total: Count, asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await write(R.self, id.entity, asOf: snapshot, durability) { _ in
      [.set(field: field, Int64(clamping: total))]
    }
  }

  /// Sets a counter of one day, as ``set(_:of:to:asOf:durability:)`` does an entity's.
  @discardableResult
  public func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R.Daily, Count>, of id: ID<R>, on day: Day, to total: Count,
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.dayField(path)
    return try await write(R.self, id.entity, on: day, asOf: snapshot, durability) { _ in
      [.set(field: field, Int64(clamping: total))]
    }
  }

  /// Sets a counter of a collection of which there is only one, as
  /// ``set(_:of:to:asOf:durability:)`` does an entity's.
  @discardableResult
  public func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R, Count>, of type: R.Type, to total: Count, asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await write(type, nil, asOf: snapshot, durability) { _ in
      [.set(field: field, Int64(clamping: total))]
    }
  }

  /// Adds to a counter: every increment of every device counts once.
  @discardableResult
  public func add<R: Record, Count: FixedWidthInteger>(
    _ amount: Count, to path: KeyPath<R, Count>, of id: ID<R>, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await change(
      R.self, .advance(field: field, Int64(clamping: amount)), id.entity, nil, durability)
  }

  /// Adds to a counter of one day.
  @discardableResult
  public func add<R: Record, Count: FixedWidthInteger>(
    _ amount: Count, to path: KeyPath<R.Daily, Count>, of id: ID<R>, on day: Day,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.dayField(path)
    return try await change(
      R.self, .advance(field: field, Int64(clamping: amount)), id.entity, day, durability)
  }

  /// Takes a member into a set; it stays in if another device takes it out without knowing.
  @discardableResult
  public func include<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, in path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    let field = try R.field(path)
    return try await change(
      R.self, .include(field: field, [try member.memberText()]), id.entity, nil, durability)
  }

  /// Takes a member out of a set, as far as its inclusions are known here.
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
    try check(type)
    return try await append(
      try catalog.events(for: [change], kind: R.schema.kind, entity: entity, day: day),
      durability: durability)
  }

  // MARK: - Deleting

  /// Hides an entity; what was recorded stays, and ``restore(_:durability:)`` brings it back.
  ///
  /// - Parameter snapshot: the state that the person was shown; the deletion is refused if it would
  ///   hide something written since.
  @discardableResult
  public func delete<R: Record>(
    _ id: ID<R>, asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try check(R.self)
    return try await append(
      try catalog.events(
        for: [], kind: R.schema.kind, entity: id.entity, lifecycle: .deletes),
      asOf: snapshot, durability: durability)
  }

  /// Brings a deleted entity back, with all that was recorded.
  @discardableResult
  public func restore<R: Record>(
    _ id: ID<R>, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try check(R.self)
    return try await append(
      try catalog.events(
        for: [], kind: R.schema.kind, entity: id.entity, lifecycle: .restores),
      durability: durability)
  }
}
