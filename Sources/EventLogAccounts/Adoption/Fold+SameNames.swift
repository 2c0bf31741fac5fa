import EventLog

extension Fold {
  /// Returns the entities that have the same name and different owners.
  ///
  /// An entity's owner is the user who wrote its current name.
  ///
  /// - Parameter owner: Returns the bytes of the name of a branch's adopted user, or nil for the
  ///   journal's user.
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities.
  func sameNames(_ ledger: Ledger, owner: (Int32) -> [UInt8]?) -> [AdoptionReport.SameName] {
    guard let field = fieldNames.find("name").map({ Int32($0) }) else { return [] }
    var found: [AdoptionReport.SameName] = []
    for (place, collection) in catalog.collections.enumerated() where !collection.isSingleton {
      var names: [[UInt8]: [(id: EntityID, owner: [UInt8]?)]] = [:]
      for entity in sortedByName(entities(of: place)) where !presences.isHidden(entity) {
        let cell = findRegister(entities[Int(entity)].row, field)
        guard cell >= 0, let id = EntityID(entityNames.text(Int(entity))) else { continue }
        let shown = registers.shown(Int(cell), ledger)
        guard case .string(let name) = JSONValue(canonical: registers.bytes(shown)) else {
          continue
        }
        names[Array(name.utf8), default: []].append((id, owner(shown.dot.branch)))
      }
      for (name, all) in names.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
      where Set(all.map(\.owner)).count > 1 {
        found.append(
          AdoptionReport.SameName(
            kind: collection.kind, name: String(decoding: name, as: UTF8.self),
            adopted: all.filter { $0.owner != nil }.map(\.id),
            others: all.filter { $0.owner == nil }.map(\.id)))
      }
    }
    return found
  }
}
