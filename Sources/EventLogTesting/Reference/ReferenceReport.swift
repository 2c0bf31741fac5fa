package import EventLog

/// The text of a state's facts, one per line, so that two states can be compared line by line.
package enum Report {
  package static func entity(_ id: String, isDeleted: Bool, isContested: Bool) -> String {
    "\(id)\(isDeleted ? " is deleted" : " exists")\(isContested ? ", contested" : "")"
  }

  package static func day(_ row: String) -> String { "\(row) exists" }

  package static func field(
    _ row: String, _ name: String, _ value: JSONValue, isContested: Bool, isUnreadable: Bool
  ) -> String {
    "\(row) \(ReferenceValue.plain(name)) = \(ReferenceValue.plain(value.text))"
      + (isContested ? ", contested" : "") + (isUnreadable ? ", unreadable" : "")
  }

  package static func entry(
    _ row: String, _ name: String, from day: String, _ value: JSONValue
  ) -> String {
    "\(row) \(ReferenceValue.plain(name)) from \(day.isEmpty ? "the beginning" : day)"
      + " = \(ReferenceValue.plain(value.text))"
  }

  package static func conflict(
    _ entity: String, _ field: String, _ kind: String, base: JSONValue?, shown: EventID?,
    _ candidates: [(id: EventID, at: Timestamp, value: JSONValue)]
  ) -> String {
    let all = candidates.map { "\($0.id) at \($0.at): \($0.value.text)" }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return ReferenceValue.plain(
      "conflict \(entity)#\(field) (\(kind)), base \(base?.text ?? "absent"),"
        + " shown \(shown?.description ?? "none"): \(all.joined(separator: "; "))")
  }
}
