import Synchronization

/// The state of a journal at one moment: an immutable value, readable anywhere without waiting.
///
/// It holds what a projection shows; ``conflicts`` holds what a person has to settle. Copies share
/// one state, and states that follow one another share what did not change.
public struct Snapshot: Sendable {
  private let storage: Storage

  /// One state, shared by its copies.
  private final class Storage: Sendable {
    let fold: Fold
    let ledger: Ledger
    let damage: [JournalProblem]
    let bases: ConflictBases
    let projections: [any Projection]
    let view: View
    let notices: [String]
    let deviceID: DeviceID?
    let records: RecordCache
    let reading: Int
    /// Made when first asked for.
    let conflicts = Mutex<[Conflict]?>(nil)

    init(
      fold: Fold, ledger: Ledger, damage: [JournalProblem], bases: ConflictBases,
      projections: [any Projection], view: View, notices: [String], deviceID: DeviceID?,
      records: RecordCache, reading: Int
    ) {
      self.fold = fold
      self.ledger = ledger
      self.damage = damage
      self.bases = bases
      self.projections = projections
      self.view = view
      self.notices = notices
      self.deviceID = deviceID
      self.records = records
      self.reading = reading
    }
  }

  /// How a snapshot looks at a journal.
  package struct View: Sendable {
    /// For a part of a journal the tips of what was folded; nil: it is the whole.
    package var frontier: VectorClock?
    /// Per branch up to where it was folded without a gap.
    package var limits: [Int64]?
    /// Whether what is deleted is shown as well.
    package var includesDeleted = false

    package init(
      frontier: VectorClock? = nil, limits: [Int64]? = nil, includesDeleted: Bool = false
    ) {
      self.frontier = frontier
      self.limits = limits
      self.includesDeleted = includesDeleted
    }
  }

  package init(
    fold: Fold, ledger: Ledger, damage: [JournalProblem], bases: ConflictBases,
    projections: [any Projection] = [], view: View = View(), notices: [String] = [],
    deviceID: DeviceID? = nil
  ) {
    self.init(
      fold: fold, ledger: ledger, damage: damage, bases: bases, projections: projections,
      view: view, notices: notices, deviceID: deviceID, records: RecordCache(), reading: 0)
  }

  /// - Parameters:
  ///   - records: what was decoded of earlier states.
  ///   - reading: of the journal; numbers of entities and versions mean the same in the states of
  ///     one.
  init(
    fold: Fold, ledger: Ledger, damage: [JournalProblem], bases: ConflictBases,
    projections: [any Projection], view: View = View(), notices: [String], deviceID: DeviceID?,
    records: RecordCache, reading: Int
  ) {
    storage = Storage(
      fold: fold, ledger: ledger, damage: damage, bases: bases, projections: projections,
      view: view, notices: notices, deviceID: deviceID, records: records, reading: reading)
  }

  var fold: Fold { storage.fold }
  var ledger: Ledger { storage.ledger }
  /// Whether it is one and the same state.
  func isSame(as other: Snapshot) -> Bool { storage === other.storage }
  /// What was decoded of this state, and of others of the same store.
  var records: RecordCache { storage.records }
  /// Which reading of the journal it is of.
  var reading: Int { storage.reading }
  /// The states of the app's own projections.
  var projections: [any Projection] { storage.projections }
  /// Whether what is deleted is shown as well.
  public var includesDeleted: Bool { storage.view.includesDeleted }

  /// Under which ID the store writes whose state it is.
  ///
  /// Nil before the store's first append, where the next one will take a fresh ID, and for a state
  /// that no store has given.
  public var deviceID: DeviceID? { storage.deviceID }

  /// Whose journal it is; nil while it is empty.
  public var user: String? { ledger.user }
  /// How many events it was made from, a repeated line not counted.
  public var eventCount: Int { fold.eventCount }
  /// The tips of what it was made from.
  ///
  /// - Complexity: O(histories).
  public var frontier: VectorClock { storage.view.frontier ?? ledger.frontier }

  /// Whether whoever looks at the state has seen the event.
  package func hasSeen(_ event: FullEventID) -> Bool {
    guard let point = ledger.locate(event), ledger.isHeld(point) else { return false }
    guard let limits = storage.view.limits else { return true }
    return Int(point.branch) < limits.count && point.sequence <= limits[Int(point.branch)]
  }
  /// What is missing or damaged; empty for a sound journal.
  public var damage: [JournalProblem] { storage.damage }
  /// Sentences for the person whose journal it is, by the state of a store: that the next append
  /// will take a fresh device ID, and why.
  ///
  /// Empty where nothing is the matter, and for a journal that has no side folder. An app may show
  /// it at once after opening, when a copy or a restored journal would otherwise be noticed only
  /// with the first append.
  public var notices: [String] { storage.notices }
  /// The collections that it knows.
  public var catalog: SchemaCatalog { fold.catalog }

  /// What a person has to settle, by ID.
  ///
  /// - Complexity: the first time O(conflicts, open and settled).
  public var conflicts: [Conflict] {
    storage.conflicts.withLock { known in
      if let known { return known }
      let found = fold.conflicts(
        ledger, includingDeleted: includesDeleted, bases: storage.bases)
      known = found
      return found
    }
  }

  /// The state of one of the projections that the store was opened with; nil for any other.
  public subscript<P: Projection>(_ type: P.Type) -> P? {
    storage.projections.lazy.compactMap { $0 as? P }.first
  }

  // MARK: - Reading

  /// The fields of a singleton, by name.
  public func singleton(_ kind: String) -> [ProjectedField] {
    guard let place = collectionPlace(kind), fold.catalog.collections[place].isSingleton else {
      return []
    }
    return fields(row: Int32(place))
  }

  /// The entities of a kind, by key; hidden ones only if asked for.
  ///
  /// - Complexity: O(n log n) in the entities of the kind and their days.
  public func entities(_ kind: String, includingDeleted: Bool = false) -> [ProjectedEntity] {
    guard let place = collectionPlace(kind) else { return [] }
    var found: [ProjectedEntity] = []
    for index in fold.sortedByName(fold.entities(of: place)) {
      if !includingDeleted, fold.presences.isHidden(index) { continue }
      if let entity = projected(index) { found.append(entity) }
    }
    return found
  }

  /// An entity, deleted or not; nil where no valid event on it is held.
  ///
  /// - Complexity: O(n log n) in its fields and days.
  public func entity(_ id: EntityID) -> ProjectedEntity? {
    fold.entityNames.find(id.description).flatMap { projected(Int32($0)) }
  }

  /// The same with those days only, by number, and with fields of its own only if `Fold.Row.noDay`
  /// is among them.
  ///
  /// - Complexity: O(its days + n log n) in the fields and days asked for.
  func entity(_ id: EntityID, only days: Set<Int32>) -> ProjectedEntity? {
    fold.entityNames.find(id.description).flatMap { projected(Int32($0), only: days) }
  }

  private func projected(_ index: Int32, only wanted: Set<Int32>? = nil) -> ProjectedEntity? {
    let state = fold.entities[Int(index)]
    guard state.row >= 0 else { return nil }
    return ProjectedEntity(
      id: EntityID(fold.entityNames.text(Int(index)))!,
      fields: wanted?.contains(Fold.Row.noDay) ?? true ? fields(row: state.row) : [],
      days: days(of: state, only: wanted), isDeleted: fold.presences.isHidden(index),
      isPresenceContested: fold.presences.isContested(index))
  }

  /// Whether the entity is deleted.
  public func isHidden(_ entity: EntityID) -> Bool {
    fold.entityNames.find(entity.description).map { fold.presences.isHidden(Int32($0)) } ?? false
  }

  private func collectionPlace(_ kind: String) -> Int? {
    fold.catalog.collections.firstIndex { $0.kind == kind }
  }

  private func days(of entity: Fold.Entity, only wanted: Set<Int32>?) -> [ProjectedDay] {
    var found: [ProjectedDay] = []
    var row = entity.firstDay
    while row >= 0 {
      let state = fold.rows[Int(row)]
      if wanted?.contains(state.day) ?? true {
        found.append(ProjectedDay(day: Day(number: state.day), fields: fields(row: row)))
      }
      row = state.nextDay
    }
    return found.sorted { $0.day < $1.day }
  }

  private func fields(row: Int32) -> [ProjectedField] {
    var found: [ProjectedField] = []
    let state = fold.rows[Int(row)]
    var cell = state.firstSet
    while cell >= 0 {
      let set = fold.sets.cells[Int(cell)]
      found.append(
        ProjectedField(
          name: fold.fieldText(set.field), value: .members(fold.sets.members(Int(cell))),
          isContested: false))
      cell = set.next
    }
    cell = state.firstRegister
    while cell >= 0 {
      let register = fold.registers.cells[Int(cell)]
      if state.firstSet < 0 || fold.findSet(row, register.field) == nil {
        let shown = fold.registers.shown(Int(cell), ledger)
        found.append(
          ProjectedField(
            name: fold.fieldText(register.field),
            value: .json(JSONValue(canonical: fold.registers.bytes(shown))),
            isContested: fold.registers.isContested(Int(cell))))
      }
      cell = register.next
    }
    cell = state.firstCounter
    while cell >= 0 {
      let counter = fold.counters.cells[Int(cell)]
      found.append(
        ProjectedField(
          name: fold.fieldText(counter.field),
          value: .count(fold.counters.shown(Int(cell), ledger)),
          isContested: fold.counters.isContested(Int(cell))))
      cell = counter.next
    }
    return found.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}

/// One field of a projection.
public struct ProjectedField: Sendable, Hashable {
  /// What events call the field: a declared name, or a further one that the collection takes.
  public let name: String
  /// What the field shows, in the form of its mechanism.
  public let value: Value
  /// Whether a conflict about it is open; `value` is then the latest candidate's.
  public let isContested: Bool

  /// What a field shows.
  public enum Value: Sendable, Hashable {
    /// A register; `null` where it was written and shows as absent.
    case json(JSONValue)
    /// A counter.
    case count(Int64)
    /// A set, sorted by bytes.
    case members([String])
  }

  /// The value as JSON; nil where it shows as absent.
  public var shown: JSONValue? {
    switch value {
    case .json(.null): nil
    case .json(let value): value
    case .count(let count): .number(JSONNumber(count))
    case .members(let members): .array(members.map { .string($0) })
    }
  }
}

/// One entity of a projection.
public struct ProjectedEntity: Sendable, Hashable {
  /// The entity's kind and key.
  public let id: EntityID
  /// By name.
  public let fields: [ProjectedField]
  /// By date; those for which a valid event is held.
  public let days: [ProjectedDay]
  /// Whether a deletion hides it; its fields and days are given all the same.
  public let isDeleted: Bool
  /// Whether it is visible although a deletion is live.
  public let isPresenceContested: Bool

  /// The value shown for a field; nil where none is.
  public subscript(field: String) -> JSONValue? {
    fields.first { $0.name.utf8.elementsEqual(field.utf8) }?.shown
  }

  /// The names of contested fields, by bytes; `presence` among them.
  public var contested: [String] {
    (fields.filter(\.isContested).map(\.name) + (isPresenceContested ? ["presence"] : []))
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// One day of an entity.
public struct ProjectedDay: Sendable, Hashable {
  /// The date that the fields are about.
  public let day: Day
  /// By name.
  public let fields: [ProjectedField]

  /// The value shown for a field; nil where none is.
  public subscript(field: String) -> JSONValue? {
    fields.first { $0.name.utf8.elementsEqual(field.utf8) }?.shown
  }

  /// The names of contested fields, by bytes.
  public var contested: [String] { fields.filter(\.isContested).map(\.name) }
}
