import EventLog

/// Finds the entities of which only deletions are left, because all of their contents were erased.
struct ErasedEntities: EventSink {
  /// A copy of the state, used only for planning events.
  private var fold: Fold
  private var entities: [Int32: EntityID] = [:]

  /// - Parameter statements: What a source says.
  init(_ statements: [Statement], _ state: Snapshot) {
    fold = state.fold
    if state.ledger.erasures.extents.isEmpty { return }
    for entity in Set(statements.compactMap(\.target.entity)) where state.isHidden(entity) {
      if let index = fold.entityNames.find(entity.description) { entities[Int32(index)] = entity }
    }
  }

  /// The entities, in a stable order.
  func found(in store: EventStore) async throws(EventLogError) -> [EntityID] {
    if entities.isEmpty { return [] }
    let start = self
    return try await store.reading { (journal) throws(EventLogError) in
      var sink = start
      _ = try journal.read(into: &sink)
      return sink.entities.values.sorted { $0.description.precedes($1.description) }
    }
  }

  func wantsData(_ layout: LineLayout, canonical: Span<UInt8>) -> Bool { false }

  mutating func restart(_ blank: ErasedEntities) { self = blank }

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    guard !layout.entity.isEmpty, let index = fold.entityNames.find(canonical, layout.entity)
    else { return }
    let entity = Int32(index)
    guard entities[entity] != nil else { return }
    let type = fold.plan(layout, canonical, entity: entity)
    if type.map({ fold.compiled.types[$0].lifecycle }) != .deletes { entities[entity] = nil }
  }
}
