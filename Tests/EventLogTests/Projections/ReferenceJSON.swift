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
      ("completions", .array(days("habit").map(completion))),
      ("conflicts", conflictList), ("contested", contestedSingletons),
      ("diet", object(shown("diet"))),
      ("eventCount", .number(JSONNumber(Int64(eventCount)))), ("foods", .array(foods)),
      ("frontier", .array(frontier.map { .string($0.description) })),
      ("habits", .array(habits)), ("meals", .array(meals)), ("profile", object(shown("profile"))),
      ("settings", object(shown("settings"))),
    ]
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
  private func shown(_ place: Place) -> Members {
    place.fields.filter { $0.value != .null }.map { ($0.name, $0.value) }
  }

  private func shown(_ name: String) -> Members {
    places.first { $0.name == name }.map(shown) ?? []
  }

  private func contested(_ place: Place) -> Members {
    var names = place.fields.filter(\.isContested).map(\.name)
    if place.isContested, place.day == nil { names.append("presence") }
    return names.isEmpty ? [] : [("contested", list(names))]
  }

  private var contestedSingletons: JSONValue {
    object(
      places.filter { $0.entity == nil }.flatMap { place in
        contested(place).map { (place.name, $0.value) }
      })
  }

  private func isShown(_ place: Place) -> Bool { includesDeleted || !place.isHidden }

  private func deleted(_ place: Place) -> Members { place.isHidden ? [("deleted", true)] : [] }

  private func visible(_ kind: String) -> [Place] {
    places.filter { $0.entity?.kind == kind && isShown($0) && $0.day == nil }
      .sorted { Self.isBefore($0.name, $1.name) }
  }

  private func days(_ kind: String) -> [Place] {
    places.filter { $0.entity?.kind == kind && isShown($0) && $0.day != nil }.sorted {
      $0.entity == $1.entity
        ? $0.day! < $1.day! : Self.isBefore($0.entity!.key, $1.entity!.key)
    }
  }

  private var habits: [JSONValue] {
    visible("habit").map { place in
      var members = shown(place) + contested(place) + deleted(place)
      if !members.contains(where: { $0.name == "archived" }) { members.append(("archived", false)) }
      return object(members + [("id", .string(place.entity!.key))])
    }
  }

  private var foods: [JSONValue] {
    visible("food").map { place in
      object(
        contested(place) + deleted(place) + [
          ("id", .string(place.entity!.key)), ("fields", object(shown(place))),
        ])
    }
  }

  private var meals: [JSONValue] {
    visible("meal").map { place in
      let days = days("meal").filter { $0.entity == place.entity }.map { day in
        object(contested(day) + [("date", .string(day.day!)), ("fields", object(shown(day)))])
      }
      return object(
        contested(place) + deleted(place) + [
          ("id", .string(place.entity!.key)), ("fields", object(shown(place))),
          ("days", .array(days)),
        ])
    }
  }

  private func completion(_ place: Place) -> JSONValue {
    var members = shown(place) + contested(place)
    let goal = shown(place.entity!.description).first { $0.name == "goal" }
    let progress = members.first { $0.name == "progress" }
    if progress == nil { members.append(("progress", 0)) }
    let isCompleted =
      ReferenceValue.integer(progress?.value ?? 0)!
      >= ReferenceValue.integer(goal?.value ?? 1)!
    return object(
      members + [
        ("completed", .bool(isCompleted)), ("date", .string(place.day!)),
        ("habit", .string(place.entity!.key)),
      ])
  }

  // MARK: - Conflicts

  private var conflictList: JSONValue {
    let sorted = conflicts.map { ("\($0.place)#\($0.field)", $0) }
      .sorted { Self.isBefore($0.0, $1.0) }
    return .array(
      sorted.map { id, conflict in
        var members: Members = [
          ("id", .string(id)), ("entity", .string(conflict.place)),
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
