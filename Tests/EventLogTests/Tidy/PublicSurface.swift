import Foundation

/// The public declarations of a module, read from its sources.
struct PublicSurface {
  /// A type and its public members, including those in extensions.
  struct TypeEntry {
    var name: String
    /// The keyword, such as `struct`; nil if another module declares the type.
    var keyword: String?
    var members: [String] = []
  }

  /// A public declaration without a documentation comment.
  struct Undocumented: Equatable {
    var path: String
    var line: Int
  }

  private(set) var types: [String: TypeEntry] = [:]
  /// The functions outside of types.
  private(set) var functions: [String] = []
  private(set) var undocumented: [Undocumented] = []

  /// A declaration whose members are in the lines that follow.
  private struct Scope {
    var name: String
    var keyword: String
    var indent: Int
    var isPublic: Bool
  }

  /// The number of public types that the module declares.
  var typeCount: Int { types.values.count { $0.keyword != nil } }
  var memberCount: Int { types.values.reduce(0) { $0 + $1.members.count } }

  init(_ files: [SwiftSource]) {
    for file in files { read(file) }
    for name in types.keys { types[name]?.members.sort() }
    functions.sort()
  }

  private mutating func read(_ file: SwiftSource) {
    let lines = file.codeLines.map(String.init)
    let texts = file.lines
    var scopes: [Scope] = []
    for (index, line) in lines.enumerated() {
      let indent = line.prefix { $0 == " " }.count
      if line.allSatisfy({ $0 == " " }) { continue }
      // A brace belongs to the declaration before it.
      let isBrace = ["{", "}"].contains(line.dropFirst(indent).first)
      scopes.removeAll { $0.indent >= indent && !isBrace }
      guard let declaration = Declaration(lines, at: index) else { continue }
      let outer = scopes.last { $0.indent < indent }
      let isRequirement = outer?.keyword == "protocol" && outer?.isPublic == true
      // A case with more indentation belongs to a switch.
      let isCase =
        declaration.keyword == "case" && outer?.keyword == "enum" && outer!.isPublic
        && indent == outer!.indent + 2
      let isPublic = declaration.isPublic || isRequirement || isCase
      let name = [outer?.name, declaration.name].compactMap(\.self).joined(separator: ".")
      if declaration.isType || declaration.keyword == "extension" {
        scopes.append(
          Scope(
            name: declaration.keyword == "extension" ? declaration.name : name,
            keyword: declaration.keyword, indent: indent, isPublic: isPublic))
      }
      guard isPublic else { continue }
      if declaration.isType {
        types[name, default: TypeEntry(name: name)].keyword = declaration.keyword
      } else if let outer, declaration.keyword != "extension" {
        types[outer.name, default: TypeEntry(name: outer.name)].members.append(declaration.name)
      } else if declaration.keyword != "extension" {
        functions.append(declaration.name)
      }
      if declaration.isPublic, declaration.keyword != "extension", !isDocumented(index, texts) {
        undocumented.append(.init(path: file.path, line: index + 1))
      }
    }
  }

  private func isDocumented(_ index: Int, _ lines: [Substring]) -> Bool {
    var above = index - 1
    while above >= 0 {
      let line = lines[above].drop { $0 == " " }
      if line.hasPrefix("///") { return true }
      guard line.hasPrefix("@") else { return false }
      above -= 1
    }
    return false
  }

  /// The declarations as Markdown.
  func markdown(_ module: String) -> String {
    let noun = typeCount == 1 ? "type" : "types"
    var text = "## \(module)\n\n\(typeCount) \(noun), \(memberCount) members.\n"
    for name in types.keys.sorted() {
      let entry = types[name]!
      text += "\n### \(name)\(entry.keyword.map { " (\($0))" } ?? "")\n"
      if !entry.members.isEmpty { text += "\n" }
      for member in entry.members { text += "- `\(member)`\n" }
    }
    if !functions.isEmpty { text += "\n### Functions\n\n" }
    for function in functions { text += "- `\(function)`\n" }
    return text
  }
}

/// The first line of a declaration, and its name with labels.
private struct Declaration {
  let keyword: String
  let name: String
  let isPublic: Bool

  static let types: Set<String> = ["struct", "class", "enum", "protocol", "actor"]
  private static let keywords = types.union([
    "func", "var", "let", "init", "subscript", "typealias", "case", "extension",
  ])
  private static let modifiers: Set<String> = [
    "public", "static", "final", "mutating", "nonisolated", "convenience", "indirect", "package",
    "private", "fileprivate", "internal", "override", "consuming", "borrowing", "weak", "lazy",
  ]

  var isType: Bool { Self.types.contains(keyword) }

  init?(_ lines: [String], at index: Int) {
    var words = lines[index].split(separator: " ").map(String.init)[...]
    var isPublic = false
    while let word = words.first {
      let base = String(word.prefix { $0 != "(" })
      guard word.hasPrefix("@") || Self.modifiers.contains(base) else { break }
      if word == "public" { isPublic = true }
      words = words.dropFirst()
    }
    guard let first = words.first else { return nil }
    let keyword = String(first.prefix { $0.isLetter })
    guard Self.keywords.contains(keyword) else { return nil }
    (self.keyword, self.isPublic) = (keyword, isPublic)
    switch keyword {
    case "func", "init", "subscript":
      name = Self.signature(lines, at: index, keyword)
    case "case":
      name = words.dropFirst().joined(separator: " ")
    default:
      let word = words.dropFirst().first ?? ""
      name = String(word.prefix { SwiftSource.isWordPart($0) || $0 == "." })
    }
  }

  /// The name of a function with the labels of its parameters.
  private static func signature(_ lines: [String], at index: Int, _ keyword: String) -> String {
    let text = lines[index...].prefix(12).joined(separator: " ")
    guard let start = text.range(of: keyword) else { return keyword }
    let rest = text[start.upperBound...]
    let name = rest.drop { $0 == " " }.prefix { !"(<".contains($0) }
    guard let open = rest.firstIndex(of: "(") else { return keyword }
    var depth = 0
    var labels: [Substring] = []
    var parameter = ""
    // An arrow isn't a bracket.
    for character in rest[open...].replacing("->", with: "") {
      if "([<{".contains(character) { depth += 1 }
      if ")]>}".contains(character) { depth -= 1 }
      if depth == 1, character != "(", character != "," { parameter.append(character) }
      if depth == 0 || depth == 1 && character == "," {
        if let word = parameter.split(separator: " ").first(where: { !$0.hasPrefix("@") }) {
          labels.append(word.prefix { $0 != ":" } + ":")
        }
        parameter = ""
      }
      if depth == 0 { break }
    }
    return "\(keyword == "func" ? String(name) : keyword)(\(labels.joined()))"
  }
}
