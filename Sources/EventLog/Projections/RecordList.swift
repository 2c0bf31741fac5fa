import Synchronization

/// The entities of a kind in one state, as Swift values, sorted by key.
struct RecordList<R: Record>: Sendable {
  /// The reading of the journal that the state belongs to, and the collection's version in it.
  let reading: Int
  let version: Int32
  var rows: [Stored<R>] = []
  /// The number of each row's entity, and its version.
  var entities: [Int32] = []
  var versions: [Int32] = []
}

/// Caches the decoded entities of a store, so that the next state decodes only changed ones.
final class RecordCache: Sendable {
  private let lists = Mutex<[ObjectIdentifier: any Sendable]>([:])

  func list<R: Record>(_ type: R.Type) -> RecordList<R>? {
    lists.withLock { $0[ObjectIdentifier(type)] } as? RecordList<R>
  }

  /// Keeps a list, unless the cache contains a newer one.
  func keep<R: Record>(_ list: RecordList<R>) {
    lists.withLock { lists in
      if let known = lists[ObjectIdentifier(R.self)] as? RecordList<R>,
        known.reading > list.reading
          || known.reading == list.reading && known.version &- list.version > 0
      {
        return
      }
      lists[ObjectIdentifier(R.self)] = list
    }
  }
}

extension Snapshot {
  /// The entities of a kind that are not deleted, sorted by key.
  ///
  /// - Complexity: O(1) if nothing of the kind has changed since the last call on a state of this
  ///   store. Otherwise O(n) to find the changed entities, and O(fields) for each of them.
  func list<R: Record>(_ type: R.Type) -> RecordList<R> {
    let collection = catalog.collections.firstIndex { $0.kind == R.schema.kind }!
    let version = fold.collections[collection].version
    let known = records.list(type).flatMap { $0.reading == reading ? $0 : nil }
    if let known, known.version == version { return known }
    let list = decode(RecordList<R>(reading: reading, version: version), collection, after: known)
    records.keep(list)
    return list
  }

  private func decode<R: Record>(
    _ blank: RecordList<R>, _ collection: Int, after known: RecordList<R>?
  ) -> RecordList<R> {
    var list = blank
    list.entities = visibleEntities(of: collection, after: known?.entities ?? [])
    list.versions = list.entities.map { fold.entities[Int($0)].version }
    var positions: [Int32: Int] = [:]
    for (position, entity) in (known?.entities ?? []).enumerated() { positions[entity] = position }
    list.rows.reserveCapacity(list.entities.count)
    for (index, entity) in list.entities.enumerated() {
      if let known, let position = positions[entity],
        known.versions[position] == list.versions[index]
      {
        list.rows.append(known.rows[position])
      } else {
        list.rows.append(stored(Int(entity)))
      }
    }
    return list
  }

  /// The entities of a collection that are not deleted, sorted by key.
  ///
  /// - Parameter sorted: The result for another state of the same reading.
  private func visibleEntities(of collection: Int, after sorted: [Int32]) -> [Int32] {
    let visible = fold.entities(of: collection).filter { !fold.presences.isHidden($0) }
    if sorted.isEmpty { return fold.sortedByName(visible) }
    var rest = Set(visible)
    let kept = sorted.filter { rest.remove($0) != nil }
    return fold.merged(kept, fold.sortedByName(Array(rest)))
  }
}

extension Fold {
  /// Merges two lists of entities of one kind that are sorted by key.
  fileprivate func merged(_ first: [Int32], _ second: [Int32]) -> [Int32] {
    var merged: [Int32] = []
    merged.reserveCapacity(first.count + second.count)
    var next = 0
    for entity in second {
      let name = entityNames.bytes(Int(entity))
      while next < first.count,
        entityNames.bytes(Int(first[next])).precedes(name)
      {
        merged.append(first[next])
        next += 1
      }
      merged.append(entity)
    }
    return merged + first[next...]
  }
}
