import Foundation

/// A Swift file of the repository, as the tidy tests look at it.
struct SwiftSource: Sendable {
  /// The path from the repository's top, for example `Sources/EventLog/Events/Event.swift`.
  let path: String
  let text: String
  /// The text with comments and string literals blanked, line for line and character for character;
  /// what stands in an interpolation is code and stays.
  let code: String

  init(path: String, text: String) {
    self.path = path
    self.text = text
    code = CodeExtraction(text).result
  }

  /// The folders of the path, from the top: `["Sources", "EventLog", "Events"]`.
  var folders: [String] { path.split(separator: "/").dropLast().map(String.init) }

  /// The library's layer that the file belongs to; nil outside the library.
  var layer: String? {
    folders.starts(with: ["Sources", "EventLog"]) && folders.count > 2 ? folders[2] : nil
  }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var codeLines: [Substring] { code.split(separator: "\n", omittingEmptySubsequences: false) }

  /// The whole words of the code, each with its line, from 1.
  var words: [(word: Substring, line: Int)] {
    codeLines.enumerated().flatMap { index, line in
      line.split { !Self.isWordPart($0) }.map { ($0, index + 1) }
    }
  }

  static func isWordPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }
}

/// The Swift files of the repository that the tests were built from.
enum SourceTree {
  /// The repository's top: this file is `Tests/EventLogTests/Tidy/SwiftSource.swift`.
  static let top: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()

  /// All files below `Sources` and `Tests`.
  static let files: [SwiftSource] = read("Sources") + read("Tests")

  static let library = files.filter { $0.folders.starts(with: ["Sources", "EventLog"]) }
  static let collections = files.filter {
    $0.folders.starts(with: ["Sources", "EventLogCollections"])
  }
  static let command = files.filter { $0.folders.starts(with: ["Sources", "EventLogCommand"]) }

  private static func read(_ folder: String) -> [SwiftSource] {
    let names =
      FileManager.default.enumerator(atPath: top.appendingPathComponent(folder).path)?
      .compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
      let path = "\(folder)/\(name)"
      guard let bytes = try? Data(contentsOf: top.appendingPathComponent(path)) else { return nil }
      return SwiftSource(path: path, text: String(decoding: bytes, as: UTF8.self))
    }
  }
}

/// Blanks comments and string literals.
private struct CodeExtraction {
  private let characters: [Character]
  /// The characters that are ASCII, each at its place: they are compared much faster.
  private let bytes: [UInt8]
  private var index = 0
  private var output: [Character] = []

  init(_ text: String) {
    characters = Array(text)
    bytes = characters.map { $0.asciiValue ?? 0xFF }
  }

  var result: String {
    var copy = self
    copy.code(untilParenthesis: false)
    return String(copy.output)
  }

  private func at(_ text: String, _ offset: Int = 0) -> Bool {
    var place = index + offset
    for wanted in text.utf8 {
      guard place < bytes.count, bytes[place] == wanted else { return false }
      place += 1
    }
    return true
  }

  private mutating func take() {
    output.append(characters[index])
    index += 1
  }

  private mutating func blank(_ count: Int = 1) {
    for _ in 0..<count where index < characters.count {
      output.append(characters[index] == "\n" ? "\n" : " ")
      index += 1
    }
  }

  /// Reads code to the end, or to the parenthesis that ends an interpolation.
  private mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while index < characters.count {
      if at("//") {
        while index < bytes.count, bytes[index] != 0x0A { blank() }
      } else if at("/*") {
        comment()
      } else if let pounds = literalStart {
        literal(pounds)
      } else {
        if bytes[index] == UInt8(ascii: "(") { depth += 1 }
        if bytes[index] == UInt8(ascii: ")") {
          if untilParenthesis, depth == 0 { return }
          depth -= 1
        }
        take()
      }
    }
  }

  private mutating func comment() {
    var depth = 0
    repeat {
      if at("/*") {
        depth += 1
        blank(2)
      } else if at("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && index < characters.count
  }

  /// How many `#` begin the literal here; nil where none begins.
  private var literalStart: Int? {
    var pounds = 0
    while index + pounds < bytes.count, bytes[index + pounds] == UInt8(ascii: "#") { pounds += 1 }
    return at("\"", pounds) ? pounds : nil
  }

  private mutating func literal(_ pounds: Int) {
    let marks = String(repeating: "#", count: pounds)
    let quote = at("\"\"\"", pounds) ? "\"\"\"" : "\""
    blank(pounds + quote.count)
    while index < characters.count, !at(quote + marks) {
      if at("\\" + marks + "(") {
        blank(2 + pounds)
        code(untilParenthesis: true)
        blank()
      } else {
        blank(at("\\" + marks) ? 2 + pounds : 1)
      }
    }
    blank(quote.count + pounds)
  }
}
