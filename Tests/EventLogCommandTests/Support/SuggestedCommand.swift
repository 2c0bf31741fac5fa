import Foundation

@testable import EventLogCommand

/// A command of `eventlog` in a message.
struct SuggestedCommand {
  /// The command as typed in a shell.
  let text: String

  /// The commands in one line of a text.
  static func all(in line: String) -> [SuggestedCommand] {
    let trimmed = line.drop { $0 == " " }
    // A line that contains only a command.
    if trimmed.hasPrefix("eventlog "), trimmed.last != ".", words(of: trimmed).count > 1 {
      return [SuggestedCommand(text: String(trimmed))]
    }
    return line.components(separatedBy: "eventlog ").dropFirst().compactMap { rest in
      command(in: words(of: rest[...]))
    }
  }

  /// The command up to the first word that continues the sentence.
  private static func command(in words: [String]) -> SuggestedCommand? {
    guard let first = words.first else { return nil }
    let verb = first.trimmingSuffix { ".,;:?)".contains($0) }
    guard let known = Verb.all.first(where: { $0.name == verb }) else { return nil }
    var taken = ["eventlog", String(verb)]
    var isOver = verb != first
    for word in words.dropFirst() where !isOver {
      let plain = word.trimmingSuffix { ".,;:?)".contains($0) }
      let isArgument =
        plain.hasPrefix("-") || plain.contains { "/.:=@#'".contains($0) }
        || !plain.isEmpty && plain == plain.uppercased() && plain != "…"
        || known.name == "help" && Verb.all.contains { $0.name == plain }
      guard isArgument else { break }
      taken.append(String(plain))
      isOver = plain != word
    }
    return SuggestedCommand(text: taken.joined(separator: " "))
  }

  /// The words that a shell would find, with their quotes.
  private static func words(of text: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in text {
      if character == "'" { isQuoted.toggle() }
      if character == " ", !isQuoted {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// The command with its placeholders replaced.
  func filled(with words: [String: String]) -> String {
    Self.words(of: text[...]).map { word in
      words.reduce(word) { word, filling in
        word == filling.key || word.hasPrefix(filling.key + ":")
          ? filling.value + word.dropFirst(filling.key.count) : word
      }
    }.joined(separator: " ")
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(while isCut: (Character) -> Bool) -> SubSequence {
    guard let end = lastIndex(where: { !isCut($0) }) else { return self[startIndex..<startIndex] }
    return self[...end]
  }
}
