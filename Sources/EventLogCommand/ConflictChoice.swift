import EventLog
import EventLogImport

/// The choice for one conflict, from the command line.
struct ConflictChoice {
  enum Kind {
    case take(EventID)
    case value(JSONValue)
  }

  let id: String
  let kind: Kind
  private let over: [EventID]?

  init(_ arguments: Arguments) throws(EventLogError) {
    guard arguments.operands.count > 1 else {
      throw .usage(
        "eventlog resolve needs the ID of a conflict.", "resolve",
        hint: "eventlog conflicts \(Self.journal(arguments)) lists them.")
    }
    id = arguments.operands[1]
    switch (arguments["take"], arguments["value"]) {
    case (let text?, nil): kind = .take(try Self.event(text, "take", arguments))
    case (nil, let text?):
      guard let value = try? JSONValue(parsing: text.utf8) else {
        throw EventLogError(
          invalidInput: "--value is not JSON. Nothing was written.",
          hint: "JSON text needs quotes: --value '\"text\"'.")
      }
      kind = .value(value.composed)
    default:
      throw .usage(
        "eventlog resolve takes either --take EVENT-ID or --value JSON.", "resolve")
    }
    var events: [EventID] = []
    for text in arguments["over"]?.split(separator: ",") ?? [] {
      events.append(try Self.event(String(text), "over", arguments))
    }
    over = arguments.has("over") ? events : nil
  }

  /// Returns the value that would resolve the conflict.
  func resolution(_ conflict: Conflict) throws(EventLogError) -> ResolvePlan.Resolution {
    switch kind {
    case .value(let value): return .init(conflict: conflict, event: nil, value: value)
    case .take(let event):
      guard let candidate = conflict.candidates.first(where: { $0.isMeant(by: event) }) else {
        throw EventLogError(
          .noConflict, "\(event) is not a candidate of \"\(id)\". Nothing was written.",
          hint: "Its candidates are "
            + conflict.candidates.map(\.event.description).joined(separator: ", ") + ".")
      }
      return .init(conflict: conflict, event: candidate.event, value: candidate.value)
    }
  }

  private static func journal(_ arguments: Arguments) -> String {
    (arguments.operands.first.map(ShellWord.path) ?? "JOURNAL")
      + ShellWord.contextOptions(arguments)
  }

  private static func event(
    _ text: String, _ option: String, _ arguments: Arguments
  ) throws(EventLogError) -> EventID {
    guard let event = EventID(text) else {
      throw .usage(
        "--\(option) takes an event ID, <device>:<number>; \"\(Visible.text(text))\" is not one.",
        "resolve",
        hint: "eventlog conflicts \(journal(arguments)) shows the event IDs of the candidates.")
    }
    return event
  }

  /// Returns the conflict, with only the candidates that the user has seen if `--over` is given.
  func conflict(in snapshot: Snapshot) throws(EventLogError) -> Conflict {
    let conflict = snapshot.conflicts.first { $0.id.hasBytes(of: id) }
    guard let conflict else {
      try checkIsDeclared(in: snapshot)
      // If the ID's field exists, it's no typo, and a suggestion could make the user resolve the
      // wrong conflict.
      let near =
        snapshot.holds(id)
        ? nil : Suggestion.nearest(to: id, among: snapshot.conflicts.map(\.id))
      throw EventLogError(
        .noConflict,
        "There is no conflict \"\(id)\"; it may be resolved already. Nothing was written.",
        hint: near.map { "Did you mean \($0)?" })
    }
    var named = over ?? []
    if case .take(let event) = kind { named.append(event) }
    for event in named { try check(event, in: conflict) }
    return over == nil ? conflict : conflict.among(Set(named))
  }

  /// - Throws: `noConflict` if the conflict's collection isn't declared.
  private func checkIsDeclared(in snapshot: Snapshot) throws(EventLogError) {
    let kind = String(id.prefix { !"/@#".contains($0) })
    guard snapshot.unknownNames.contains(kind) else { return }
    throw EventLogError(
      .noConflict,
      "eventlog does not know the collection \"\(kind)\", so it cannot tell whether there is a"
        + " conflict \"\(id)\". Nothing was written.",
      hint: "Pass --schema FILE, which declares it.")
  }

  /// - Throws: `noConflict` if an ID matches two candidates.
  private func check(_ event: EventID, in conflict: Conflict) throws(EventLogError) {
    let meant = conflict.candidates.filter { $0.isMeant(by: event) }.map(\.fullID.description)
    guard meant.count > 1 else { return }
    throw EventLogError(
      .noConflict,
      "\(event) refers to \(meant.count) candidates of \"\(id)\". Nothing was written.",
      hint: "Use one of \(meant.joined(separator: ", ")).")
  }
}

extension Snapshot {
  /// Whether the field in a conflict's ID exists.
  fileprivate func holds(_ conflict: String) -> Bool {
    let parts = conflict.split(separator: "#", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return false }
    let (entityText, field) = (parts[0].prefix { $0 != "@" }, parts[1])
    guard let id = EntityID(String(entityText)) else {
      return singleton(String(entityText)).contains { $0.name.hasBytes(of: field) }
    }
    guard let entity = entity(id) else { return false }
    let fields = entity.fields.map(\.name) + entity.days.flatMap { $0.fields.map(\.name) }
    return field == "presence" || fields.contains { $0.hasBytes(of: field) }
  }
}
