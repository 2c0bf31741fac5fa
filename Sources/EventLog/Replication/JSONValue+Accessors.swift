extension JSONValue {
  package var plainText: String? { if case .string(let text) = self { text } else { nil } }
  package var integer: Int64? { if case .number(let number) = self { number.integer } else { nil } }

  /// The elements of an array, or nil if the value isn't an array or an element is invalid.
  package func list<Element>(_ element: (JSONValue) -> Element?) -> [Element]? {
    guard case .array(let values) = self else { return nil }
    let elements = values.compactMap(element)
    return elements.count == values.count ? elements : nil
  }
}
