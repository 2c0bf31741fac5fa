/// A batch of changes that are written together.
///
/// ``EventStore/write(asOf:over:durability:_:)`` passes a batch to its closure. Each call sees the
/// changes that earlier calls made. Nothing is written to the journal until the closure returns,
/// and nothing at all if it throws.
public struct WriteBatch: ~Copyable {
  private let store: EventStore
  /// The journal with the batch's changes so far. It is only read: the batch writes ``items``.
  private var state: JournalBatch<StoreSink>
  /// Contains the entities whose names are taken.
  private let held: Fold
  private(set) var items: [Append.Item] = []
  private let over: [UnseenWrite]

  /// Creates a batch.
  ///
  /// - Parameters:
  ///   - shown: The state that the batch begins with, or nil for the journal's current state.
  ///   - over: The writes that may be replaced although they were not seen.
  ///   - journal: The journal's current state, which doesn't change until the batch is written.
  init(
    _ store: EventStore, asOf shown: Snapshot?, over: [UnseenWrite],
    journal: JournalBatch<StoreSink>
  ) {
    (self.store, self.over) = (store, over)
    held = journal.pass.sink.fold
    state = shown.map { journal.before($0) } ?? journal
  }

  private var snapshot: Snapshot {
    Snapshot(
      fold: state.pass.sink.fold, ledger: state.pass.ledger, damage: [], bases: ConflictBases(),
      projections: state.pass.sink.projections)
  }

  // MARK: - Reading

  /// Returns an entity's value, or `nil` if it doesn't exist or is deleted.
  ///
  /// - Precondition: The store was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public subscript<R: Record>(id: ID<R>) -> R? { snapshot[id] }

  /// Returns the value of an entity's day, or `R.Daily()` if nothing was written for it.
  ///
  /// - Precondition: The store was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public subscript<R: Record>(id: ID<R>, day: Day) -> R.Daily { snapshot[id, day] }

  /// Returns the value of a singleton.
  ///
  /// - Precondition: The store was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public subscript<R: Record>(_ type: R.Type) -> R { snapshot[type] }

  /// Returns the state of a projection, or `nil` if the store was opened without it.
  public subscript<P: Projection>(_ type: P.Type) -> P? { snapshot[type] }

  /// Returns all entities of a kind that are not deleted, sorted by key.
  ///
  /// - Precondition: The store was opened with the record type.
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities of the kind.
  public func all<R: Record>(_ type: R.Type) -> [Stored<R>] { snapshot.all(type) }

  // MARK: - Creating and editing

  /// Creates an entity.
  ///
  /// Only the properties that differ from `R()` are written.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - key: The key of the new entity, or `nil` to generate a random one.
  ///   - body: A closure that sets the properties of the new record.
  /// - Returns: The ID of the new entity.
  /// - Throws: `entityExists` if the key is taken; and the errors of ``append(_:)``.
  @discardableResult
  public mutating func create<R: Record>(
    _ type: R.Type, key: String? = nil, _ body: (inout R) -> Void = { _ in }
  ) throws(EventLogError) -> ID<R> {
    try store.catalog.check(type)
    var record = R()
    body(&record)
    let changes = try R.schema.changes(creating: record)
    guard let id = key.map({ ID<R>($0) }) ?? mintedID() else { throw .invalidKey(key ?? "") }
    try add(
      store.catalog.events(
        for: changes, kind: R.schema.kind, entity: id.entity, lifecycle: .begins))
    return id
  }

  private func mintedID<R: Record>() -> ID<R> {
    while true {
      guard let id = ID<R>(store.options.random.next(8)) else { continue }
      let name = id.description
      if state.pass.sink.fold.entityNames.find(name) == nil, held.entityNames.find(name) == nil {
        return id
      }
    }
  }

  /// Edits an entity.
  ///
  /// Only the properties that `body` changes are written. A counter is incremented by the
  /// difference, and members are added to and removed from sets one by one.
  ///
  /// - Parameters:
  ///   - id: The entity to edit.
  ///   - from: The first day to which changed dated fields apply, or `nil` for today. Other fields
  ///     have no such day.
  ///   - body: A closure that changes the record.
  /// - Throws: `noEntity` if the entity doesn't exist; `deletedEntity` if it is deleted; and the
  ///   errors of ``append(_:)``.
  public mutating func edit<R: Record>(
    _ id: ID<R>, from: Day? = nil, _ body: (inout R) -> Void
  ) throws(EventLogError) {
    try store.catalog.check(R.self)
    guard let old = self[id] else { throw .missing(id, in: snapshot) }
    var new = old
    body(&new)
    let rewriting = snapshot.rewritable(
      R.self, id.entity, from: from ?? store.today, over: over)
    try change(
      R.self, try R.schema.changes(from: old, to: new, rewriting), id.entity, from: from)
  }

  /// Edits one day of an entity.
  ///
  /// - Parameters:
  ///   - id: The entity.
  ///   - day: The day to edit.
  ///   - body: A closure that changes the day's record.
  /// - Throws: The errors of ``append(_:)``.
  public mutating func edit<R: Record>(
    _ id: ID<R>, on day: Day, _ body: (inout R.Daily) -> Void
  ) throws(EventLogError) {
    try store.catalog.check(R.self)
    let old = self[id, day]
    var new = old
    body(&new)
    let rewriting = snapshot.rewritable(R.self, id.entity, on: day, from: day, over: over)
    try change(R.self, try R.schema.changes(from: old, to: new, rewriting), id.entity, on: day)
  }

  /// Edits a singleton.
  ///
  /// - Parameters:
  ///   - type: The singleton's record type.
  ///   - from: The first day to which changed dated fields apply, or `nil` for today. Other fields
  ///     have no such day.
  ///   - body: A closure that changes the record.
  /// - Throws: The errors of ``append(_:)``.
  public mutating func edit<R: Record>(
    _ type: R.Type, from: Day? = nil, _ body: (inout R) -> Void
  ) throws(EventLogError) {
    try store.catalog.check(type)
    let old = self[type]
    var new = old
    body(&new)
    let rewriting = snapshot.rewritable(type, nil, from: from ?? store.today, over: over)
    try change(type, try R.schema.changes(from: old, to: new, rewriting), nil, from: from)
  }

  // MARK: - Counters

  /// Sets the total of an entity's counter.
  ///
  /// To add to a counter, edit the entity instead.
  ///
  /// - Parameters:
  ///   - path: The property that shows the counter.
  ///   - id: The entity.
  ///   - total: The new total, from 0 to 1,000,000,000, or `nil` for no value.
  /// - Throws: The errors of ``append(_:)``.
  public mutating func set<R: Record, Number>(
    _ path: KeyPath<R, Counter<Number>>, of id: ID<R>, to total: Number?
  ) throws(EventLogError) {
    try store.catalog.check(R.self)
    let field = try R.field(path)
    try change(R.self, [.set(field: field, try total?.amount(of: field))], id.entity)
  }

  /// Sets the total of a counter of one day.
  ///
  /// - Parameters:
  ///   - path: The property that shows the counter.
  ///   - id: The entity.
  ///   - day: The day.
  ///   - total: The new total, from 0 to 1,000,000,000, or `nil` for no value.
  /// - Throws: The errors of ``append(_:)``.
  public mutating func set<R: Record, Number>(
    _ path: KeyPath<R.Daily, Counter<Number>>, of id: ID<R>, on day: Day, to total: Number?
  ) throws(EventLogError) {
    try store.catalog.check(R.self)
    let field = try R.dayField(path)
    try change(R.self, [.set(field: field, try total?.amount(of: field))], id.entity, on: day)
  }

  // MARK: - Deleting

  /// Deletes an entity.
  ///
  /// Deleting hides the entity. Its data stays in the journal, and ``restore(_:)`` shows it again.
  /// If the entity is already deleted, nothing is written.
  ///
  /// - Throws: The errors of ``append(_:)``.
  public mutating func delete<R: Record>(_ id: ID<R>) throws(EventLogError) {
    try change(id, .deletes)
  }

  /// Restores a deleted entity with all its data.
  ///
  /// If the entity isn't deleted, nothing is written.
  ///
  /// - Throws: The errors of ``append(_:)``.
  public mutating func restore<R: Record>(_ id: ID<R>) throws(EventLogError) {
    try change(id, .restores)
  }

  // MARK: - Events

  /// Adds an event of any type in the schema.
  ///
  /// - Throws: The first rule that the event breaks, such as `unknownType`, `invalidEvent`,
  ///   `noEntity`, `deletedEntity`, or `entityExists`.
  public mutating func append(_ draft: EventDraft) throws(EventLogError) {
    try add(Append([draft], random: store.options.random))
  }

  private mutating func change<R: Record>(
    _ type: R.Type, _ changes: [FieldChange], _ entity: EntityID?, on day: Day? = nil,
    from: Day? = nil
  ) throws(EventLogError) {
    if changes.isEmpty { return }
    let over = over
    let drafts = try store.catalog.events(
      for: changes, kind: R.schema.kind, entity: entity, day: day, from: from)
    try add(
      Append(
        ofRecords: drafts,
        seen: .init(
          state: nil, canRead: { R.canRead($0, ofDay: $1, $2) },
          mayReplace: { over.contains(write: $0) }),
        random: store.options.random))
  }

  private mutating func change<R: Record>(
    _ id: ID<R>, _ lifecycle: EventSchema.Lifecycle
  ) throws(EventLogError) {
    try store.catalog.check(R.self)
    if state.pass.sink.fold.has(id.entity, after: lifecycle) { return }
    try add(
      store.catalog.events(
        for: [], kind: R.schema.kind, entity: id.entity, lifecycle: lifecycle))
  }

  /// Adds the events of one call, all or none.
  private mutating func add(_ append: Append) throws(EventLogError) {
    let before = state
    do throws(EventLogError) {
      var receipt = AppendReceipt(snapshot: snapshot)
      try append.run(&state, &receipt)
    } catch {
      state = before
      throw error
    }
    state.forgetBytes()
    items += append.items
  }

  private mutating func add(_ drafts: [EventDraft]) throws(EventLogError) {
    try add(Append(ofRecords: drafts, random: store.options.random))
  }
}

extension JournalBatch<StoreSink> {
  /// Returns a batch that begins with an earlier state, to determine how changes affect it.
  fileprivate func before(_ shown: Snapshot) -> JournalBatch {
    var sink = pass.sink
    (sink.fold, sink.projections) = (shown.fold, shown.projections)
    var pass = JournalPass(sink: sink)
    pass.ledger = shown.ledger
    // A device that is new since that state has no first event in it.
    let writer = device.flatMap { pass.ledger.ends(of: $0).isEmpty ? nil : $0 }
    return JournalBatch(
      pass: pass, path: path, device: writer, options: options, start: start, startLine: 1)
  }
}
