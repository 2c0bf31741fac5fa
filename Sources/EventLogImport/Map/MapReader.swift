import EventLog

/// Reads an object of a map and refuses unknown members and invalid values.
struct MapReader {
  let object: JSONObject
  /// The position in the map, for errors: `tables[0].fields.goal`.
  let position: String

  init(_ value: JSONValue, at position: String, taking names: [String]) throws(EventLogError) {
    guard case .object(let object) = value else { throw Self.refused(position, "is not an object") }
    self.object = object
    self.position = position
    for member in object.members where !names.contains(member.name) {
      throw refused(
        "has an unknown member \"\(member.name)\"",
        hint: Suggestion.nearest(to: member.name, among: names).map { "Did you mean \"\($0)\"?" }
          ?? "Known members are \(names.joined(separator: ", ")).")
    }
  }

  static func refused(_ position: String, _ reason: String, hint: String? = nil) -> EventLogError {
    .cannotImport(
      (position.isEmpty ? "The map" : "The map's \(position)") + " \(reason).", hint: hint)
  }

  func refused(_ reason: String, hint: String? = nil) -> EventLogError {
    Self.refused(position, reason, hint: hint)
  }

  /// Returns the position of a member.
  func inside(_ name: String) -> String { position.isEmpty ? name : "\(position).\(name)" }

  // MARK: - Members

  func has(_ name: String) -> Bool { object[name] != nil }

  func text(_ name: String) throws(EventLogError) -> String? {
    switch object[name] {
    case nil: return nil
    case .string(let text)?: return text
    default: throw refused("needs text for \"\(name)\"")
    }
  }

  func neededText(_ name: String) throws(EventLogError) -> String {
    guard let text = try text(name) else { throw refused("is missing \"\(name)\"") }
    return text
  }

  func flag(_ name: String) throws(EventLogError) -> Bool {
    switch object[name] {
    case nil: return false
    case .bool(let flag)?: return flag
    default: throw refused("needs true or false for \"\(name)\"")
    }
  }

  /// Returns the texts of a member, which may also be a single text; empty if it's absent.
  func texts(_ name: String) throws(EventLogError) -> [String] {
    switch object[name] {
    case nil: return []
    case .string(let text)?: return [text]
    case .array(let values)?:
      var texts: [String] = []
      for value in values {
        guard case .string(let text) = value else {
          throw refused("needs an array of texts for \"\(name)\"")
        }
        texts.append(text)
      }
      return texts
    default: throw refused("needs text, or an array of texts, for \"\(name)\"")
    }
  }

  /// Returns the members of an object; empty if it's absent.
  func members(_ name: String) throws(EventLogError) -> [JSONObject.Member] {
    switch object[name] {
    case nil: return []
    case .object(let object)?: return object.members
    default: throw refused("needs an object for \"\(name)\"")
    }
  }

  /// Returns the values of an array; empty if it's absent.
  func list(_ name: String) throws(EventLogError) -> [JSONValue] {
    switch object[name] {
    case nil: return []
    case .array(let values)?: return values
    default: throw refused("needs an array for \"\(name)\"")
    }
  }

  /// Returns a word of an enum, or nil if it's absent.
  func word<Word: RawRepresentable & CaseIterable>(
    _ name: String, _ type: Word.Type
  ) throws(EventLogError) -> Word? where Word.RawValue == String {
    guard let text = try text(name) else { return nil }
    if let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue)
    throw refused(
      "has an unknown \"\(name)\", \"\(text)\"",
      hint: Suggestion.nearest(to: text, among: words).map { "Did you mean \"\($0)\"?" }
        ?? "It is one of \(words.joined(separator: ", ")).")
  }
}
