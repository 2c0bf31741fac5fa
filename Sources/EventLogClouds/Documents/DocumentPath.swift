import EventLog

/// A template for the paths of documents. The values of a row replace the names in braces.
///
/// `users/{user}/completions/{date.month}/records/{habit}-{date}`
struct DocumentPath: Sendable, Hashable {
  private enum Piece: Hashable {
    case text(String)
    /// The user of the document store.
    case user
    case member(String, Part)
  }

  /// The part of a member's value to use.
  private enum Part: String {
    case whole = ""
    /// The month of a day or time: `2026-11`.
    case month
    /// The year of a day or time: `2026`.
    case year
  }

  /// The text of the template.
  let text: String
  private let segments: [[Piece]]

  /// - Throws: `invalidSchema` if the template can't result in the path of a document.
  init(_ text: String, at context: String) throws(EventLogError) {
    var segments: [[Piece]] = []
    for segment in text.split(separator: "/", omittingEmptySubsequences: false) {
      guard let pieces = Self.pieces(segment), !pieces.isEmpty else {
        throw SchemaReader.refused(
          context, "has a path with the unreadable part \"\(SafeText.quote(String(segment)))\"",
          hint: "For example: users/{user}/habits/{id}, or {date.month} for 2026-11.")
      }
      segments.append(pieces)
    }
    guard segments.count.isMultiple(of: 2) else {
      throw SchemaReader.refused(
        context, "has a path that names a collection, not a document",
        hint: "A path alternates collections and documents: users/{user}/habits/{id}")
    }
    if segments.count >= 4, segments[0] == [.text("users")],
      Self.reservedCollections.contains(where: { segments[2] == [.text($0)] })
    {
      throw Self.reservedPath(context)
    }
    (self.text, self.segments) = (text, segments)
  }

  /// The collections that Eventlog uses for a user's objects and the publishing state.
  private static let reservedCollections = ["objects", "published"]

  private static func reservedPath(_ context: String) -> EventLogError {
    SchemaReader.refused(
      context, "has a path where Eventlog keeps its own documents",
      hint: "Use a name other than objects or published.")
  }

  private static func pieces(_ segment: Substring) -> [Piece]? {
    var (pieces, rest): ([Piece], Substring) = ([], segment)
    while !rest.isEmpty {
      guard rest.first == "{" else {
        let plain = rest.prefix { $0 != "{" && $0 != "}" }
        if plain.isEmpty { return nil }
        pieces.append(.text(String(plain)))
        rest.removeFirst(plain.count)
        continue
      }
      guard let end = rest.firstIndex(of: "}") else { return nil }
      let parts = rest[rest.index(after: rest.startIndex)..<end].split(
        separator: ".", omittingEmptySubsequences: false)
      guard (1...2).contains(parts.count), !parts[0].isEmpty, !parts.last!.isEmpty,
        let part = Part(rawValue: parts.count == 2 ? String(parts[1]) : "")
      else { return nil }
      pieces.append(
        parts == ["user"] ? .user : .member(String(parts[0]), part))
      rest = rest[rest.index(after: end)...]
    }
    return pieces
  }

  /// Returns the path of a row's document.
  ///
  /// - Throws: `invalidSchema` if the row lacks a member of the path, or its path would be invalid.
  func path(of row: JSONObject, user: String, at context: String) throws(EventLogError) -> String {
    var path: [String] = []
    for pieces in segments {
      var name = ""
      for piece in pieces {
        switch piece {
        case .text(let text): name += text
        case .user: name += user
        case .member(let member, let part): name += try value(member, part, of: row, context)
        }
      }
      guard !name.isEmpty else {
        throw SchemaReader.refused(
          context, "has a path with an empty part in one of the rows",
          hint: pieces == [.user]
            ? "The journal doesn't say whose it is: give the user."
            : "Let the path name a member"
              + " that is never empty.")
      }
      path.append(Self.escaped(name))
    }
    try Self.check(path, at: context)
    return path.joined(separator: "/")
  }

  /// Checks a path against the strictest limits, those of Firestore: 1,500 bytes for a segment, and
  /// 6 KiB for a document's name, of which the path may use 5,000 bytes.
  private static func check(_ path: [String], at context: String) throws(EventLogError) {
    if path.count >= 4, path[0] == "users", reservedCollections.contains(path[2]) {
      throw reservedPath(context)
    }
    let count = path.reduce(path.count) { $0 + $1.utf8.count }
    guard path.allSatisfy({ $0.utf8.count <= 1500 }), count <= 5000 else {
      throw SchemaReader.refused(
        context, "gives a row a path that is too long (\(count) bytes)",
        hint: "A part of a path has at most 1,500 bytes, all of it 5,000.")
    }
  }

  private func value(
    _ member: String, _ part: Part, of row: JSONObject, _ context: String
  ) throws(EventLogError) -> String {
    let text: String
    switch row[member] {
    case .string(let value)?: text = value
    case .number(let number)?: text = number.text
    default:
      throw SchemaReader.refused(
        context, "has a path that needs \"\(member)\", which a row lacks",
        hint: "Its members are \(row.members.map(\.name).joined(separator: ", ")).")
    }
    if part == .whole { return text }
    guard Day(String(text.prefix(10))) != nil else {
      throw SchemaReader.refused(
        context, "takes the \(part.rawValue) of \"\(SafeText.quote(text))\", which is not a date",
        hint: "Use \(member) without .\(part.rawValue).")
    }
    return String(text.prefix(part == .month ? 7 : 4))
  }

  /// Escapes a path segment for Firestore, which permits no slashes, `.`, `..` and `__…__`.
  private static func escaped(_ name: String) -> String {
    let isDotSegment = name == "." || name == ".."
    let escapesFirst = name.utf8.starts(with: "__".utf8)
    var escaped = ""
    // Go by scalars, because a slash with a combining mark is a different character.
    for (index, scalar) in name.unicodeScalars.enumerated() {
      switch scalar {
      case "%": escaped += "%25"
      case "/": escaped += "%2F"
      case "." where isDotSegment: escaped += "%2E"
      case "_" where escapesFirst && index == 0: escaped += "%5F"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
