/// Entities of one kind that have the same name, one of which comes from an adopted user.
package struct SameName: Sendable, Hashable {
  package let kind: String
  package let name: String
  /// Those that the adopted user named.
  package let adopted: [EntityID]
  /// Those that somebody else named; of all adopted users' entities, those of the journal's own.
  package let others: [EntityID]
}

extension Fold {
  /// The entities of a user who was adopted that have the names of others.
  ///
  /// An entity is of whoever gave it the name that shows.
  ///
  /// - Complexity: O(entities).
  func sameNames(besidesThoseOf user: String, _ ledger: Ledger) -> [SameName] {
    let isAdopted = ledger.areBranches(of: user)
    return sameNames(ledger) { isAdopted[Int($0)] ? [] : nil }
  }

  /// The entities that have the same name, and different owners.
  ///
  /// - Parameter owner: the adopted user of a branch, by the bytes of the name; nil for the
  ///   journal's own.
  /// - Complexity: O(entities).
  func sameNames(_ ledger: Ledger, owner: (Int32) -> [UInt8]?) -> [SameName] {
    guard let field = fieldNames.find("name").map({ Int32($0) }) else { return [] }
    var found: [SameName] = []
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
          SameName(
            kind: collection.kind, name: String(decoding: name, as: UTF8.self),
            adopted: all.filter { $0.owner != nil }.map(\.id),
            others: all.filter { $0.owner == nil }.map(\.id)))
      }
    }
    return found
  }
}

extension Ledger {
  /// Per branch whether its device joined as a user, or as somebody whom that user has adopted, and
  /// as nobody else who belongs here.
  func areBranches(of user: String) -> [Bool] {
    let family = users.family(of: user)
    return branches.map { branch in
      let own = users.users(of: Int(branch.device)).filter(users.belongs)
      return !own.isEmpty && own.allSatisfy(family.contains)
    }
  }
}
