import EventLog

/// Text with names in braces: `{key}_{user}_{email}`.
///
/// A pattern parses a text into its names, and formats a text from them.
struct NamePattern: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case literal(String)
    case name(String)
  }

  let parts: [Part]

  /// Returns nil if a brace has no counterpart, or a name is empty.
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

  /// Returns the literal that directly follows a name, or nil if none does.
  func separator(after name: String) -> String? {
    guard let index = parts.firstIndex(of: .name(name)), index + 1 < parts.count,
      case .literal(let text) = parts[index + 1]
    else { return nil }
    return text
  }

  /// Returns the name that comes next after another one, or nil if it's the last.
  func nameFollowing(_ name: String) -> String? {
    names.firstIndex(of: name).flatMap { $0 + 1 < names.count ? names[$0 + 1] : nil }
  }

  /// Returns the pattern with the given names replaced by their values.
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

  /// Matches the whole text.
  ///
  /// Returns the value of each name, or nil if the text doesn't match.
  ///
  /// A name matches at least one character, and as few as possible. No value may contain
  /// `forbidden`. Each literal is searched for once: if its first occurrence doesn't lead to a
  /// match, no later one does.
  func match(_ text: String, without forbidden: Character? = nil) -> [String: String]? {
    var found: [String: String] = [:]
    var rest = Substring(text)
    var open: String?
    func take(_ name: String, upTo end: String.Index) {
      if found[name] == nil { found[name] = String(rest[..<end]) }
      rest = rest[end...]
    }
    for (index, part) in parts.enumerated() {
      switch part {
      case .name(let name):
        if let earlier = open {
          // Between adjacent names, the first one matches one character.
          if rest.isEmpty { return nil }
          take(earlier, upTo: rest.index(after: rest.startIndex))
        }
        open = name
      case .literal(let literal):
        let isLast = index == parts.count - 1
        guard
          let range = Self.range(of: literal, in: rest, afterName: open != nil, isLast)
        else { return nil }
        if let name = open { take(name, upTo: range.lowerBound) }
        rest = rest[range.upperBound...]
        open = nil
      }
    }
    if let open {
      if rest.isEmpty { return nil }
      take(open, upTo: rest.endIndex)
    }
    let isAllowed = forbidden.map { mark in !found.values.contains { $0.contains(mark) } } ?? true
    return rest.isEmpty && isAllowed ? found : nil
  }

  /// Finds a literal: at the start, after a name of at least one character, or at the end if it's
  /// last.
  private static func range(
    of literal: String, in text: Substring, afterName isAfterName: Bool, _ isLast: Bool
  ) -> Range<String.Index>? {
    let (bytes, mark) = (text.utf8, literal.utf8)
    if !isAfterName {
      guard bytes.starts(with: mark) else { return nil }
      return text.startIndex..<bytes.index(text.startIndex, offsetBy: mark.count)
    }
    if !isLast { return bytes.dropFirst().firstRange(of: mark) }
    guard bytes.count > mark.count, bytes.suffix(mark.count).elementsEqual(mark) else { return nil }
    return bytes.index(text.endIndex, offsetBy: -mark.count)..<text.endIndex
  }

  /// Returns the text with all names replaced, or fails with the first name that has no value.
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

/// A pattern of file names or keys, in which `*` matches any text.
struct Wildcard: Sendable, Hashable {
  private let parts: [[UInt8]]

  /// Whether it matches every name.
  var matchesAll: Bool { parts.count > 1 && parts.allSatisfy(\.isEmpty) }

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
