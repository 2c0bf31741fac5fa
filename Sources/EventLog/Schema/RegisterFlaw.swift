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
    return list.wrapped is any OptionalType.Type || hasOptionalElements(list.wrapped)
  }
}

/// The texts of an enum's cases.
enum CaseTexts {
  /// The texts of the cases of a type, of its elements, or of what it wraps; empty for a type
  /// without cases, or if one of them is spelled as something else.
  static func of(_ type: Any.Type) -> [String] {
    if let wrapper = type as? any WrapperType.Type { return of(wrapper.wrapped) }
    return (type as? any CaseIterable.Type).map { texts($0) } ?? []
  }

  private static func texts<Cases: CaseIterable>(_ type: Cases.Type) -> [String] {
    let values = type.allCases.map { ($0 as? any JSONConvertible)?.json }
    let texts = values.compactMap { if case .string(let text)? = $0 { text } else { nil } }
    return texts.count == values.count ? texts : []
  }
}

private protocol WrapperType {
  static var wrapped: Any.Type { get }
}

private protocol ListType: WrapperType {}

extension Array: ListType {
  fileprivate static var wrapped: Any.Type { Element.self }
}

private protocol OptionalType: WrapperType {}

extension Optional: OptionalType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}

extension ValueRule {
  /// Whether it is the rule of a list.
  var isList: Bool { if case .list = self { true } else { false } }
}
