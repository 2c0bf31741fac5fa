import EventLog
import EventLogTesting

/// The reference's state as `project --json` must print it, written only from that command's
/// description.
extension ReferenceState {
  /// The whole object with all sections.
  var json: [UInt8] { json(without: []) }

  /// The whole object without the sections in `left`.
  func json(without left: Set<String>) -> [UInt8] {
    var members: Members = [
      ("completions", .array(completions)),
      ("conflicts", conflictList), ("contested", singletons("contested")),
      ("diet", object(shown("diet"))),
      ("eventCount", .number(JSONNumber(Int64(eventCount)))), ("foods", .array(foods)),
      ("frontier", .array(frontier.map { .string($0.description) })),
      ("habits", .array(habits)), ("meals", .array(meals)), ("profile", object(shown("profile"))),
      ("settings", object(shown("settings"))),
    ]
    let unreadable = singletons("unreadable")
    if unreadable != [:] { members.append(("unreadable", unreadable)) }
    if let user { members.append(("user", .string(user))) }
    return Array(object(members.filter { !left.contains($0.name) }).text.utf8)
  }

  private typealias Members = [(name: String, value: JSONValue)]

  private func object(_ members: Members) -> JSONValue {
    .object(
      JSONObject(
        members.sorted { Self.isBefore($0.name, $1.name) }
          .map { JSONObject.Member(name: $0.name, value: $0.value) }))
  }

  private static func isBefore(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private func list(_ names: [String]) -> JSONValue {
    .array(names.sorted(by: Self.isBefore).map { .string($0) })
  }

  // MARK: - Entities, days and singletons

  /// The fields of a row that have a value other than null.
  private func shown(_ row: Row) -> Members {
    row.fields.filter { $0.value.value != .null && !$0.value.isUnreadable }
      .map { ($0.name, $0.value.value) }
  }

  private func shown(_ name: String) -> Members {
    rows.first { $0.name == name }.map(shown) ?? []
  }

  /// The lists of contested and of unreadable fields.
  private func notes(_ row: Row) -> Members {
    var contested = row.fields.filter(\.value.isContested).map(\.name)
    if row.isContested, row.day == nil { contested.append("presence") }
    let unreadable = row.fields.filter(\.value.isUnreadable).map(\.name)
    return [("contested", contested), ("unreadable", unreadable)].filter { !$0.1.isEmpty }
      .map { ($0.0, list($0.1)) }
  }

  /// A list of the notes on singletons.
  private func singletons(_ list: String) -> JSONValue {
    object(
      rows.filter { $0.entity == nil }.flatMap { row in
        notes(row).filter { $0.name == list }.map { (row.name, $0.value) }
      })
  }

  private func isShown(_ row: Row) -> Bool { includesDeleted || !row.isHidden }

  private func deleted(_ row: Row) -> Members { row.isHidden ? [("deleted", true)] : [] }

  private func visible(_ kind: String) -> [Row] {
    rows.filter { $0.entity?.kind == kind && isShown($0) && $0.day == nil }
      .sorted { Self.isBefore($0.name, $1.name) }
  }

  private func days(_ kind: String) -> [Row] {
    rows.filter { $0.entity?.kind == kind && isShown($0) && $0.day != nil }.sorted {
      $0.entity == $1.entity
        ? $0.day! < $1.day! : Self.isBefore($0.entity!.key, $1.entity!.key)
    }
  }

  private var habits: [JSONValue] {
    visible("habit").map { row in
      var members = shown(row) + notes(row) + deleted(row)
      if !members.contains(where: { $0.name == "archived" }) { members.append(("archived", false)) }
      return object(members + [("id", .string(row.entity!.key))])
    }
  }

  private var foods: [JSONValue] {
    visible("food").map { row in
      object(
        notes(row) + deleted(row) + [
          ("id", .string(row.entity!.key)), ("fields", object(shown(row))),
        ])
    }
  }

  private var meals: [JSONValue] {
    visible("meal").map { row in
      let days = days("meal").filter { $0.entity == row.entity }.map { day in
        object(notes(day) + [("date", .string(day.day!)), ("fields", object(shown(day)))])
      }
      return object(
        notes(row) + deleted(row) + [
          ("id", .string(row.entity!.key)), ("fields", object(shown(row))),
          ("days", .array(days)),
        ])
    }
  }

  private var completions: [JSONValue] {
    visible("habit").flatMap { habit in
      let days = days("habit").filter { $0.entity == habit.entity }
      let completed = ReferenceCompletion(habit, days).completed
      return days.map { completion($0, isCompleted: completed.contains($0.day!)) }
    }
  }

  private func completion(_ row: Row, isCompleted: Bool) -> JSONValue {
    let members = shown(row) + notes(row)
    return object(
      members + [
        ("completed", .bool(isCompleted)), ("date", .string(row.day!)),
        ("habit", .string(row.entity!.key)),
      ])
  }

  // MARK: - Conflicts

  private var conflictList: JSONValue {
    let sorted = conflicts.map { ("\($0.row)#\($0.field)", $0) }
      .sorted { Self.isBefore($0.0, $1.0) }
    return .array(
      sorted.map { id, conflict in
        var members: Members = [
          ("id", .string(id)), ("entity", .string(conflict.row)),
          ("field", .string(conflict.field)), ("kind", .string(conflict.kind)),
          ("candidates", .array(conflict.candidates.sorted(by: isBefore).map(candidate))),
        ]
        if let base = conflict.base { members.append(("base", base)) }
        if let shown = conflict.shown { members.append(("shown", .string(shown.description))) }
        return object(members)
      })
  }

  private func isBefore(_ left: Reference.Candidate, _ right: Reference.Candidate) -> Bool {
    Self.isBefore(left.event.id.description, right.event.id.description)
  }

  private func candidate(_ candidate: Reference.Candidate) -> JSONValue {
    object([
      ("event", .string(candidate.event.id.description)),
      ("device", .string(candidate.event.id.device.text)),
      ("at", .string(candidate.event.at.description)), ("value", candidate.value),
    ])
  }
}
