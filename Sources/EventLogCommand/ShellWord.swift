/// Words of a command line that somebody may copy.
enum ShellWord {
  /// A command of these words as a shell takes it; nil where one of them does not show as it is, so
  /// that nobody could know what the command does.
  static func command(_ words: [String]) -> String? {
    words.allSatisfy(Visible.isWhole) ? words.map(quoted).joined(separator: " ") : nil
  }

  /// The options that a command which is printed needs as this one did, behind a space; none where
  /// none were given.
  static func given(_ console: Console) -> String { options(console.context) }

  /// The same of the command at hand.
  static func given(_ arguments: Arguments) -> String { options(arguments.context) }

  private static func options(_ words: [String]) -> String {
    words.map { " " + quoted($0) }.joined()
  }

  /// The word as a shell takes it unchanged; … where it does not show as it is.
  static func quoted(_ word: String) -> String {
    guard Visible.isWhole(word) else { return "…" }
    func isPlain(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "@", ",", "+", "=": true
      case "#", "~": true
      default: false
      }
    }
    if word.unicodeScalars.allSatisfy(isPlain), !word.isEmpty, !word.hasPrefix("#"),
      // A shell takes these for a home folder.
      !word.hasPrefix("~"), !word.contains("=~"), !word.contains(":~")
    {
      return word
    }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }

  /// The path of a journal or a remote as a shell takes it, to stand in a command: one that begins
  /// with - is no option there.
  static func path(_ path: String) -> String { quoted(noOption(path)) }

  /// The same path, spelled so that it is no option.
  static func noOption(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }

  /// The words of a line, as a shell splits it at white space outside quotes; nothing else in it is
  /// special. Nil where a quote does not end.
  static func split(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var rest = line.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch (scalar, quote) {
      case (_, .some(scalar)): quote = nil
      case ("'", nil), ("\"", nil):
        quote = scalar
        word = word ?? .init()
      case ("\\", nil), ("\\", .some("\"")):
        // Inside double quotes, only what would end or escape them is escaped.
        guard let next = rest.first else { return nil }
        let isEscaped = quote == nil || next == "\"" || next == "\\"
        word = (word ?? .init()) + (isEscaped ? [next] : [scalar, next])
        rest.removeFirst()
      case (" ", nil), ("\t", nil), ("\n", nil):
        if let word { words.append(String(word)) }
        word = nil
      default: word = (word ?? .init()) + [scalar]
      }
    }
    if let word { words.append(String(word)) }
    return quote == nil ? words : nil
  }
}
