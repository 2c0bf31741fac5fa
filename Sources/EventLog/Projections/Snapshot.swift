import Synchronization

/// The state of a journal at one moment.
///
/// A snapshot is an immutable value that you can read on any thread without waiting. It contains
/// the values of all entities, and the ``conflicts`` that a person has to resolve. Copies share
/// their storage, and consecutive states share the parts that didn't change.
public struct Snapshot: Sendable {
  private let storage: Storage

  /// A state, shared by its copies.
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
    /// Computed on first use.
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

  /// The part of a journal that a snapshot shows.
  package struct View: Sendable {
    /// The tips of the events that a cut contains, or nil for the whole journal.
    package var frontier: VectorClock?
    /// For each branch, the last event that was folded without a gap.
    package var limits: [Int64]?
    /// Whether deleted entities are shown.
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

  /// Creates a snapshot.
  ///
  /// - Parameters:
  ///   - records: The records decoded from earlier states.
  ///   - reading: The reading of the journal. In the states of one reading, the numbers of entities
  ///     and versions have the same meaning.
  init(
    fold: Fold, ledger: Ledger, damage: [JournalProblem], bases: ConflictBases,
    projections: [any Projection], view: View = View(), notices: [String], deviceID: DeviceID?,
    records: RecordCache, reading: Int
  ) {
    storage = Storage(
      fold: fold, ledger: ledger, damage: damage, bases: bases, projections: projections,
      view: view, notices: notices, deviceID: deviceID, records: records, reading: reading)
  }

  package var fold: Fold { storage.fold }
  package var ledger: Ledger { storage.ledger }
  /// Whether both are copies of the same state.
  func isSame(as other: Snapshot) -> Bool { storage === other.storage }
  /// The records decoded from this state and from others of the same store.
  var records: RecordCache { storage.records }
  /// The reading of the journal that the state belongs to.
  var reading: Int { storage.reading }
  /// The states of the app's own projections.
  var projections: [any Projection] { storage.projections }
  /// A Boolean value that indicates whether deleted entities are shown.
  public var includesDeleted: Bool { storage.view.includesDeleted }

  /// The device ID of the store that provided the snapshot.
  ///
  /// This property is `nil` if the store's next append takes a new device ID, and for a snapshot
  /// that wasn't provided by a store.
  public var deviceID: DeviceID? { storage.deviceID }

  /// The user that the journal belongs to, or `nil` if the journal is empty.
  public var user: String? { ledger.user }
  /// The number of events in the state.
  ///
  /// Repeated lines count once.
  public var eventCount: Int { fold.eventCount }
  /// The last event of each history in the state.
  ///
  /// - Complexity: O(*n*), where *n* is the number of histories.
  public var frontier: VectorClock { storage.view.frontier ?? ledger.frontier }

  /// The last event of each history of a device in the journal.
  package func tips(of device: DeviceID) -> [FullEventID] {
    ledger.ends(of: device).map(ledger.fullID)
  }

  /// Whether the state contains the event.
  package func hasSeen(_ event: FullEventID) -> Bool {
    guard let point = ledger.locate(event), ledger.isHeld(point) else { return false }
    guard let limits = storage.view.limits else { return true }
    return Int(point.branch) < limits.count && point.sequence <= limits[Int(point.branch)]
  }
  /// The problems that make the journal damaged or incomplete.
  ///
  /// Empty for an intact journal.
  public var damage: [JournalProblem] { storage.damage }
  /// Messages for the user, such as why the next append takes a new device ID.
  ///
  /// An app can show them directly after opening a store, for example if the journal was copied or
  /// restored from a backup, or if entities have values that break the rules of their fields, which
  /// a later version of the app may have written.
  ///
  /// - Complexity: O(values that were ever unreadable).
  public var notices: [String] {
    let count = fold.doubtfulRegisters.count { cell in
      let entity = fold.rows[Int(fold.registers.cells[Int(cell)].row)].entity
      return (entity < 0 || !fold.presences.isHidden(entity))
        && fold.isUnreadable(register: Int(cell), ledger)
    }
    if count == 0 { return storage.notices }
    return storage.notices + [
      "\(count) \(count == 1 ? "value isn't" : "values aren't") shown, because this version of the"
        + " app doesn't allow \(count == 1 ? "it" : "them"). The journal keeps"
        + " \(count == 1 ? "it" : "them")."
    ]
  }
  /// The collections of the snapshot.
  public var catalog: SchemaCatalog { fold.catalog }

  /// The open conflicts, sorted by ID.
  ///
  /// - Complexity: O(*n*) on first access, where *n* is the number of open and resolved conflicts.
  public var conflicts: [Conflict] {
    storage.conflicts.withLock { known in
      if let known { return known }
      let found = fold.conflicts(
        ledger, includingDeleted: includesDeleted, bases: storage.bases)
      known = found
      return found
    }
  }

  /// Returns the state of a projection, or `nil` if the store was opened without it.
  public subscript<P: Projection>(_ type: P.Type) -> P? {
    storage.projections.lazy.compactMap { $0 as? P }.first
  }

  // MARK: - Reading

  /// Returns the fields of a singleton, sorted by name.
  ///
  /// - Parameter kind: The kind of the singleton.
  /// - Returns: The fields. Empty if there is no such singleton.
  public func singleton(_ kind: String) -> [ProjectedField] {
    guard let index = collectionIndex(kind), fold.catalog.collections[index].isSingleton else {
      return []
    }
    return fields(row: Int32(index))
  }

  /// Returns the entities of a kind, sorted by key.
  ///
  /// - Parameters:
  ///   - kind: The kind of the entities.
  ///   - includingDeleted: Whether to include deleted entities.
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities of the kind and their days.
  public func entities(_ kind: String, includingDeleted: Bool = false) -> [ProjectedEntity] {
    guard let collection = collectionIndex(kind) else { return [] }
    var found: [ProjectedEntity] = []
    for index in fold.sortedByName(fold.entities(of: collection)) {
      if !includingDeleted, fold.presences.isHidden(index) { continue }
      if let entity = projected(index) { found.append(entity) }
    }
    return found
  }

  /// Returns an entity, even if it is deleted, or `nil` if the journal contains no valid event on
  /// it.
  ///
  /// - Parameter id: The entity.
  /// - Complexity: O(*n* log *n*), where *n* is the number of the entity's fields and days.
  public func entity(_ id: EntityID) -> ProjectedEntity? {
    fold.entityNames.find(id.description).flatMap { projected(Int32($0)) }
  }

  /// Returns an entity with some of its days, by number.
  ///
  /// Its own fields are included only if `days` contains `Fold.Row.noDay`.
  ///
  /// - Complexity: O(days of the entity + n log n), where n is the number of included fields and
  ///   days.
  package func entity(_ id: EntityID, only days: Set<Int32>) -> ProjectedEntity? {
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

  /// Returns whether an entity is deleted.
  ///
  /// - Parameter entity: The entity.
  public func isHidden(_ entity: EntityID) -> Bool {
    fold.entityNames.find(entity.description).map { fold.presences.isHidden(Int32($0)) } ?? false
  }

  private func collectionIndex(_ kind: String) -> Int? {
    fold.catalog.collections.firstIndex { $0.kind == kind }
  }

  private func days(of entity: Fold.Entity, only wanted: Set<Int32>?) -> [ProjectedDay] {
    var found: [ProjectedDay] = []
    var row = entity.firstDay
    while row >= 0 {
      let state = fold.rows[Int(row)]
      if wanted?.contains(state.day) ?? true, fold.isListed(day: row, ledger) {
        found.append(ProjectedDay(day: Day(number: state.day), fields: fields(row: row)))
      }
      row = state.nextDay
    }
    return found.sorted { $0.day < $1.day }
  }

  private func fields(row: Int32) -> [ProjectedField] {
    var found: [ProjectedField] = []
    let state = fold.rows[Int(row)]
    for (cell, field) in fold.sets.cells.chain(from: state.firstSet) {
      found.append(
        ProjectedField(
          name: fold.fieldText(field), value: .members(fold.sets.members(cell)),
          isContested: false, isUnreadable: false))
    }
    for (cell, field) in fold.registers.cells.chain(from: state.firstRegister)
    where state.firstSet < 0 || fold.findSet(row, field) == nil {
      found.append(
        ProjectedField(
          name: fold.fieldText(field), value: .json(fold.shownJSON(cell, ledger)),
          isContested: fold.registers.isContested(cell),
          isUnreadable: fold.isUnreadable(register: cell, ledger)))
    }
    for (cell, field) in fold.counters.cells.chain(from: state.firstCounter) {
      let total = fold.counters.shown(cell, ledger)
      found.append(
        ProjectedField(
          name: fold.fieldText(field), value: .count(total.amount?.number),
          isContested: fold.counters.isContested(cell), isUnreadable: total == .unreadable))
    }
    return found.sorted { $0.name.precedes($1.name) }
  }
}
