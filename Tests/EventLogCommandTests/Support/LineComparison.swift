import Foundation

/// Compares lines of a transcript with what a command said, and lets pass what differs in every
/// run: random characters, each time the same for the same ones, and the moment and day of the run.
struct LineComparison {
  /// Random characters of the transcript and those they stand for, in both directions.
  private var meanings: [Substring: Substring] = [:]
  private var sources: [Substring: Substring] = [:]

  /// Whether `lines` are what `expected` says; a line `…` of it stands for any lines.
  mutating func accepts(_ lines: [String], as expected: [String]) -> Bool {
    guard let wanted = expected.first else { return lines.isEmpty }
    let rest = Array(expected.dropFirst())
    if wanted.trimmingCharacters(in: .whitespaces) == "…" {
      for skipped in 0...lines.count {
        var attempt = self
        if attempt.accepts(Array(lines.dropFirst(skipped)), as: rest) {
          self = attempt
          return true
        }
      }
      return false
    }
    guard let line = lines.first, accepts(line, as: wanted) else { return false }
    return accepts(Array(lines.dropFirst()), as: rest)
  }

  /// Whether one line is what `expected` says.
  mutating func accepts(_ line: String, as expected: String) -> Bool {
    let tokens = Self.tokens(line)
    let wanted = Self.tokens(expected)
    guard tokens.count == wanted.count else { return false }
    var before: Substring = ""
    for (token, wanted) in zip(tokens, wanted) {
      guard accepts(token, as: wanted, after: before) else { return false }
      before = token
    }
    return true
  }

  private mutating func accepts(
    _ token: Substring, as wanted: Substring, after before: Substring
  ) -> Bool {
    if let meaning = meanings[wanted] { return meaning == token }
    // A word of eight letters looks alike; a random end comes first in a device ID or an entity.
    if Self.isRandom(token), Self.isRandom(wanted), ["-", "/"].contains(before) {
      guard sources[token] == nil else { return false }
      meanings[wanted] = token
      sources[token] = wanted
      return true
    }
    if token == wanted { return true }
    // In the name of a file.
    if token.wholeMatch(of: Self.compactMoment) != nil {
      return wanted.wholeMatch(of: Self.compactMoment) != nil
    }
    if Self.isChecksum(token), Self.isChecksum(wanted) { return true }
    if before == "~", Self.isChain(token), Self.isChain(wanted) { return true }
    // A moment of this run, where the transcript shows one of the run that wrote it.
    if let shown = Self.date(token), Self.date(wanted) != nil {
      return abs(shown.timeIntervalSinceNow) < 2 * 86_400
    }
    return false
  }

  /// Eight characters such as end a device ID, or make a key.
  static func isRandom(_ token: Substring) -> Bool {
    token.utf8.count == 8
      && token.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) }
  }

  private static var compactMoment: Regex<Substring> { #/\d{8}T\d{9}Z/# }

  private static func isChecksum(_ token: Substring) -> Bool {
    token.utf8.count == 16 && token.allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }

  /// What stands behind an event's ID.
  private static func isChain(_ token: Substring) -> Bool {
    token.utf8.count == 8 && token.allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }

  private static func date(_ token: Substring) -> Date? {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions =
      token.contains("T")
      ? [.withInternetDateTime, .withFractionalSeconds] : [.withFullDate]
    return formatter.date(from: String(token))
  }

  /// Words of letters and digits, moments and days as one, and everything else by the character.
  private static func tokens(_ line: String) -> [Substring] {
    line.matches(
      of: #/\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d{3}Z)?|[A-Za-z0-9]+|./#
        .dotMatchesNewlines()
    ).map(\.output)
  }
}
