import EventLog

/// Text with names in braces: `{key}_{user}_{email}`.
///
/// Read, it takes a name apart; filled in, it makes one.
struct NamePattern: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case literal(String)
    case name(String)
  }

  let parts: [Part]

  /// Nil for a brace without its other half, an empty name, and two names with nothing between.
  init?(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      if open > rest.startIndex { parts.append(.literal(String(rest[..<open]))) }
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
      let name = rest[rest.index(after: open)..<close]
      if name.isEmpty || name.contains("{") { return nil }
      parts.append(.name(String(name)))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    self.parts = parts
  }

  var names: [String] {
    parts.compactMap { if case .name(let name) = $0 { name } else { nil } }
  }

  /// The pattern with some of its names filled in.
  func filling(_ values: [String: String]) -> NamePattern {
    var merged: [Part] = []
    for part in parts {
      var part = part
      if case .name(let name) = part, let value = values[name] { part = .literal(value) }
      if case .literal(let last)? = merged.last, case .literal(let next) = part {
        merged[merged.count - 1] = .literal(last + next)
      } else {
        merged.append(part)
      }
    }
    return NamePattern(parts: merged)
  }

  private init(parts: [Part]) { self.parts = parts }

  /// What the names stand for in `text`, each as little as fits; nil where it does not.
  ///
  /// A name stands for at least one character, and for none of those in `without`.
  func match(_ text: String, without forbidden: Character? = nil) -> [String: String]? {
    Self.match(parts[...], text[...], forbidden)
  }

  private static func match(
    _ parts: ArraySlice<Part>, _ text: Substring, _ forbidden: Character?
  ) -> [String: String]? {
    guard let part = parts.first else { return text.isEmpty ? [:] : nil }
    switch part {
    case .literal(let literal):
      guard text.utf8.starts(with: literal.utf8) else { return nil }
      return match(parts.dropFirst(), text.dropFirst(literal.count), forbidden)
    case .name(let name):
      if parts.count == 1 {
        guard !text.isEmpty, forbidden.map({ !text.contains($0) }) ?? true else { return nil }
        return [name: String(text)]
      }
      var end = text.startIndex
      while end < text.endIndex {
        if text[end] == forbidden { return nil }
        end = text.index(after: end)
        guard var rest = match(parts.dropFirst(), text[end...], forbidden) else { continue }
        rest[name] = String(text[..<end])
        return rest
      }
      return nil
    }
  }

  /// The text with all names filled in; the first name that is not there, if one is not.
  func text(_ value: (String) -> String?) -> Result<String, MissingName> {
    var text = ""
    for part in parts {
      switch part {
      case .literal(let literal): text += literal
      case .name(let name):
        guard let value = value(name) else { return .failure(MissingName(name: name)) }
        text += value
      }
    }
    return .success(text)
  }

  struct MissingName: Error {
    var name: String
  }
}

/// A pattern of file names or keys in which `*` stands for any text.
struct Wildcard: Sendable, Hashable {
  private let parts: [[UInt8]]

  init(_ text: String) {
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map { Array($0) }
  }

  func matches(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.starts(with: parts[0]) else { return false }
    if parts.count == 1 { return bytes.count == parts[0].count }
    var index = parts[0].count
    for part in parts[1..<(parts.count - 1)] {
      while index + part.count <= bytes.count, !bytes[index...].starts(with: part) { index += 1 }
      index += part.count
      if index > bytes.count { return false }
    }
    let last = parts[parts.count - 1]
    return bytes.count - index >= last.count && bytes.suffix(last.count).elementsEqual(last)
  }
}
