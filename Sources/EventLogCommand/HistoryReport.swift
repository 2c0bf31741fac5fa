import EventLog

/// The writes of a field as a person or a program reads them.
struct HistoryReport {
  let history: FieldHistory
  let path: String
  let console: Console

  func printJSON() throws {
    let writes = history.writes.map { write in
      JSONValue.sorted([
        .init(name: "event", value: .string(write.event.description)),
        .init(name: "device", value: .string(write.event.device.text)),
        .init(name: "at", value: .string(write.at.description)),
        .init(name: "type", value: .string(write.type)), .init(name: "value", value: write.value),
        .init(
          name: "replaced", value: .array(write.replaced.map { .string($0.description) })),
        .init(name: "state", value: .string(write.state.rawValue)),
      ])
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
      console.styled("\(Table.cell(history.entity)) \(Table.cell(history.field))", .bold))
    var table = Table()
    for write in history.writes {
      table.add([
        console.styled(write.at.description, .dim), write.event.description, write.type,
        text(write), mark(write), after(write),
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

  private func after(_ write: FieldHistory.Write) -> String {
    write.replaced.isEmpty
      ? "" : "after \(write.replaced.map(\.description).joined(separator: ", "))"
  }

  // MARK: - Why it shows

  private var contested: [FieldHistory.Write] { history.writes.filter { $0.state == .contested } }

  private var sentence: String {
    if history.isDeleted {
      return "It does not show: \(Table.cell(history.entity)) is deleted."
    }
    switch history.kind {
    case .register: return register
    case .counter: return counter
    case .members: return members
    case .presence: return presence
    }
  }

  /// What to do about writes that did not know of each other.
  private var settle: String { "eventlog conflicts \(Table.cell(path)) shows how to settle it." }

  private var register: String {
    let value = history.shown.map { "\"\(EntityTable.text($0))\" shows" } ?? "Nothing shows"
    if contested.isEmpty {
      return "\(value): the last write, and nothing contests it."
    }
    let count = contested.count + history.writes.filter { $0.state == .shown }.count
    return "\(value): the latest of \(count) writes that did not know of each other. \(settle)"
  }

  private var counter: String {
    let total = history.shown.map(EntityTable.text) ?? "0"
    let counted = history.writes.filter { $0.state == .shown && $0.action == .advanced }
    let set = history.writes.last { $0.state == .shown && $0.action == .set }
    let absorbed = history.writes.filter { $0.state == .replaced && $0.action == .advanced }
    var parts: [String] = []
    if let set {
      parts.append("set to \(EntityTable.text(set.value)) by \(set.event)")
      if !absorbed.isEmpty {
        parts.append("which had seen \(plural(absorbed.count, "increment")) before it")
      }
    }
    if !counted.isEmpty || set == nil {
      let words = plural(counted.count, "increment")
      parts.append(set == nil ? "the sum of \(words)" : "and \(words) that it had not seen")
    }
    let sentence = "\(total) shows: \(parts.joined(separator: ", "))."
    return contested.isEmpty ? sentence : "\(sentence) Another total contests it. \(settle)"
  }

  private var members: String {
    guard case .array(let values)? = history.shown, !values.isEmpty else {
      return "The set is empty: each member was taken out after it was taken in."
    }
    return "\(EntityTable.text(.array(values))): taken in, and not taken out by anyone who knew it."
  }

  private var presence: String {
    contested.isEmpty
      ? "It is there."
      : "It is there although it was deleted: what is contested did not know of each other."
        + " \(settle)"
  }
}
