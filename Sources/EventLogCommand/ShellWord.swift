/// Quotes words for shell commands that users may copy.
enum ShellWord {
  /// Returns the words as a shell command, or nil if one contains invisible characters: the user
  /// couldn't see what the command does.
  static func command(_ words: [String]) -> String? {
    words.allSatisfy(Visible.isWhole) ? words.map(quoted).joined(separator: " ") : nil
  }

  /// Returns the options that a printed command must repeat, after a space; empty if there are
  /// none.
  static func contextOptions(_ console: Console) -> String { options(console.context) }

  /// Returns the same options for a verb's arguments.
  static func contextOptions(_ arguments: Arguments) -> String { options(arguments.context) }

  private static func options(_ words: [String]) -> String {
    words.map { " " + quoted($0) }.joined()
  }

  /// Returns the word, quoted if necessary; "…" if it contains invisible characters.
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
      // Shells expand these to a home folder.
      !word.hasPrefix("~"), !word.contains("=~"), !word.contains(":~")
    {
      return word
    }
    return "'"
      + word.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
  }

  /// Returns the quoted path of a journal or remote, for use as an argument that isn't an option.
  static func path(_ path: String) -> String { quoted(nonOption(path)) }

  /// Returns the path with a prefix that keeps it from being an option.
  static func nonOption(_ path: String) -> String { path.hasPrefix("-") ? "./\(path)" : path }

  /// Splits a line at white space outside quotes, like a shell; nil if a quote isn't closed.
  ///
  /// Quotes and backslashes are the only special characters.
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
        // In double quotes, a backslash escapes only `"` and itself.
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
