// The methods of `EventStore`, forwarded to a device's store.

public import EventLog
public import EventLogInspection
public import EventLogRemotes
import EventLogUndo

extension TemporaryStore {
  // MARK: - Records

  /// Creates an entity, like `EventStore.create(_:key:durability:_:)`.
  @discardableResult
  public func create<R: Record>(
    _ type: R.Type, key: String? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void = { _ in }
  ) async throws(EventLogError) -> CreationReceipt<R> {
    try await store.create(type, key: key, durability: durability, body)
  }

  /// Edits an entity, like `EventStore.edit(_:from:asOf:over:durability:_:)`.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, from: Day? = nil, asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable, _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.edit(id, from: from, asOf: snapshot, durability: durability, body)
  }

  /// Edits one day of an entity, like `EventStore.edit(_:on:asOf:over:durability:_:)`.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, on day: Day, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R.Daily) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.edit(id, on: day, asOf: snapshot, durability: durability, body)
  }

  /// Edits a singleton, like `EventStore.edit(_:from:asOf:over:durability:_:)`.
  @discardableResult
  public func edit<R: Record>(
    _ type: R.Type, from: Day? = nil, asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable, _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.edit(type, from: from, asOf: snapshot, durability: durability, body)
  }

  /// Sets the total of a counter, like `EventStore.set(_:of:to:asOf:over:durability:)`.
  @discardableResult
  public func set<R: Record, Number>(
    _ path: KeyPath<R, Counter<Number>>, of id: ID<R>, to total: Number?,
    asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.set(path, of: id, to: total, asOf: snapshot, durability: durability)
  }

  /// Sets the total of a day's counter, like `EventStore.set(_:of:on:to:asOf:over:durability:)`.
  @discardableResult
  public func set<R: Record, Number>(
    _ path: KeyPath<R.Daily, Counter<Number>>, of id: ID<R>, on day: Day, to total: Number?,
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.set(path, of: id, on: day, to: total, asOf: snapshot, durability: durability)
  }

  /// Sets the total of a singleton's counter, like `EventStore.set(_:of:to:asOf:over:durability:)`.
  @discardableResult
  public func set<R: Record, Number>(
    _ path: KeyPath<R, Counter<Number>>, of type: R.Type, to total: Number?,
    asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.set(path, of: type, to: total, asOf: snapshot, durability: durability)
  }

  /// Adds to a counter, like `EventStore.add(_:to:of:durability:)`.
  @discardableResult
  public func add<R: Record, Number>(
    _ amount: Number, to path: KeyPath<R, Counter<Number>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.add(amount, to: path, of: id, durability: durability)
  }

  /// Adds to a counter of one day, like `EventStore.add(_:to:of:on:durability:)`.
  @discardableResult
  public func add<R: Record, Number>(
    _ amount: Number, to path: KeyPath<R.Daily, Counter<Number>>, of id: ID<R>, on day: Day,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.add(amount, to: path, of: id, on: day, durability: durability)
  }

  /// Adds a member to a set, like `EventStore.include(_:in:of:durability:)`.
  @discardableResult
  public func include<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, in path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.include(member, in: path, of: id, durability: durability)
  }

  /// Removes a member from a set, like `EventStore.exclude(_:from:of:durability:)`.
  @discardableResult
  public func exclude<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, from path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.exclude(member, from: path, of: id, durability: durability)
  }

  /// Deletes an entity, like `EventStore.delete(_:asOf:durability:)`.
  @discardableResult
  public func delete<R: Record>(
    _ id: ID<R>, asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.delete(id, asOf: snapshot, durability: durability)
  }

  /// Restores a deleted entity, like `EventStore.restore(_:durability:)`.
  @discardableResult
  public func restore<R: Record>(
    _ id: ID<R>, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.restore(id, durability: durability)
  }

  // MARK: - Conflicts

  /// Resolves a conflict by choosing one of its candidates, like
  /// `EventStore.resolve(_:taking:durability:)`.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, taking event: EventID, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.resolve(conflict, taking: event, durability: durability)
  }

  /// Resolves a conflict with a new value, like `EventStore.resolve(_:with:durability:)`.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, with value: JSONValue, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.resolve(conflict, with: value, durability: durability)
  }

  // MARK: - Batches and undo

  /// Writes several changes together, like `EventStore.write(asOf:over:durability:_:)`.
  @discardableResult
  public func write<Value: Sendable>(
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
  ) async throws -> (value: Value, receipt: AppendReceipt) {
    try await store.write(asOf: snapshot, durability: durability, body)
  }

  /// Undoes an append, like `EventStore.undo(_:durability:)`.
  @discardableResult
  public func undo(
    _ receipt: AppendReceipt, durability: Durability = .durable
  ) async throws(EventLogError) -> (receipt: AppendReceipt, left: [UnseenWrite]) {
    try await store.undo(receipt, durability: durability)
  }

  // MARK: - Events

  /// Appends events, like `EventStore.append(_:asOf:durability:allowingUnknownTypes:)`.
  @discardableResult
  public func append(
    _ drafts: [EventDraft], asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.append(
      drafts, asOf: snapshot, durability: durability, allowingUnknownTypes: allowingUnknownTypes)
  }

  // MARK: - State

  /// The path of the journal's file.
  public var path: String { store.path }

  /// The state after the store's last append, or after the last read that followed it.
  public var snapshot: Snapshot { store.snapshot }

  /// The current state, followed by the latest state after each change, like `EventStore.changes`.
  ///
  /// The sequence ends when you call ``reopen()``.
  public var changes: AsyncStream<Snapshot> { store.changes }

  /// The changes to the entities of one kind, like `EventStore.changes(of:)`.
  public func changes<R: Record>(of type: R.Type) -> AsyncStream<RecordChanges<R>> {
    store.changes(of: type)
  }

  /// Returns a past state, like `EventStore.snapshot(at:includingDeleted:)`.
  public func snapshot(
    at cut: Cut, includingDeleted: Bool = false
  ) async throws(EventLogError) -> Snapshot {
    try await store.snapshot(at: cut, includingDeleted: includingDeleted)
  }

  /// Returns every write of a field, like `EventStore.why(_:_:at:)`.
  public func why(
    _ entity: String, _ field: String, at cut: Cut? = nil
  ) async throws(EventLogError) -> FieldReading {
    try await store.why(entity, field, at: cut)
  }

  /// Checks every line and every event of the journal, like `EventStore.verify()`.
  public func verify() async throws(EventLogError) -> VerificationReport {
    try await store.verify()
  }

  /// Returns which remotes have all events of a record, like `EventStore.places(of:)`.
  public func places<R: Record>(
    of id: ID<R>
  ) async throws(EventLogError) -> [Replicator.Status] {
    try await store.places(of: id)
  }

  /// Reads what other stores have appended to the same journal, like `EventStore.refresh()`.
  public func refresh() async throws(EventLogError) { try await store.refresh() }

  /// Syncs buffered appends to disk and ends ``changes``, like `EventStore.close()`.
  public func close() async throws(EventLogError) { try await store.close() }
}
