/// What happened to the entities of one kind between two states of a store.
public struct RecordChanges<R: Record>: Sendable {
  /// The later state.
  public let snapshot: Snapshot
  /// Entities that have come, or come back, by key.
  public let inserted: [ID<R>]
  /// Entities that show something else now, their days and conflicts included, by key.
  public let changed: [ID<R>]
  /// Entities that were deleted, by key.
  public let removed: [ID<R>]
}

extension EventStore {
  /// The current state, then the latest whenever anything of one kind shows otherwise.
  ///
  /// ```swift
  /// for await changes in store.changes(of: Meal.self) {
  ///   index.remove(changes.removed)
  ///   index.update(changes.inserted + changes.changed, from: changes.snapshot)
  /// }
  /// ```
  ///
  /// The first one has all entities as inserted. Each tells what happened since the one before, so
  /// that a slow reader misses states, but no change. Of a collection of which there is only one,
  /// it names no entity: ``RecordChanges/snapshot`` has it. The sequence ends when the store is
  /// closed or let go of.
  ///
  /// - Precondition: the store was opened with the record.
  public func changes<R: Record>(of type: R.Type) -> AsyncStream<RecordChanges<R>> {
    snapshot.assertKnown(type)
    let reader = RecordChangesReader<R>(changes)
    return AsyncStream { await reader.next() }
  }
}

/// Compares each state with the one that was told last.
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

  /// What has changed since the state before; nil where nothing has.
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
