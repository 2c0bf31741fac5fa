/// Why a field cannot write what its property may hold.
enum RegisterFlaw: Sendable {
  /// The property is a list that may hold `nil`, which the rule of a list never accepts.
  case optionalElements
  /// The value of a new record breaks the rule.
  case unwritableDefault(ValueRule)
  /// The property is a set of elements of a type that is never spelled as text.
  case membersWithoutText(String)

  /// Whether a type is an array of optional values, possibly within other arrays.
  static func hasOptionalElements(_ type: Any.Type) -> Bool {
    guard let list = type as? any ListType.Type else { return false }
    return list.element is any OptionalType.Type || hasOptionalElements(list.element)
  }
}

private protocol ListType {
  static var element: Any.Type { get }
}

extension Array: ListType {
  fileprivate static var element: Any.Type { Element.self }
}

private protocol OptionalType {}

extension Optional: OptionalType {}

extension ValueRule {
  /// Whether it is the rule of a list.
  var isList: Bool { if case .list = self { true } else { false } }
}
