/// A disagreement that a person has to settle: different values written without knowing of each
/// other, or a deletion and an event on the same entity that did not know of each other.
public struct Conflict: Sendable, Hashable {
  /// `<entity>#<field>`.
  public let id: String
  /// `profile`, `settings`, `<kind>/<key>`, or for a day `<kind>/<key>@<date>`.
  public let entity: String
  public let field: String
  public let kind: Kind
  /// What would show in a projection of all that every candidate had seen; nil if nothing would.
  public let base: JSONValue?
  /// The candidate that is shown until somebody settles; nil for a conflict of presence.
  public let shown: EventID?
  /// By event ID as text.
  public let candidates: [Candidate]

  public enum Kind: String, Sendable, Hashable {
    case values, presence
  }

  /// One side of a conflict.
  public struct Candidate: Sendable, Hashable {
    public let event: EventID
    public let at: Timestamp
    /// The value; for a counter its total; for presence `"deleted"` or the event's type.
    public let value: JSONValue
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
  /// All conflicts of what is visible.
  func openConflicts(_ ledger: Ledger) -> [OpenConflict] {
    var found: [OpenConflict] = []
    for (place, collection) in catalog.collections.enumerated() where collection.isSingleton {
      found += openConflicts(row: Int32(place), collection: place, entity: -1, ledger)
    }
    for entity in entities.indices {
      let state = entities[entity]
      guard state.row >= 0, !presences.isHidden(Int32(entity)) else { continue }
      let collection = Int(state.collection)
      if presences.isContested(Int32(entity)) {
        found.append(presenceConflict(Int32(entity), collection: collection))
      }
      var row = state.row
      var nextDay = state.firstDay
      while row >= 0 {
        found += openConflicts(
          row: row, collection: collection, entity: Int32(entity), ledger)
        row = nextDay
        nextDay = row < 0 ? -1 : rows[Int(row)].nextDay
      }
    }
    return found
  }

  private func presenceConflict(_ entity: Int32, collection: Int) -> OpenConflict {
    OpenConflict(
      collection: collection, entity: entity, day: Row.noDay, row: entities[Int(entity)].row,
      fieldIndex: -1, field: "presence", subject: .presence,
      candidates: (presences.liveDeletions(entity).map(\.touch) + presences.contesting(entity))
        .map(\.dot),
      shown: nil)
  }

  private func openConflicts(
    row: Int32, collection: Int, entity: Int32, _ ledger: Ledger
  ) -> [OpenConflict] {
    var found: [OpenConflict] = []
    func add(_ field: Int32, _ subject: OpenConflict.Subject, _ dots: [Dot], _ shown: Dot) {
      found.append(
        OpenConflict(
          collection: collection, entity: entity, day: rows[Int(row)].day, row: row,
          fieldIndex: field, field: fieldText(field), subject: subject,
          candidates: dots, shown: shown))
    }
    var cell = rows[Int(row)].firstRegister
    while cell >= 0 {
      let register = registers.cells[Int(cell)]
      if registers.isContested(Int(cell)), findSet(row, register.field) == nil {
        add(
          register.field, .register(cell), registers.liveValues(Int(cell)).map(\.dot),
          registers.shown(Int(cell), ledger).dot)
      }
      cell = register.next
    }
    cell = rows[Int(row)].firstCounter
    while cell >= 0 {
      let counter = counters.cells[Int(cell)]
      if counters.isContested(Int(cell)), let shown = counters.shownSet(Int(cell), ledger) {
        add(counter.field, .counter(cell), counters.liveSets(Int(cell)).map(\.dot), shown.dot)
      }
      cell = counter.next
    }
    return found
  }

  /// A field's name, unescaped.
  func fieldText(_ field: Int32) -> String {
    String(
      decoding: StringSpelling.unescaped(fieldNames.bytes(Int(field))), as: UTF8.self)
  }
}
