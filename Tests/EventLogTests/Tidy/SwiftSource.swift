import Foundation

/// A Swift file of the repository, prepared for the tidy tests.
struct SwiftSource: Sendable {
  /// The path from the top of the repository, such as `Sources/EventLog/Events/Event.swift`.
  let path: String
  let text: String
  /// The text with comments and string literals replaced by spaces, byte for byte.
  ///
  /// Interpolations are code, so they are kept.
  let code: [UInt8]
  /// The folders of the path, from the top: `["Sources", "EventLog", "Events"]`.
  let folders: [String]

  init(path: String, text: String) {
    self.path = path
    self.text = text
    code = CodeExtraction(text).result
    folders = path.split(separator: "/").dropLast().map(String.init)
  }

  /// The file's layer in the library, or its folder in `EventLogPipe` and `EventLogCrashReports`;
  /// nil in other modules, and for files outside of folders.
  var layer: String? {
    if folders == ["Sources", "EventLogSystem"] { return "System" }
    let layered = ["EventLog", "EventLogCrashReports", "EventLogPipe"]
    return folders.first == "Sources" && folders.count > 2 && layered.contains(folders[1])
      ? folders[2] : nil
  }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var codeLines: [Substring] {
    String(decoding: code, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// All words in the code, with 1-based line numbers.
  var words: [(word: String, line: Int)] {
    var words: [(word: String, line: Int)] = []
    var line = 1
    var start = 0
    let code = code + [0x0A]
    for offset in code.indices where !Self.isWordPart(code[offset]) {
      if offset > start {
        words.append((String(decoding: code[start..<offset], as: UTF8.self), line))
      }
      start = offset + 1
      if code[offset] == 0x0A { line += 1 }
    }
    return words
  }

  static func isWordPart(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  /// Like the overload for characters.
  ///
  /// In code, other bytes than ASCII occur only in names.
  static func isWordPart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == 0x5F || byte >= 0x30 && byte <= 0x39
      || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A
  }
}

/// The Swift files of the repository that the tests were built from.
enum SourceTree {
  /// The top of the repository; this file is `Tests/EventLogTests/Tidy/SwiftSource.swift`.
  static let top: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()

  /// All files in `Sources` and `Tests`.
  static let files: [SwiftSource] = read("Sources") + read("Tests")

  /// `EventLog`, and the module of its lowest layer.
  static let library = files.filter {
    $0.folders.starts(with: ["Sources", "EventLog"])
      || $0.folders.starts(with: ["Sources", "EventLogSystem"])
  }
  static let attachments = files.filter {
    $0.folders.starts(with: ["Sources", "EventLogAttachments"])
  }
  static let crashReports = files.filter {
    $0.folders.starts(with: ["Sources", "EventLogCrashReports"])
  }
  static let inspection = files.filter {
    $0.folders.starts(with: ["Sources", "EventLogInspection"])
  }
  static let pipe = files.filter { $0.folders.starts(with: ["Sources", "EventLogPipe"]) }
  static let remotes = files.filter { $0.folders.starts(with: ["Sources", "EventLogRemotes"]) }
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

private struct CodeExtraction {
  /// The text, blanked up to the current position.
  private(set) var result: [UInt8]
  private var index = 0

  private static let (slash, star, pound, quote, backslash) = (
    UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "#"), UInt8(ascii: "\""),
    UInt8(ascii: "\\")
  )

  init(_ text: String) {
    result = Array(text.utf8)
    code(untilParenthesis: false)
  }

  /// The byte `offset` bytes after the current one; 0 past the end.
  private func byte(_ offset: Int = 0) -> UInt8 {
    index + offset < result.count ? result[index + offset] : 0
  }

  private mutating func blank(_ count: Int = 1) {
    let end = min(index + count, result.count)
    while index < end {
      if result[index] != 0x0A { result[index] = 0x20 }
      index += 1
    }
  }

  /// Reads code to the end, or to the parenthesis that closes an interpolation.
  private mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while index < result.count {
      switch result[index] {
      case Self.slash where byte(1) == Self.slash:
        while index < result.count, result[index] != 0x0A { blank() }
      case Self.slash where byte(1) == Self.star: comment()
      case Self.quote: literal(0)
      case Self.pound:
        let count = pounds(0)
        if byte(count) == Self.quote { literal(count) } else { index += count }
      case UInt8(ascii: "("):
        depth += 1
        index += 1
      case UInt8(ascii: ")"):
        if untilParenthesis, depth == 0 { return }
        depth -= 1
        index += 1
      default: index += 1
      }
    }
  }

  private mutating func comment() {
    var depth = 0
    repeat {
      switch (byte(), byte(1)) {
      case (Self.slash, Self.star):
        depth += 1
        blank(2)
      case (Self.star, Self.slash):
        depth -= 1
        blank(2)
      default: blank()
      }
    } while depth > 0 && index < result.count
  }

  /// The number of consecutive `#` at `offset` from the current byte.
  private func pounds(_ offset: Int) -> Int {
    var count = 0
    while byte(offset + count) == Self.pound { count += 1 }
    return count
  }

  private func quotes() -> Int {
    var count = 0
    while count < 3, byte(count) == Self.quote { count += 1 }
    return count
  }

  /// Blanks a literal with `poundCount` `#` on each side of its quotes.
  private mutating func literal(_ poundCount: Int) {
    blank(poundCount)
    let quoteCount = quotes() == 3 ? 3 : 1
    blank(quoteCount)
    while index < result.count {
      switch result[index] {
      case Self.quote
      where (quoteCount == 1 || quotes() == 3) && pounds(quoteCount) >= poundCount:
        return blank(quoteCount + poundCount)
      case Self.backslash where pounds(1) >= poundCount:
        if byte(1 + poundCount) == UInt8(ascii: "(") {
          blank(2 + poundCount)
          code(untilParenthesis: true)
          blank()
        } else {
          blank(2 + poundCount)
        }
      default: blank()
      }
    }
  }
}
