/// An entity in a snapshot, with its ID and its conflicts.
///
/// You can access the properties of the ``value`` directly.
@dynamicMemberLookup
public struct Stored<R: Record>: Sendable, Identifiable {
  /// The ID of the entity.
  public let id: ID<R>
  /// The entity's properties, as the snapshot shows them.
  public let value: R
  /// The names of the contested fields, sorted by bytes.
  ///
  /// They can include `presence`.
  public let contested: [String]
  /// The names of the fields whose values this version of the app can't read in full, sorted by
  /// bytes.
  ///
  /// The property of such a field has the value that `init()` gives it, or lacks what a `Codable`
  /// type doesn't declare. An edit of the field is refused, so that it replaces nothing unseen. The
  /// same applies to the other values of a conflict, which don't count here.
  public let unreadable: [String]

  /// Returns a property of the value.
  public subscript<Property>(dynamicMember path: KeyPath<R, Property>) -> Property {
    value[keyPath: path]
  }
}

extension Stored {
  /// Returns whether there is an open conflict about the field that a property shows.
  ///
  /// Until the conflict is resolved, the property shows the latest value.
  ///
  /// - Parameter path: The property.
  public func isContested(_ path: PartialKeyPath<R>) -> Bool {
    R.schema.fieldName(path).map(contested.contains) ?? false
  }

  /// A Boolean value that indicates whether a device deleted the entity while another device
  /// concurrently wrote to it.
  public var isPresenceContested: Bool { contested.contains("presence") }
}

extension Stored: Equatable where R: Equatable {}
extension Stored: Hashable where R: Hashable {}

/// A day of an entity in a snapshot, with its conflicts.
///
/// You can access the properties of the ``value`` directly.
@dynamicMemberLookup
public struct StoredDay<R: Record>: Sendable {
  /// The date of the day.
  public let day: Day
  /// The day's properties, as the snapshot shows them.
  public let value: R.Daily
  /// The names of the contested fields, sorted by bytes.
  public let contested: [String]
  /// The names of the fields whose values this version of the app can't read in full, sorted by
  /// bytes.
  ///
  /// The property of such a field has the value that `init()` gives it, or lacks what a `Codable`
  /// type doesn't declare. An edit of the field is refused, so that it replaces nothing unseen. The
  /// same applies to the other values of a conflict, which don't count here.
  public let unreadable: [String]

  /// Returns a property of the value.
  public subscript<Property>(dynamicMember path: KeyPath<R.Daily, Property>) -> Property {
    value[keyPath: path]
  }
}

extension StoredDay: Identifiable {
  /// The date, which is unique among the days of an entity.
  public var id: Day { day }
}
extension StoredDay: Equatable where R.Daily: Equatable {}
extension StoredDay: Hashable where R.Daily: Hashable {}

extension Snapshot {
  /// Returns an entity's value, or `nil` if it doesn't exist or is deleted.
  ///
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public subscript<R: Record>(id: ID<R>) -> R? {
    assertKnown(R.self)
    return visibleIndex(of: id).map { index in
      R.schema.record { shown($0, row: fold.entities[index].row) }
    }
  }

  /// Returns an entity with its contested fields, or `nil` if it doesn't exist or is deleted.
  ///
  /// - Parameter id: The entity.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public func stored<R: Record>(_ id: ID<R>) -> Stored<R>? {
    assertKnown(R.self)
    return visibleIndex(of: id).map(stored)
  }

  /// The number of an entity that exists and is not deleted.
  func visibleIndex<R: Record>(of id: ID<R>) -> Int? {
    guard let index = fold.entityNames.find(id.description), fold.entities[index].row >= 0,
      !fold.presences.isHidden(Int32(index))
    else { return nil }
    return index
  }

  /// An entity by its number.
  ///
  /// The entity must have a valid event.
  func stored<R: Record>(_ index: Int) -> Stored<R> {
    let row = fold.entities[index].row
    let presence = fold.presences.isContested(Int32(index)) ? ["presence"] : []
    let (value, unread) = R.schema.read { shown($0, row: row) }
    return Stored(
      id: ID(EntityID(fold.entityNames.text(index))!)!, value: value,
      contested: (fold.contested(row: row) + presence).sortedByBytes,
      unreadable: (fold.unreadable(row: row, ledger) + unread).sortedByBytes)
  }

  /// Returns the value of an entity's day, or `R.Daily()` if nothing was written for it.
  ///
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public subscript<R: Record>(id: ID<R>, day: Day) -> R.Daily {
    assertKnown(R.self)
    guard let entity = entityIndex(of: id) else { return R.Daily() }
    let row = fold.dayRow(of: entity, day.number)
    if row < 0 { return R.Daily() }
    return R.schema.daily { shown($0, row: row) }
  }

  /// Returns the value of a singleton.
  ///
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields.
  public subscript<R: Record>(_ type: R.Type) -> R {
    assertKnown(type)
    guard let row = catalog.collections.firstIndex(where: { $0.kind == R.schema.kind }),
      catalog.collections[row].isSingleton
    else { return R() }
    return R.schema.record { shown($0, row: Int32(row)) }
  }

  /// Returns all entities of a kind that are not deleted, sorted by key.
  ///
  /// - Parameter type: The record type.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(1) if no entity of the kind has changed since a snapshot of the same store was
  ///   last queried. Otherwise O(*n*), where *n* is the number of entities of the kind; each
  ///   changed entity is decoded again.
  public func all<R: Record>(_ type: R.Type) -> [Stored<R>] {
    assertKnown(type)
    return list(type).rows
  }

  /// Returns the days of an entity of which a field has a value or a conflict, sorted by date.
  ///
  /// - Parameter id: The entity.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n* log *n*), where *n* is the number of days.
  public func days<R: Record>(of id: ID<R>) -> [StoredDay<R>] {
    assertKnown(R.self)
    guard let entity = entityIndex(of: id) else { return [] }
    var found: [StoredDay<R>] = []
    var row = fold.entities[Int(entity)].firstDay
    while row >= 0 {
      if fold.isListed(day: row, ledger) { found.append(day(row)) }
      row = fold.rows[Int(row)].nextDay
    }
    return found.sorted { $0.day < $1.day }
  }

  /// The number of an entity that an event refers to and that is not deleted.
  func entityIndex<R: Record>(of id: ID<R>) -> Int32? {
    fold.entityNames.find(id.description).map { Int32($0) }
      .flatMap { fold.presences.isHidden($0) ? nil : $0 }
  }

  /// A day by its row.
  func day<R: Record>(_ row: Int32) -> StoredDay<R> {
    let (value, unread) = R.schema.readDay { shown($0, row: row) }
    return StoredDay(
      day: Day(number: fold.rows[Int(row)].day), value: value,
      contested: fold.contested(row: row).sortedByBytes,
      unreadable: (fold.unreadable(row: row, ledger) + unread).sortedByBytes)
  }

  /// Traps if the catalog doesn't contain the record, or contains another declaration of its kind.
  ///
  /// Otherwise, it would silently read as empty.
  func assertKnown<R: Record>(_ type: R.Type) {
    do throws(EventLogError) { try catalog.check(type) } catch {
      preconditionFailure("\(error.message) \(error.hint ?? "")")
    }
  }

  /// The kinds and event types that the catalog doesn't contain, by name.
  ///
  /// The journal contains their events, but a snapshot shows none of their data.
  ///
  /// - Complexity: O(entities).
  package var unknownNames: [String] { fold.unknownNames }

  func isSingleton<R: Record>(_ type: R.Type) -> Bool {
    catalog.collection(kind: R.schema.kind)?.isSingleton ?? false
  }

  /// The value shown for a field of a row, or nil if there is none.
  package func shown(_ field: String, row: Int32) -> JSONValue? {
    guard let index = fold.fieldNames.find(StringSpelling.spelled(field.utf8)) else { return nil }
    let number = Int32(index)
    if let set = fold.findSet(row, number) {
      return .array(fold.sets.members(Int(set)).map { .string($0) })
    }
    let register = fold.findRegister(row, number)
    if register >= 0 {
      return fold.isShown(register: Int(register), ledger)
        ? fold.shownJSON(Int(register), ledger) : nil
    }
    return fold.findCounter(row, number).flatMap { fold.counters.shown(Int($0), ledger).json }
  }
}

extension Fold {
  /// The names of a row's contested fields, in no particular order.
  func contested(row: Int32) -> [String] {
    let first = rows[Int(row)]
    var names: [String] = []
    for (cell, field) in registers.cells.chain(from: first.firstRegister)
    where registers.isContested(cell) && findSet(row, field) == nil {
      names.append(fieldText(field))
    }
    for (cell, field) in counters.cells.chain(from: first.firstCounter)
    where counters.isContested(cell) {
      names.append(fieldText(field))
    }
    return names
  }
}

extension [String] {
  /// The elements, sorted by UTF-8 bytes like all output.
  fileprivate var sortedByBytes: [String] {
    sorted { $0.precedes($1) }
  }
}
