extension SwiftSource {
  /// A pair of braces that holds statements: the body of a function, an accessor or a closure.
  struct Body {
    /// Where its declaration begins, or its brace where it has no `func` or `init`.
    var firstLine: Int
    var lastLine: Int

    var lineCount: Int { lastLine - firstLine + 1 }
  }

  private static let typeWords: Set<String> = [
    "struct", "class", "enum", "extension", "protocol", "actor",
  ]
  private static let otherWords: Set<String> = [
    "func", "init", "deinit", "subscript", "var", "let", "case", "if", "for", "while", "switch",
    "guard", "do", "catch", "else", "repeat", "defer",
  ]

  /// The bodies of the file, outer and inner ones.
  var bodies: [Body] {
    var open: [(isType: Bool, firstLine: Int)] = []
    var found: [Body] = []
    var line = 1
    // The last declaring word since the last brace, and its line.
    var word = ""
    var last: (word: String, line: Int)?
    for character in code {
      if Self.isWordPart(character) {
        word.append(character)
        continue
      }
      if Self.typeWords.contains(word) || Self.otherWords.contains(word) {
        // `class func` declares a function, and `if let` inside a signature does not occur.
        if !(last?.word == "func" && word == "init") { last = (word, line) }
      }
      word = ""
      switch character {
      case "\n": line += 1
      case "{":
        let isType = last.map { Self.typeWords.contains($0.word) } ?? false
        let isFunction = last.map { ["func", "init"].contains($0.word) } ?? false
        open.append((isType, isFunction ? last!.line : line))
        last = nil
      case "}":
        last = nil
        if let block = open.popLast(), !block.isType {
          found.append(Body(firstLine: block.firstLine, lastLine: line))
        }
      default: break
      }
    }
    return found
  }

  /// The types declared at the file's top level.
  var declaredTypes: [String] {
    var depth = 0
    var found: [String] = []
    var previous = ""
    var word = ""
    for character in code + " " {
      if Self.isWordPart(character) {
        word.append(character)
        continue
      }
      if !word.isEmpty {
        if depth == 0, Self.declaringWords.contains(previous) { found.append(word) }
        previous = word
        word = ""
      }
      if character == "{" { depth += 1 }
      if character == "}" { depth -= 1 }
      if character == "." { previous = "" }
    }
    return found
  }

  private static let declaringWords: Set<String> = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]
}
