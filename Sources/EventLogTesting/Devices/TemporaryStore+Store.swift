// What an `EventStore` does, on a device: each call does what the store's call of its name does.

public import EventLog

extension TemporaryStore {
  // MARK: - Records

  /// Creates an entity, as ``EventLog/EventStore/create(_:key:durability:_:)``.
  @discardableResult
  public func create<R: Record>(
    _ type: R.Type, key: String? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void = { _ in }
  ) async throws(EventLogError) -> CreationReceipt<R> {
    try await store.create(type, key: key, durability: durability, body)
  }

  /// Edits an entity, as ``EventLog/EventStore/edit(_:asOf:durability:_:)``.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.edit(id, asOf: snapshot, durability: durability, body)
  }

  /// Edits one day of an entity, as ``EventLog/EventStore/edit(_:on:asOf:durability:_:)``.
  @discardableResult
  public func edit<R: Record>(
    _ id: ID<R>, on day: Day, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R.Daily) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.edit(id, on: day, asOf: snapshot, durability: durability, body)
  }

  /// Edits a collection of which there is only one.
  @discardableResult
  public func edit<R: Record>(
    _ type: R.Type, asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: (inout R) -> Void
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.edit(type, asOf: snapshot, durability: durability, body)
  }

  /// Sets a counter's total, as ``EventLog/EventStore/set(_:of:to:asOf:durability:)``.
  @discardableResult
  public func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R, Count>, of id: ID<R>, to total: Count, asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.set(path, of: id, to: total, asOf: snapshot, durability: durability)
  }

  /// Sets a counter of one day.
  @discardableResult
  public func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R.Daily, Count>, of id: ID<R>, on day: Day, to total: Count,
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.set(path, of: id, on: day, to: total, asOf: snapshot, durability: durability)
  }

  /// Sets a counter of a collection of which there is only one.
  @discardableResult
  public func set<R: Record, Count: FixedWidthInteger>(
    _ path: KeyPath<R, Count>, of type: R.Type, to total: Count, asOf snapshot: Snapshot? = nil,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.set(path, of: type, to: total, asOf: snapshot, durability: durability)
  }

  /// Adds to a counter, as ``EventLog/EventStore/add(_:to:of:durability:)``.
  @discardableResult
  public func add<R: Record, Count: FixedWidthInteger>(
    _ amount: Count, to path: KeyPath<R, Count>, of id: ID<R>, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.add(amount, to: path, of: id, durability: durability)
  }

  /// Adds to a counter of one day.
  @discardableResult
  public func add<R: Record, Count: FixedWidthInteger>(
    _ amount: Count, to path: KeyPath<R.Daily, Count>, of id: ID<R>, on day: Day,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.add(amount, to: path, of: id, on: day, durability: durability)
  }

  /// Takes a member into a set, as ``EventLog/EventStore/include(_:in:of:durability:)``.
  @discardableResult
  public func include<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, in path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.include(member, in: path, of: id, durability: durability)
  }

  /// Takes a member out of a set, as ``EventLog/EventStore/exclude(_:from:of:durability:)``.
  @discardableResult
  public func exclude<R: Record, Element: JSONConvertible & Hashable>(
    _ member: Element, from path: KeyPath<R, Set<Element>>, of id: ID<R>,
    durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.exclude(member, from: path, of: id, durability: durability)
  }

  /// Hides an entity, as ``EventLog/EventStore/delete(_:asOf:durability:)``.
  @discardableResult
  public func delete<R: Record>(
    _ id: ID<R>, asOf snapshot: Snapshot? = nil, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.delete(id, asOf: snapshot, durability: durability)
  }

  /// Brings a deleted entity back.
  @discardableResult
  public func restore<R: Record>(
    _ id: ID<R>, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.restore(id, durability: durability)
  }

  // MARK: - Conflicts

  /// Settles a conflict by a candidate, as
  /// ``EventLog/EventStore/resolve(_:taking:durability:)``.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, taking event: EventID, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.resolve(conflict, taking: event, durability: durability)
  }

  /// Settles a conflict by another value, as
  /// ``EventLog/EventStore/resolve(_:with:durability:)``.
  @discardableResult
  public func resolve(
    _ conflict: Conflict, with value: JSONValue, durability: Durability = .durable
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.resolve(conflict, with: value, durability: durability)
  }

  // MARK: - Several at once

  /// Writes several changes as one, as ``EventLog/EventStore/write(asOf:durability:_:)``.
  @discardableResult
  public func write<Value: Sendable>(
    asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    _ body: @escaping @Sendable (inout WriteBatch) throws -> Value
  ) async throws -> (value: Value, receipt: AppendReceipt) {
    try await store.write(asOf: snapshot, durability: durability, body)
  }

  /// Undoes what an append did, as ``EventLog/EventStore/undo(_:durability:)``.
  @discardableResult
  public func undo(
    _ receipt: AppendReceipt, durability: Durability = .durable
  ) async throws(EventLogError) -> (receipt: AppendReceipt, left: [UnseenWrite]) {
    try await store.undo(receipt, durability: durability)
  }

  // MARK: - Events

  /// Appends events, as
  /// ``EventLog/EventStore/append(_:asOf:durability:allowingUnknownTypes:)``.
  @discardableResult
  public func append(
    _ drafts: [EventDraft], asOf snapshot: Snapshot? = nil, durability: Durability = .durable,
    allowingUnknownTypes: Bool = false
  ) async throws(EventLogError) -> AppendReceipt {
    try await store.append(
      drafts, asOf: snapshot, durability: durability, allowingUnknownTypes: allowingUnknownTypes)
  }

  // MARK: - State

  /// The journal's file.
  public var path: String { store.path }

  /// The state after the last append of the store, or after what it has read since.
  public var snapshot: Snapshot { store.snapshot }

  /// The current state, then the latest after each change, as ``EventLog/EventStore/changes``; it
  /// ends with ``reopen()``.
  public var changes: AsyncStream<Snapshot> { store.changes }

  /// The latest state whenever anything of one kind shows otherwise, as
  /// ``EventLog/EventStore/changes(of:)``.
  public func changes<R: Record>(of type: R.Type) -> AsyncStream<RecordChanges<R>> {
    store.changes(of: type)
  }

  /// Looks back at a part of the journal, as
  /// ``EventLog/EventStore/snapshot(at:includingDeleted:)``.
  public func snapshot(
    at cut: Cut, includingDeleted: Bool = false
  ) async throws(EventLogError) -> Snapshot {
    try await store.snapshot(at: cut, includingDeleted: includingDeleted)
  }

  /// Reads what other stores of the same journal have appended.
  public func refresh() async throws(EventLogError) { try await store.refresh() }

  /// Makes durable what buffered appends have written, and ends the changes.
  public func close() async throws(EventLogError) { try await store.close() }
}
