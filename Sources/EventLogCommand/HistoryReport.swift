import EventLog
import EventLogInspection

/// Prints the writes of a field, as text or JSON.
struct HistoryReport {
  let history: FieldHistory
  let path: String
  /// Whether `--at` or `--as` selects a past state, whose conflicts may be resolved by now.
  let isPast: Bool
  let console: Console

  func printJSON() throws {
    let writes = history.writes.map { write in
      var members: [JSONObject.Member] = [
        .init(name: "event", value: .string(write.event.description)),
        .init(name: "device", value: .string(write.event.device.text)),
        .init(name: "at", value: .string(write.at.description)),
        .init(name: "type", value: .string(write.type)), .init(name: "value", value: write.value),
        .init(
          name: "replaced", value: .array(write.replaced.map { .string($0.description) })),
        .init(name: "state", value: .string(write.state.rawValue)),
      ]
      if write.action == .set {
        let absorbed = write.absorbed.map { JSONValue.string($0.description) }
        members.append(.init(name: "absorbed", value: .array(absorbed)))
      }
      return JSONValue.sorted(members)
    }
    try console.print(
      JSONValue.sorted([
        .init(name: "entity", value: .string(history.entity)),
        .init(name: "field", value: .string(history.field)),
        .init(name: "writes", value: .array(writes)),
      ]).text)
  }

  func print() throws {
    try console.print(
      console.styled("\(Visible.text(history.entity)) \(Visible.text(history.field))", .bold))
    var table = Table()
    for write in history.writes {
      table.add([
        console.styled(write.at.description, .dim), write.event.description, write.type,
        text(write), mark(write), predecessors(write),
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    try console.print(sentence)
  }

  private func text(_ write: FieldHistory.Write) -> String {
    let value = EntityTable.text(write.value)
    switch write.action {
    case .advanced: return value.hasPrefix("-") ? value : "+\(value)"
    case .set: return "=\(value)"
    case .included: return "+ \(value)"
    case .excluded: return "- \(value)"
    case .deleted, .restored, .created, .touched: return ""
    case .written: return value
    }
  }

  private func mark(_ write: FieldHistory.Write) -> String {
    switch write.state {
    case .shown: console.styled("shown", .green)
    case .contested: console.styled("contested", .yellow)
    case .replaced: console.styled("replaced", .dim)
    }
  }

  /// Returns the writes that a write replaced, and the increments that it absorbed.
  private func predecessors(_ write: FieldHistory.Write) -> String {
    let replaced = write.replaced.filter { !write.absorbed.contains($0) }
    var parts: [String] = []
    if !replaced.isEmpty { parts.append("after \(list(replaced))") }
    if !write.absorbed.isEmpty { parts.append("absorbed \(list(write.absorbed))") }
    return parts.joined(separator: ", ")
  }

  /// Returns the first four events, and the number of the others.
  private func list(_ events: [EventID]) -> String {
    let shown = events.prefix(4).map(\.description).joined(separator: ", ")
    return events.count > 4 ? "\(shown) and \(events.count - 4) more" : shown
  }

  // MARK: - The explanation

  private var shown: [FieldHistory.Write] { history.writes.filter { $0.state == .shown } }
  private var contested: [FieldHistory.Write] { history.writes.filter { $0.state == .contested } }

  private var sentence: String {
    if history.kind == .presence { return presence }
    if history.isDeleted {
      return "Not shown: \(Visible.text(history.entity)) is deleted."
    }
    switch history.kind {
    case .counter: return counter
    case .members: return members
    case .register, .presence: return register
    }
  }

  /// The command that resolves the conflict; empty for a past state.
  private var resolveHint: String {
    isPast
      ? ""
      : " eventlog conflicts \(ShellWord.path(path))\(ShellWord.contextOptions(console))"
        + " shows how to resolve it."
  }

  private var register: String {
    let value = "Shown: " + (history.shown.map { "\"\(EntityTable.text($0))\"" } ?? "no value")
    if !contested.isEmpty {
      let count = contested.count + shown.count
      return "\(value), the latest of \(count) concurrent writes.\(resolveHint)"
    }
    if shown.count > 1 {
      return "\(value); \(shown.count) concurrent writes agree on it."
    }
    return history.shown == nil
      ? "\(value); the last write removed it."
      : "\(value), the last write; nothing contests it."
  }

  private var counter: String {
    let counted = shown.filter { $0.action == .advanced }
    // If several sets agree, the latest one is shown.
    let agreeing = shown.last { $0.action == .set }
    // An import's total can be the same as the sum of increments, which it doesn't contain.
    let sumOfAll = counted.map { amount($0.value) }.reduce(.zero, +)
    let isSum =
      agreeing.map {
        !counted.isEmpty && history.shown == .number(sumOfAll.number)
          && amount($0.value) != .zero
      } ?? true
    let set = isSum ? nil : agreeing
    var parts: [String] = []
    if let set {
      parts.append("set to \(EntityTable.text(set.value)) by \(set.event)")
      if !set.absorbed.isEmpty {
        parts.append("which includes \(plural(set.absorbed.count, "earlier increment"))")
      }
    }
    if !counted.isEmpty || set == nil {
      let increments = plural(counted.count, "increment")
      parts.append(
        set == nil ? "the sum of \(increments)" : "plus \(increments) that it had not seen")
    }
    if isSum, let agreeing { parts.append("which is also the total of \(agreeing.event)") }
    let sum = ([set].compactMap(\.self) + counted).map { amount($0.value) }.reduce(.zero, +)
    let total = history.shown.map(EntityTable.text) ?? "no value"
    let sentence =
      "Shown: \(total), \(parts.joined(separator: ", "))"
      + (sum < .zero && history.shown != nil ? "; a negative total counts as 0." : ".")
    return contested.isEmpty
      ? sentence : "\(sentence) A concurrent write has another total.\(resolveHint)"
  }

  private func amount(_ value: JSONValue) -> Amount {
    if case .number(let number) = value { Amount(number) ?? .zero } else { .zero }
  }

  private var members: String {
    if case .array(let values)? = history.shown, !values.isEmpty {
      return
        "Shown: \(EntityTable.text(.array(values))); each was added, and no write that had seen the"
        + " addition removed it."
    }
    return history.writes.contains { $0.action == .included && $0.value != .array([]) }
      ? "The set is empty: each member was removed after it was added."
      : "The set is empty: nothing was ever added."
  }

  private var presence: String {
    if history.isDeleted { return "It is deleted and has not been restored." }
    return contested.isEmpty
      ? "It is present."
      : "It is present although it was deleted: the contested writes were concurrent."
        + resolveHint
  }
}
