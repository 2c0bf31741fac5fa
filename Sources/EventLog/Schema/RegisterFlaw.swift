/// The reasons why a field can't write the values of its property.
enum RegisterFlaw: Sendable {
  /// The property is a list that may contain `nil`, which list rules never accept.
  case optionalElements
  /// The value of a new record breaks the rule.
  case unwritableDefault(ValueRule)
  /// The property is a set whose elements are never written as text.
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
