import EventLog

extension FieldSchema {
  /// Checks a typed value.
  ///
  /// Returns the required form, to complete "must be", and a hint; nil if the value is valid.
  ///
  /// The store accepts more: a later version may have cases that aren't declared here.
  func refusal(of value: JSONValue) -> (phrase: String, hint: String)? {
    let values = if case .array(let elements) = value { elements } else { [value] }
    if mechanism == .members, !values.allSatisfy(memberRule.accepts) {
      return (ValueRule.list(of: memberRule).phrase, memberRule.advice)
    }
    guard !cases.isEmpty, let wrong = values.first(where: { !isCase($0) }) else { return nil }
    var near: String?
    if case .string(let text) = wrong { near = Suggestion.nearest(to: text, among: cases) }
    let hint = near.map { "Did you mean \"\($0)\"?" } ?? "Use one of them."
    return (phrase(.text), hint)
  }

  /// Returns the form that a typed value must have, to complete "must be".
  func phrase(_ rule: ValueRule) -> String {
    if cases.isEmpty { return rule.phrase }
    return "one of \(cases.joined(separator: ", "))"
  }

  private func isCase(_ value: JSONValue) -> Bool {
    guard case .string(let text) = value else { return value == .null }
    return cases.contains { $0.hasBytes(of: text) }
  }
}

extension CollectionSchema {
  /// Returns the declared field that a member of an event's data writes, or nil if there is none.
  ///
  /// - Parameter data: The event's data, which names the set that its members belong to.
  func field(writtenBy member: String, of event: EventSchema, in data: JSONObject) -> FieldSchema? {
    func find(_ name: String) -> FieldSchema? { field(name) ?? field(name, ofDay: true) }
    switch event.member(member)?.role {
    case .write(let name)?: return find(name)
    case .include?, .exclude?:
      let key = event.members.first { $0.role == .key }?.name
      guard let key, case .string(let name)? = data[key] else { return nil }
      return find(name)
    case nil where event.writesFields: return field(member)
    default: return nil
    }
  }
}
