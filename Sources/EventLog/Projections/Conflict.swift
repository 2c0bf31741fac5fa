/// A conflict between concurrent writes, which a person has to resolve.
///
/// A value conflict consists of different values written concurrently to the same field. A presence
/// conflict consists of a deletion and a concurrent event on the same entity.
public struct Conflict: Sendable, Hashable, Identifiable {
  /// The ID of the conflict, in the form `<entity>#<field>`.
  public let id: String
  /// The kind of a singleton, `<kind>/<key>` for an entity, or `<kind>/<key>@<date>` for a day.
  public let entity: String
  /// The name of the contested field, or `presence`.
  public let field: String
  /// The kind of conflict.
  public let kind: Kind
  /// The value before the conflict: the value in the state that all candidates had seen, or `nil`
  /// if there was none.
  public let base: JSONValue?
  /// The candidate that is shown until the conflict is resolved, or `nil` for a presence conflict.
  public let shown: EventID?
  /// The candidates, sorted by their event IDs as text.
  public let candidates: [Candidate]

  /// Returns the conflict with only some of its candidates, as it appears to a user who has seen
  /// only these.
  ///
  /// - Parameter events: The event IDs of the candidates, with or without their chains.
  public func among(_ events: Set<EventID>) -> Conflict {
    Conflict(
      id: id, entity: entity, field: field, kind: kind, base: base, shown: shown,
      candidates: candidates.filter { candidate in events.contains { candidate.isMeant(by: $0) } })
  }

  /// The kinds of conflict.
  public enum Kind: String, Sendable, Hashable {
    /// Different values of a field, or a deletion and a concurrent event.
    case values, presence
  }

  /// One side of a conflict.
  public struct Candidate: Sendable, Hashable {
    /// The event that wrote the candidate.
    public let event: EventID
    /// The event's unique ID, which includes its chain.
    package let fullID: FullEventID
    /// The time of the event, according to its writer's clock.
    public let at: Timestamp
    /// The value that was written.
    ///
    /// For a counter, the total; for a presence conflict, `"deleted"` or the type of the event.
    public let value: JSONValue
    /// Whether the candidate deletes the entity, in a presence conflict.
    public let isDeletion: Bool

    /// Returns whether an ID refers to this candidate.
    ///
    /// - Parameter id: An event ID, with or without its chain.
    public func isMeant(by id: EventID) -> Bool {
      id.chain == nil ? id == fullID.shortID : id == fullID.id
    }
  }
}

/// A conflict in the fold, before its base and the values of its candidates are looked up.
struct OpenConflict: Sendable {
  enum Subject: Sendable {
    case register(Int32)
    case counter(Int32)
    case presence
  }

  var collection: Int
  /// The entity's index, or −1 for a singleton.
  var entity: Int32
  /// The day, or `Fold.Row.noDay`.
  var day: Int32
  var row: Int32
  /// The field's number in the fold; −1 for presence.
  var fieldIndex: Int32
  var field: String
  var subject: Subject
  var candidates: [Dot]
  var shown: Dot?
}

extension Fold {
  /// A number that changes when a conflict begins, ends, or gets other candidates.
  var conflictVersion: Int {
    registers.changeCount &+ counters.changeCount &+ presences.changeCount
  }

  /// The number of open conflicts.
  package func conflictCount(_ ledger: Ledger) -> Int { openConflicts(ledger).count }

  /// The open conflicts of visible entities and singletons, and optionally of deleted entities.
  ///
  /// - Complexity: O(conflicts, open and resolved).
  func openConflicts(_ ledger: Ledger, includingDeleted: Bool = false) -> [OpenConflict] {
    func isShown(_ row: Int32) -> Bool { includingDeleted || isVisible(row) }
    var found = presences.contestedEntities
      .filter { entities[Int($0)].row >= 0 }
      .map { presenceConflict($0, ledger) }
    for cell in registers.contestedCells {
      let register = registers.cells[cell]
      guard isShown(register.row), findSet(register.row, register.field) == nil else { continue }
      found.append(
        valueConflict(
          register.row, register.field, .register(Int32(cell)),
          registers.liveValues(cell).map(\.dot), shown: registers.shown(cell, ledger).dot))
    }
    for cell in counters.contestedCells {
      let counter = counters.cells[cell]
      guard isShown(counter.row) else { continue }
      found.append(
        valueConflict(
          counter.row, counter.field, .counter(Int32(cell)), counters.candidates(cell).map(\.dot),
          shown: counters.shownSet(cell, ledger)?.dot))
    }
    return found
  }

  private func isVisible(_ row: Int32) -> Bool {
    let entity = rows[Int(row)].entity
    return entity < 0 || !presences.isHidden(entity)
  }

  private func presenceConflict(_ entity: Int32, _ ledger: Ledger) -> OpenConflict {
    let state = entities[Int(entity)]
    return OpenConflict(
      collection: Int(state.collection), entity: entity, day: Row.noDay, row: state.row,
      fieldIndex: -1, field: "presence", subject: .presence,
      candidates: presences.liveDeletions(entity).map(\.dot)
        + presences.contesting(entity, ledger).map(\.dot),
      shown: nil)
  }

  private func valueConflict(
    _ row: Int32, _ field: Int32, _ subject: OpenConflict.Subject, _ candidates: [Dot], shown: Dot?
  ) -> OpenConflict {
    let stored = rows[Int(row)]
    // The rows of singletons come first, in the catalog's order.
    let collection = stored.entity < 0 ? Int(row) : Int(entities[Int(stored.entity)].collection)
    return OpenConflict(
      collection: collection, entity: stored.entity, day: stored.day, row: row, fieldIndex: field,
      field: fieldText(field), subject: subject, candidates: candidates, shown: shown)
  }

  /// A field's name, unescaped.
  package func fieldText(_ field: Int32) -> String {
    String(
      decoding: StringSpelling.unescaped(fieldNames.bytes(Int(field))), as: UTF8.self)
  }
}
