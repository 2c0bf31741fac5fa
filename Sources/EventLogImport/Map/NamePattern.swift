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

  /// Nil for a brace without its other half, and for an empty name.
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
  /// A name stands for at least one character, and for none of those in `without`. Each byte is
  /// looked at once for each part at most: where the first place of a literal does not fit, no
  /// later one does.
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
          // With nothing between, the earlier one has a character.
          if rest.isEmpty { return nil }
          take(earlier, upTo: rest.index(after: rest.startIndex))
        }
        open = name
      case .literal(let literal):
        let isLast = index == parts.count - 1
        guard let place = Self.place(of: literal, in: rest, isBehind: open != nil, isLast) else {
          return nil
        }
        if let name = open { take(name, upTo: place.lowerBound) }
        rest = rest[place.upperBound...]
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

  /// Where a literal stands: at the beginning, or behind a name of at least one character; the last
  /// one at the end.
  private static func place(
    of literal: String, in text: Substring, isBehind: Bool, _ isLast: Bool
  ) -> Range<String.Index>? {
    let (bytes, mark) = (text.utf8, literal.utf8)
    if !isBehind {
      guard bytes.starts(with: mark) else { return nil }
      return text.startIndex..<bytes.index(text.startIndex, offsetBy: mark.count)
    }
    if !isLast { return bytes.dropFirst().firstRange(of: mark) }
    guard bytes.count > mark.count, bytes.suffix(mark.count).elementsEqual(mark) else { return nil }
    return bytes.index(text.endIndex, offsetBy: -mark.count)..<text.endIndex
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
