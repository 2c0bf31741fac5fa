/// Entities of one kind that have the same name, one of which comes from an adopted user.
package struct SameName: Sendable, Hashable {
  package let kind: String
  package let name: String
  /// Those that the adopted user named.
  package let adopted: [EntityID]
  /// Those that somebody else named.
  package let others: [EntityID]
}

extension Fold {
  /// The entities of a user who was adopted that have the names of others.
  ///
  /// An entity is of whoever gave it the name that shows.
  ///
  /// - Complexity: O(entities).
  func sameNames(besidesThoseOf user: String, _ ledger: Ledger) -> [SameName] {
    guard let field = fieldNames.find("name").map({ Int32($0) }) else { return [] }
    let isAdopted = ledger.areBranches(of: user)
    var found: [SameName] = []
    for (place, collection) in catalog.collections.enumerated() where !collection.isSingleton {
      var names: [[UInt8]: (adopted: [EntityID], others: [EntityID])] = [:]
      for entity in sortedByName(entities(of: place)) where !presences.isHidden(entity) {
        let cell = findRegister(entities[Int(entity)].row, field)
        guard cell >= 0, let id = EntityID(entityNames.text(Int(entity))) else { continue }
        let shown = registers.shown(Int(cell), ledger)
        guard case .string(let name) = JSONValue(canonical: registers.bytes(shown)) else {
          continue
        }
        if isAdopted[Int(shown.dot.branch)] {
          names[Array(name.utf8), default: ([], [])].adopted.append(id)
        } else {
          names[Array(name.utf8), default: ([], [])].others.append(id)
        }
      }
      for (name, ids) in names.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
      where !ids.adopted.isEmpty && !ids.others.isEmpty {
        found.append(
          SameName(
            kind: collection.kind, name: String(decoding: name, as: UTF8.self),
            adopted: ids.adopted, others: ids.others))
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
