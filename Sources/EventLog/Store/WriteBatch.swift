/// Changes that are written together: what ``EventStore/write(asOf:durability:_:)`` hands its
/// closure.
///
/// Each call sees what the calls before it have done. Nothing is in the journal before the closure
/// returns, and nothing ever if it throws.
public struct WriteBatch: ~Copyable {
  private let store: EventStore
  /// The journal as the batch leaves it so far. It is only looked at: what is written is ``items``.
  private var state: JournalBatch<StoreSink>
  /// What no new entity may be named as.
  private let held: Fold
  private(set) var items: [Append.Item] = []

  /// - Parameters:
  ///   - shown: what the batch begins with; nil: the journal as it is.
  ///   - journal: the journal as it is, and stays until the batch is written.
  init(_ store: EventStore, asOf shown: Snapshot?, journal: JournalBatch<StoreSink>) {
    self.store = store
    held = journal.pass.sink.fold
    state = shown.map { journal.before($0) } ?? journal
  }

  private var snapshot: Snapshot {
    Snapshot(
      fold: state.pass.sink.fold, ledger: state.pass.ledger, damage: [], bases: ConflictBases(),
      projections: state.pass.sink.projections)
  }

  // MARK: - Reading

  /// An entity's value; nil where it does not exist or is deleted.
  ///
  /// - Precondition: the store was opened with the record.
  /// - Complexity: O(fields).
  public subscript<R: Record>(id: ID<R>) -> R? { snapshot[id] }

  /// A day of an entity; where nothing was written for it, what `R.Daily()` says.
  ///
  /// - Precondition: the store was opened with the record.
  /// - Complexity: O(fields).
  public subscript<R: Record>(id: ID<R>, day: Day) -> R.Daily { snapshot[id, day] }

  /// The value of a collection of which there is only one.
  ///
  /// - Precondition: the store was opened with the record.
  /// - Complexity: O(fields).
  public subscript<R: Record>(_ type: R.Type) -> R { snapshot[type] }

  /// The state of one of the projections that the store was opened with; nil for any other.
  public subscript<P: Projection>(_ type: P.Type) -> P? { snapshot[type] }

  /// All entities of a kind that are not deleted, by key.
  ///
  /// - Precondition: the store was opened with the record.
  /// - Complexity: O(n log n) in the entities of the kind.
  public func all<R: Record>(_ type: R.Type) -> [Stored<R>] { snapshot.all(type) }

  // MARK: - Creating and editing

  /// Creates an entity, as ``EventStore/create(_:key:durability:_:)`` does.
  ///
  /// - Throws: `entityExists` for a key that is taken; else as ``append(_:)``.
  @discardableResult
  public mutating func create<R: Record>(
    _ type: R.Type, key: String? = nil, _ body: (inout R) -> Void = { _ in }
  ) throws(EventLogError) -> ID<R> {
    try store.check(type)
    var record = R()
    body(&record)
    let changes = try R.schema.changes(creating: record)
    guard let id = key.map({ ID<R>($0) }) ?? mintedID() else { throw .invalidKey }
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

  /// Edits an entity, as ``EventStore/edit(_:asOf:durability:_:)`` does: only what changed is
  /// written, and a counter is incremented by the difference.
  ///
  /// - Throws: `noEntity` or `deletedEntity` where it is not there; else as ``append(_:)``.
  public mutating func edit<R: Record>(
    _ id: ID<R>, _ body: (inout R) -> Void
  ) throws(EventLogError) {
    try store.check(R.self)
    guard let old = self[id] else { throw .missing(id, in: snapshot) }
    var new = old
    body(&new)
    try change(R.self, try R.schema.changes(from: old, to: new), id.entity)
  }

  /// Edits one day of an entity, as ``edit(_:_:)`` does the entity.
  public mutating func edit<R: Record>(
    _ id: ID<R>, on day: Day, _ body: (inout R.Daily) -> Void
  ) throws(EventLogError) {
    try store.check(R.self)
    let old = self[id, day]
    var new = old
    body(&new)
    try change(R.self, try R.schema.changes(from: old, to: new), id.entity, on: day)
  }

  /// Edits a collection of which there is only one, as ``edit(_:_:)`` does an entity.
  public mutating func edit<R: Record>(
    _ type: R.Type, _ body: (inout R) -> Void
  ) throws(EventLogError) {
    try store.check(type)
    let old = self[type]
    var new = old
    body(&new)
    try change(type, try R.schema.changes(from: old, to: new), nil)
  }

  // MARK: - Counters

  /// Sets a counter's total, as ``EventStore/set(_:of:to:asOf:durability:)`` does. To add, edit.
  public mutating func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R, Count>, of id: ID<R>, to total: Count
  ) throws(EventLogError) {
    try store.check(R.self)
    try change(R.self, [.set(field: try R.field(path), Int64(clamping: total))], id.entity)
  }

  /// Sets a counter of one day, as ``set(_:of:to:)`` does an entity's.
  public mutating func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R.Daily, Count>, of id: ID<R>, on day: Day, to total: Count
  ) throws(EventLogError) {
    try store.check(R.self)
    let field = try R.dayField(path)
    try change(R.self, [.set(field: field, Int64(clamping: total))], id.entity, on: day)
  }

  // MARK: - Deleting

  /// Hides an entity; what was recorded stays, and ``restore(_:)`` brings it back.
  public mutating func delete<R: Record>(_ id: ID<R>) throws(EventLogError) {
    try change(id, .deletes)
  }

  /// Brings a deleted entity back, with all that was recorded.
  public mutating func restore<R: Record>(_ id: ID<R>) throws(EventLogError) {
    try change(id, .restores)
  }

  // MARK: - Events

  /// Adds an event of any type of the schema.
  ///
  /// - Throws: the first rule that it breaks.
  public mutating func append(_ draft: EventDraft) throws(EventLogError) {
    try add([draft])
  }

  private mutating func change<R: Record>(
    _ type: R.Type, _ changes: [FieldChange], _ entity: EntityID?, on day: Day? = nil
  ) throws(EventLogError) {
    if changes.isEmpty { return }
    try add(
      store.catalog.events(for: changes, kind: R.schema.kind, entity: entity, day: day))
  }

  private mutating func change<R: Record>(
    _ id: ID<R>, _ lifecycle: EventSchema.Lifecycle
  ) throws(EventLogError) {
    try store.check(R.self)
    try add(
      store.catalog.events(
        for: [], kind: R.schema.kind, entity: id.entity, lifecycle: lifecycle))
  }

  /// Adds the events of one call, all or none.
  private mutating func add(_ drafts: [EventDraft]) throws(EventLogError) {
    let new = drafts.map { Append.Item(draft: $0, entity: $0.entity.map { .exact($0) }) }
    let before = state
    do throws(EventLogError) {
      var receipt = AppendReceipt(snapshot: snapshot)
      try Append(items: new, random: store.options.random).run(&state, &receipt)
    } catch {
      state = before
      throw error
    }
    state.forgetBytes()
    items += new
  }
}

extension JournalBatch<StoreSink> {
  /// A batch that begins with a state that somebody was shown, to see what changes would make of
  /// it.
  fileprivate func before(_ shown: Snapshot) -> JournalBatch {
    var sink = pass.sink
    (sink.fold, sink.projections) = (shown.fold, shown.projections)
    var pass = JournalPass(sink: sink)
    pass.ledger = shown.ledger
    // A device that has come since would have no first event there.
    let writer = device.flatMap { pass.ledger.ends(of: $0).isEmpty ? nil : $0 }
    return JournalBatch(
      pass: pass, device: writer, options: options, start: start, startLine: 1)
  }
}
