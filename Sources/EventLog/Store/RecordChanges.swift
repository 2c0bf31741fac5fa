/// The changes to the entities of one kind between two states of a store.
public struct RecordChanges<R: Record>: Sendable {
  /// The later state.
  public let snapshot: Snapshot
  /// The entities that were created or restored, sorted by key.
  public let inserted: [ID<R>]
  /// The entities whose fields, days, or conflicts have changed, sorted by key.
  public let changed: [ID<R>]
  /// The entities that were deleted, sorted by key.
  public let removed: [ID<R>]
}

extension EventStore {
  /// The changes to the entities of one kind, starting with the current state.
  ///
  /// ```swift
  /// for await changes in store.changes(of: Meal.self) {
  ///   index.remove(changes.removed)
  ///   index.update(changes.inserted + changes.changed, from: changes.snapshot)
  /// }
  /// ```
  ///
  /// The first element contains all entities in ``RecordChanges/inserted``. Each later element
  /// contains the changes since the previous one, so a slow reader misses states, but no change.
  /// For a singleton, the elements contain no IDs; read the value from ``RecordChanges/snapshot``.
  /// The sequence ends when the store is closed or deallocated.
  ///
  /// - Parameter type: The record type.
  /// - Precondition: The store was opened with the record type.
  public func changes<R: Record>(of type: R.Type) -> AsyncStream<RecordChanges<R>> {
    snapshot.assertKnown(type)
    let reader = RecordChangesReader<R>(changes)
    return AsyncStream { await reader.next() }
  }
}

/// Compares each state with the last one that was delivered.
private actor RecordChangesReader<R: Record> {
  private let states: AsyncStream<Snapshot>
  private var iterator: AsyncStream<Snapshot>.Iterator
  private var last: Snapshot?
  private var lastList: RecordList<R>?

  init(_ states: AsyncStream<Snapshot>) {
    self.states = states
    iterator = states.makeAsyncIterator()
  }

  func next() async -> RecordChanges<R>? {
    var iterator = iterator
    while let state = await iterator.next(isolation: self) {
      if let changes = changes(to: state) { return changes }
    }
    return nil
  }

  /// The changes since the previous state, or nil if there are none.
  private func changes(to state: Snapshot) -> RecordChanges<R>? {
    let list = state.list(R.self)
    defer { (last, lastList) = (state, list) }
    guard let last, let lastList else {
      return RecordChanges(
        snapshot: state, inserted: list.rows.map(\.id), changed: [], removed: [])
    }
    let isSameReading = lastList.reading == list.reading
    if isSameReading, lastList.version == list.version { return nil }
    if state.isSingleton(R.self) {
      let isSame = last.singleton(R.schema.kind) == state.singleton(R.schema.kind)
      return isSame
        ? nil : RecordChanges(snapshot: state, inserted: [], changed: [], removed: [])
    }
    var before: [ID<R>: Int32] = [:]
    for (row, version) in zip(lastList.rows, lastList.versions) { before[row.id] = version }
    var (inserted, changed): ([ID<R>], [ID<R>]) = ([], [])
    for (row, version) in zip(list.rows, list.versions) {
      guard let old = before.removeValue(forKey: row.id) else {
        inserted.append(row.id)
        continue
      }
      if isSameReading, old == version { continue }
      if last.entity(row.id.entity) != state.entity(row.id.entity) { changed.append(row.id) }
    }
    let removed = lastList.rows.map(\.id).filter { before[$0] != nil }
    if inserted.isEmpty, changed.isEmpty, removed.isEmpty { return nil }
    return RecordChanges(snapshot: state, inserted: inserted, changed: changed, removed: removed)
  }
}
