import EventLog
import EventLogUndo

/// The values to write again before the events that they come from are erased.
///
/// A counter is the sum of its events, and a set consists of its inclusions. So their events are
/// past only once a later one states the whole. An event that is invalid without a required member
/// is erased as a whole, and so loses its other fields.
struct Restatement {
  private let state: Snapshot
  private let place: String
  private let path: String
  private var changes: [FieldChange] = []
  private(set) var fields: [String] = []

  init(_ state: Snapshot, in place: String, path: String) {
    (self.state, self.place, self.path) = (state, place, path)
  }

  /// - Throws: `invalidInput` if the field is contested, has values of several days, or has a
  ///   total that can't be assigned.
  mutating func add(_ field: String) throws(EventLogError) {
    if fields.contains(where: { $0.hasBytes(of: field) }) { return }
    if state.isContested(field, in: place) {
      throw refused(
        field, "is in conflict, and would be erased, too", hint: "Resolve the conflict first.")
    }
    if state.isDated(field, in: place) {
      throw refused(
        field, "has values of several days, which would be erased, too",
        hint: "Erase the whole entity instead.")
    }
    if state.isSet(field, in: place) {
      let parts = Self.parts(state.members(of: field, in: place))
      changes += parts.map { .include(field: field, $0) }
    } else if state.isCounter(field, in: place) {
      let total = state.total(of: field, in: place)
      guard total != .unreadable, Amount.totals.contains(total.amount ?? .zero) else {
        throw refused(
          field, "has a total that can't be assigned", hint: "Erase the whole entity instead.")
      }
      changes.append(.set(field: field, total.amount))
    } else {
      changes.append(.write(field: field, state.value(of: field, in: place)))
    }
    fields.append(field)
  }

  /// The number of bytes of an event's members, which may become six times as many when escaped.
  private static let memberBytesMax = 1 << 17

  /// Divides the members of a set, so that each part fits into an event; an empty set has one part.
  private static func parts(_ members: [String]) -> [[String]] {
    var (parts, byteCount): ([[String]], Int) = ([[]], 0)
    for member in members {
      byteCount += member.utf8.count + 3
      if byteCount > memberBytesMax, parts[parts.count - 1] != [] {
        parts.append([])
        byteCount = member.utf8.count + 3
      }
      parts[parts.count - 1].append(member)
    }
    return parts
  }

  /// The events that write the values.
  ///
  /// - Throws: `invalidInput` if no type can.
  func drafts() throws(EventLogError) -> [EventDraft] {
    guard !changes.isEmpty, let row = state.row(at: place) else { return [] }
    let (fold, stored) = (state.fold, state.fold.rows[Int(row)])
    do throws(EventLogError) {
      return try fold.catalog.events(
        for: changes, kind: fold.catalog.collections[fold.collection(ofRow: row)].kind,
        entity: stored.entity < 0 ? nil : EntityID(fold.entityNames.text(Int(stored.entity))),
        day: stored.day == Fold.Row.noDay ? nil : Day(number: stored.day))
    } catch {
      throw refused(
        fields.joined(separator: ", "), "would have to be written again, which no event type can",
        hint: "Erase the whole entity instead.")
    }
  }

  private func refused(_ field: String, _ what: String, hint: String) -> EventLogError {
    EventLogError(
      .invalidInput, "\"\(field)\" of \"\(place)\" \(what). Nothing was erased.", hint: hint,
      at: .init(file: path))
  }
}

extension Snapshot {
  /// Whether a field is in conflict.
  func isContested(_ field: String, in place: String) -> Bool {
    conflicts.contains { $0.entity.hasBytes(of: place) && $0.field.hasBytes(of: field) }
  }

  /// Whether all members that an event added to a set are still in it because of this event.
  func shows(
    _ members: [String], of field: String, in place: String, from event: FullEventID
  ) -> Bool {
    guard let row = row(at: place), let number = fieldNumber(field),
      let set = fold.findSet(row, number), let point = ledger.locate(event)
    else { return false }
    return members.allSatisfy { member in
      fold.sets.inclusions(of: member, in: Int(set)).contains { $0.point == point }
    }
  }

  /// Whether a field keeps its values for earlier days.
  func isDated(_ field: String, in place: String) -> Bool {
    guard let row = row(at: place) else { return false }
    let collection = fold.catalog.collections[fold.collection(ofRow: row)]
    let isOfDay = fold.rows[Int(row)].day != Fold.Row.noDay
    return collection.field(field, ofDay: isOfDay)?.isDated == true
  }
}
