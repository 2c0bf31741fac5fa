import Foundation

/// Compares lines of a transcript with the output of a command.
///
/// Differences between runs are accepted: random characters, if they are replaced consistently, and
/// the time and day of the run.
struct LineComparison {
  /// Random characters of the transcript and of the output, in both directions.
  private var meanings: [Substring: Substring] = [:]
  private var sources: [Substring: Substring] = [:]

  /// Whether `lines` match `expected`, in which a line `…` matches any number of lines.
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

  /// Whether a line matches `expected`.
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
    // A word of eight letters may look random, but random characters follow `-` or `/`.
    if Self.isRandom(token), Self.isRandom(wanted), ["-", "/"].contains(before) {
      guard sources[token] == nil else { return false }
      meanings[wanted] = token
      sources[token] = wanted
      return true
    }
    if token == wanted { return true }
    // A time in the name of a file.
    if token.wholeMatch(of: Self.compactMoment) != nil {
      return wanted.wholeMatch(of: Self.compactMoment) != nil
    }
    if Self.isChecksum(token), Self.isChecksum(wanted) { return true }
    if before == "~", Self.isChain(token), Self.isChain(wanted) { return true }
    // A time of this run instead of one in the transcript.
    if let shown = Self.date(token), Self.date(wanted) != nil {
      return abs(shown.timeIntervalSinceNow) < 2 * 86_400
    }
    return false
  }

  /// Whether a token may be the random end of a device ID or a generated key.
  static func isRandom(_ token: Substring) -> Bool {
    token.utf8.count == 8
      && token.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) }
  }

  private static var compactMoment: Regex<Substring> { #/\d{8}T\d{9}Z/# }

  private static func isChecksum(_ token: Substring) -> Bool {
    token.utf8.count == 16 && token.allSatisfy { $0.isHexDigit && !$0.isUppercase }
  }

  /// Whether a token may be the chain of a full event ID.
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

  /// Splits a line into words, times, dates, and single other characters.
  private static func tokens(_ line: String) -> [Substring] {
    line.matches(
      of: #/\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d{3}Z)?|[A-Za-z0-9]+|./#
        .dotMatchesNewlines()
    ).map(\.output)
  }
}
