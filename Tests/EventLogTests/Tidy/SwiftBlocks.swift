extension SwiftSource {
  /// A pair of braces with statements: the body of a function, an accessor or a closure.
  struct Body {
    /// The line of its `func` or `init`, or else of its opening brace.
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
    // The last declaring keyword since the last brace, and its line.
    var last: (word: String, line: Int)?
    var start = 0
    for offset in code.indices where !Self.isWordPart(code[offset]) {
      let word = offset > start ? String(decoding: code[start..<offset], as: UTF8.self) : ""
      start = offset + 1
      if Self.typeWords.contains(word) || Self.otherWords.contains(word) {
        // `class func` declares a function. `if let` can't occur in a signature.
        if !(last?.word == "func" && word == "init") { last = (word, line) }
      }
      switch code[offset] {
      case 0x0A: line += 1
      case UInt8(ascii: "{"):
        let isType = last.map { Self.typeWords.contains($0.word) } ?? false
        let isFunction = last.map { ["func", "init"].contains($0.word) } ?? false
        open.append((isType, isFunction ? last!.line : line))
        last = nil
      case UInt8(ascii: "}"):
        last = nil
        if let block = open.popLast(), !block.isType {
          found.append(Body(firstLine: block.firstLine, lastLine: line))
        }
      default: break
      }
    }
    return found
  }

  /// The types declared at the top level of the file.
  var declaredTypes: [String] {
    var depth = 0
    var found: [String] = []
    var previous = ""
    var start = 0
    let code = code + [0x0A]
    for offset in code.indices where !Self.isWordPart(code[offset]) {
      let byte = code[offset]
      if offset > start, depth == 0 {
        let word = String(decoding: code[start..<offset], as: UTF8.self)
        if Self.declaringWords.contains(previous) { found.append(word) }
        previous = word
      }
      start = offset + 1
      if byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "}") { depth -= 1 }
      if byte == UInt8(ascii: ".") || depth > 0 { previous = "" }
    }
    return found
  }

  private static let declaringWords: Set<String> = [
    "struct", "class", "enum", "protocol", "actor", "typealias",
  ]
}
