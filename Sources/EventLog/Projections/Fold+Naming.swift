extension Fold {
  /// Entities of one kind by key.
  package func sortedByName(_ entities: [Int32]) -> [Int32] {
    let names = entityNames
    return entities.sorted { names.bytes(Int($0)).precedes(names.bytes(Int($1))) }
  }

  /// The entities that a person may mean by a key, the beginning of a key, or a name; one alone if
  /// it is a whole key.
  ///
  /// - Parameters:
  ///   - kind: nil: of any kind.
  ///   - includingDeleted: else a deleted one is meant only if nothing else can be.
  package func entities(
    meantBy text: String, kind: String?, includingDeleted: Bool
  ) -> [EntityID] {
    var fitting: [(index: Int, id: EntityID)] = []
    for index in entities.indices where entities[index].row >= 0 {
      guard let id = EntityID(entityNames.text(index)), kind.map({ $0 == id.kind }) ?? true else {
        continue
      }
      if id.key == text, kind != nil { return [id] }
      if id.key.hasPrefix(text) || nameIs(text, ofEntity: index) { fitting.append((index, id)) }
    }
    let exact = fitting.filter { $0.id.key == text }
    if exact.count == 1 { return exact.map(\.id) }
    let visible = fitting.filter { !presences.isHidden(Int32($0.index)) }
    return (includingDeleted || visible.isEmpty ? fitting : visible).map(\.id)
  }

  /// Whether the entity's `name` shows exactly `text`.
  private func nameIs(_ text: String, ofEntity index: Int) -> Bool {
    names(ofEntity: index).contains { $0.hasBytes(of: text) }
  }

  /// The texts that the entity's `name` shows: one, or those of a conflict.
  private func names(ofEntity index: Int) -> [String] {
    guard let field = fieldNames.find("name") else { return [] }
    let cell = findRegister(entities[index].row, Int32(field))
    guard cell >= 0 else { return [] }
    return registers.liveValues(Int(cell)).compactMap {
      if case .string(let name) = JSONValue(canonical: registers.bytes($0)) { name } else { nil }
    }
  }

  /// The entity whose key or name is nearest to a text that means none.
  ///
  /// - Complexity: O(entities).
  func entity(nearestTo text: String, kind: String) -> EntityID? {
    var meant: [String: EntityID] = [:]
    for index in entities.indices where entities[index].row >= 0 {
      guard let id = EntityID(entityNames.text(index)), id.kind == kind else { continue }
      meant[id.key] = id
      for name in names(ofEntity: index) where meant[name] == nil { meant[name] = id }
    }
    return Suggestion.nearest(to: text, among: Array(meant.keys)).flatMap { meant[$0] }
  }

  /// What the journal holds and the catalog does not declare, by name: kinds of entities and of
  /// singletons, and types of events of a declared kind. Nobody can tell its conflicts.
  ///
  /// - Complexity: O(entities).
  package var unknownNames: [String] {
    var names: Set<String> = []
    for index in entities.indices where entities[index].collection < 0 {
      names.insert(String(entityNames.text(index).prefix { $0 != "/" }))
    }
    // Those that the catalog declares are the first. An event need not name an entity of its kind.
    for index in compiled.knownTypeCount..<typeNames.count {
      let type = typeNames.text(index)
      // What a later version of the store itself writes changes no field.
      if SchemaCatalog.isReserved(type: type) { continue }
      let kind = String(type.prefix { $0 != "." })
      names.insert(compiled.collection(ofKind: kind) < 0 ? kind : type)
    }
    return names.sorted()
  }
}
