/// A disagreement that a person has to settle: different values written without knowing of each
/// other, or a deletion and an event on the same entity that did not know of each other.
public struct Conflict: Sendable, Hashable {
  /// `<entity>#<field>`.
  public let id: String
  /// The kind of a singleton, `<kind>/<key>`, or for a day `<kind>/<key>@<date>`.
  public let entity: String
  /// The name of what is contested: a field, or `presence`.
  public let field: String
  /// What the candidates disagree about.
  public let kind: Kind
  /// What would show in a projection of all that every candidate had seen; nil if nothing would.
  public let base: JSONValue?
  /// The candidate that is shown until somebody settles; nil for a conflict of presence.
  public let shown: EventID?
  /// By event ID as text.
  public let candidates: [Candidate]

  /// The conflict as it is for somebody who was shown only some of its candidates, which are named
  /// by their short IDs or by full ones.
  public func among(_ events: Set<EventID>) -> Conflict {
    Conflict(
      id: id, entity: entity, field: field, kind: kind, base: base, shown: shown,
      candidates: candidates.filter { candidate in events.contains { candidate.isMeant(by: $0) } })
  }

  /// Whether values differ, or whether the entity is there.
  public enum Kind: String, Sendable, Hashable {
    case values, presence
  }

  /// One side of a conflict.
  public struct Candidate: Sendable, Hashable {
    /// Who wrote it: the event, as it is shown.
    public let event: EventID
    /// The event's name with its chain.
    package let fullID: FullEventID
    /// When it was written, by its writer's clock.
    public let at: Timestamp
    /// The value; for a counter its total; for presence `"deleted"` or the event's type.
    public let value: JSONValue

    /// Whether an ID names it: a short one, or one with its chain.
    public func isMeant(by id: EventID) -> Bool {
      id.chain == nil ? id == fullID.shortID : id == fullID.id
    }
  }
}

/// A conflict as the fold knows it: without the base, and without what only the candidates' own
/// lines tell.
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
  /// Stays the same as long as no conflict begins, ends, or gets other candidates.
  var conflictVersion: Int {
    registers.changeCount &+ counters.changeCount &+ presences.changeCount
  }

  /// All conflicts of what is visible, or also of what is deleted. O(conflicts, open and settled).
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
          counter.row, counter.field, .counter(Int32(cell)), counters.liveSets(cell).map(\.dot),
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
    let place = rows[Int(row)]
    // The rows of singletons come first, in the catalog's order.
    let collection = place.entity < 0 ? Int(row) : Int(entities[Int(place.entity)].collection)
    return OpenConflict(
      collection: collection, entity: place.entity, day: place.day, row: row, fieldIndex: field,
      field: fieldText(field), subject: subject, candidates: candidates, shown: shown)
  }

  /// A field's name, unescaped.
  func fieldText(_ field: Int32) -> String {
    String(
      decoding: StringSpelling.unescaped(fieldNames.bytes(Int(field))), as: UTF8.self)
  }
}
