/// Reads one object of a schema or layout file, whose members must all be known and valid.
package struct SchemaReader {
  package let object: JSONObject
  /// The position in the file, for messages: `collections[0] "food"`.
  package let position: String

  /// Throws `invalidSchema` if `value` isn't an object, or has a member that isn't in `names`.
  package init(
    _ value: JSONValue, at position: String, taking names: [String]
  ) throws(EventLogError) {
    guard case .object(let object) = value else {
      throw Self.refused(position, "is not an object")
    }
    self.object = object
    self.position = position
    for member in object.members where !names.contains(member.name) {
      throw Self.refused(
        position, "has an unknown member \"\(member.name)\"",
        hint: Suggestion.nearest(to: member.name, among: names).map { "Did you mean \"\($0)\"?" }
          ?? "Known members are \(names.joined(separator: ", ")).")
    }
  }

  package static func refused(_ position: String, _ reason: String, hint: String? = nil)
    -> EventLogError
  {
    EventLogError(.invalidSchema, "\(position) \(reason).", hint: hint)
  }

  package func refused(_ reason: String, hint: String? = nil) -> EventLogError {
    Self.refused(position, reason, hint: hint)
  }

  // MARK: - Members

  package func text(_ name: String) throws(EventLogError) -> String? {
    switch object[name] {
    case nil: return nil
    case .string(let text)?: return text
    default: throw refused("needs text for \"\(name)\"")
    }
  }

  package func neededText(_ name: String) throws(EventLogError) -> String {
    guard let text = try text(name) else { throw refused("is missing \"\(name)\"") }
    return text
  }

  /// False if absent.
  package func flag(_ name: String) throws(EventLogError) -> Bool {
    switch object[name] {
    case nil: return false
    case .bool(let flag)?: return flag
    default: throw refused("needs true or false for \"\(name)\"")
    }
  }

  /// Empty if absent.
  package func members(_ name: String) throws(EventLogError) -> [JSONObject.Member] {
    switch object[name] {
    case nil: return []
    case .object(let object)?: return object.members
    default: throw refused("needs an object for \"\(name)\"")
    }
  }

  /// Nil if absent.
  package func list(_ name: String) throws(EventLogError) -> [JSONValue]? {
    switch object[name] {
    case nil: return nil
    case .array(let values)?: return values
    default: throw refused("needs an array for \"\(name)\"")
    }
  }
}
