extension ValueRule {
  /// The hint for a value that breaks the rule.
  package var advice: String {
    switch self {
    case .any: "Use any JSON value."
    case .text: "Use a string, such as \(example.text)."
    case .number, .quantity, .amount: "Use a number, such as \(example.text)."
    case .integer: "Use a whole number, such as \(example.text)."
    case .boolean: "Use true or false."
    case .date: "Use a real date, such as 2026-01-28."
    case .schedule: "For three times in seven days, use 3/7."
    case .time: "Use a time such as 2026-01-28T09:12:33Z."
    case .entity(let kind): "Use the ID of an entity, such as \(kind)/k3f9a2xq."
    case .attachment: "Name a file: FIELD=@PATH."
    case .list: "Use a JSON array, such as \(example.text)."
    }
  }

  /// A value that follows the rule.
  package var example: JSONValue {
    switch self {
    case .any, .text: "text"
    case .number, .quantity, .amount: .number(JSONNumber(trusted: "2.5"))
    case .integer(let bounds):
      .number(JSONNumber(min(max(1, bounds.lowerBound), bounds.upperBound)))
    case .boolean: true
    case .date: "2026-01-28"
    case .schedule: "3/7"
    case .time: "2026-01-28T09:12:33Z"
    case .entity(let kind): .string("\(kind)/k3f9a2xq")
    case .attachment:
      ["sha256": .string(String(repeating: "0", count: 64)), "bytes": 0, "type": "image/jpeg"]
    case .list(let rule): .array([rule.example])
    }
  }
}
