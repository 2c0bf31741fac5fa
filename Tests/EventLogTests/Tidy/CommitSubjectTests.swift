#if os(macOS) || os(Linux)
  import Foundation
  import Testing

  /// The subject of a commit is `area: imperative verb + object`.
  @Suite struct CommitSubjectTests {
    private static let noVerbs: Set = [
      "a", "after", "all", "also", "an", "as", "before", "by", "each", "every", "for", "from", "if",
      "in", "it", "its", "more", "new", "no", "of", "on", "one", "only", "per", "several", "some",
      "that", "the", "there", "this", "two", "what", "when", "where", "who", "whoever",
    ]
    /// Verbs that only look like another form of one.
    private static let verbs: Set = [
      "alias", "bias", "bring", "embed", "feed", "focus", "need", "seed", "shed", "speed",
    ]

    /// The fault of a subject, or nil.
    static func fault(_ subject: String) -> String? {
      // Merges and reverts have subjects that git made.
      if subject.hasPrefix("Merge ") || subject.hasPrefix("Revert \"") { return nil }
      if subject.count > 100 { return "it is longer than 100 characters" }
      if subject.hasSuffix(".") { return "it ends with a period" }
      guard let colon = subject.range(of: ": ") else { return "it names no area" }
      let area = subject[..<colon.lowerBound]
      guard !area.isEmpty, area.allSatisfy({ $0.isLowercase || $0.isNumber || " -,".contains($0) })
      else { return "its area is not in lower case" }
      let words = subject[colon.upperBound...].split(separator: " ")
      guard let verb = words.first.map(String.init), words.count > 1 else {
        return "it has no verb and object"
      }
      if verbs.contains(verb) { return nil }
      let isForm =
        ["ed", "ing"].contains(where: verb.hasSuffix)
        || verb.hasSuffix("s") && !verb.hasSuffix("ss")
      return noVerbs.contains(verb) || isForm || !verb.allSatisfy(\.isLowercase)
        ? "\"\(verb)\" is no imperative" : nil
    }

    /// The output of git; nil without git or without a history.
    private static func git(_ arguments: String...) throws -> [Substring]? {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["git", "-C", SourceTree.top.path] + arguments
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let bytes = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { return nil }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test func `commits after the one that added this check have subjects of that form`() throws {
      let path = "Tests/EventLogTests/Tidy/CommitSubjectTests.swift"
      guard let first = try Self.git("log", "--diff-filter=A", "--format=%H", "--", path)?.last,
        let commits = try Self.git("log", "--format=%h %s", "\(first)..HEAD")
      else { return }
      for commit in commits {
        let (hash, subject) = (commit.prefix { $0 != " " }, commit.drop { $0 != " " }.dropFirst())
        if let fault = Self.fault(String(subject)) {
          Issue.record("\(hash) \"\(subject)\": \(fault).")
        }
      }
    }

    @Test(arguments: [
      ("store: yield while waiting for a snapshot", true), ("store: who waits yields", false),
      ("yield while waiting", false), ("Store: yield often", false), ("store: yields often", false),
      ("store: yield while waiting.", false), ("store: yield", false),
      ("docs, tests: pass the path", true),
    ])
    func `a subject is an area, an imperative and an object`(_ subject: String, isGood: Bool) {
      #expect((Self.fault(subject) == nil) == isGood)
    }
  }
#endif
