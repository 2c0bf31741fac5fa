extension Fold {
  /// Sorts entities of one kind by key.
  package func sortedByName(_ entities: [Int32]) -> [Int32] {
    let names = entityNames
    return entities.sorted { names.bytes(Int($0)).precedes(names.bytes(Int($1))) }
  }

  /// The entities that match `text` by key, key prefix, or name.
  ///
  /// If exactly one entity has the text as its key, it is the only result.
  ///
  /// - Parameters:
  ///   - kind: The kind of the entities, or nil for any kind.
  ///   - includingDeleted: Whether to include deleted entities even if others match.
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

  /// Whether a live value of the entity's `name` is `text`, in any spelling of its characters.
  private func nameIs(_ text: String, ofEntity index: Int) -> Bool {
    names(ofEntity: index).contains(text)
  }

  /// The live values of the entity's `name`: at most one, or those of a conflict.
  private func names(ofEntity index: Int) -> [String] {
    guard let field = fieldNames.find("name") else { return [] }
    let cell = findRegister(entities[index].row, Int32(field))
    guard cell >= 0 else { return [] }
    return registers.liveValues(Int(cell)).compactMap {
      if case .string(let name) = JSONValue(canonical: registers.bytes($0)) { name } else { nil }
    }
  }

  /// The entity whose key or name is most similar to a text that matches no entity.
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

  /// The names in the journal that the catalog doesn't declare, sorted: kinds of entities and of
  /// singletons, and event types of declared kinds.
  ///
  /// Conflicts about them can't be found.
  ///
  /// - Complexity: O(entities).
  package var unknownNames: [String] {
    var names: Set<String> = []
    for index in entities.indices where entities[index].collection < 0 {
      names.insert(String(entityNames.text(index).prefix { $0 != "/" }))
    }
    // Declared types come first. A kind may occur only in event types, without an entity of it.
    for index in compiled.knownTypeCount..<typeNames.count {
      let type = typeNames.text(index)
      // Types of a later version of the store itself change no field.
      if SchemaCatalog.isReserved(type: type) { continue }
      let kind = String(type.prefix { $0 != "." })
      names.insert(compiled.collection(ofKind: kind) < 0 ? kind : type)
    }
    return names.sorted()
  }
}
