/// The hint for members of a set that aren't text.
enum MemberText {
  static let hint =
    "Use elements whose JSON is a string, such as String, ID, or an enum with String raw values."
    + " For other elements, declare an array as a register."
}

extension JSONConvertible {
  /// The text of a member of a set.
  ///
  /// - Throws: `invalidEvent` if its JSON isn't a string.
  func memberText() throws(EventLogError) -> String {
    if case .string(let text) = json { return text }
    throw EventLogError(
      .invalidEvent, "A member of a set must be encoded as text. Nothing was written.",
      hint: MemberText.hint)
  }
}

extension ValueRule {
  /// Whether the rule accepts any text.
  var acceptsSomeText: Bool {
    switch self {
    case .any, .text, .date, .schedule, .time, .entity: true
    case .number, .quantity, .amount, .integer, .boolean, .attachment, .list: false
    }
  }
}
