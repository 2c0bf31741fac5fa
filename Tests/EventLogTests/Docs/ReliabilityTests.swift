import Foundation
import Testing

/// The page of figures lists existing commands and the correct numbers of cases.
@Suite struct ReliabilityTests {
  private static let page = try? String(
    contentsOf: SourceTree.top.appendingPathComponent("Docs/Internals/Reliability.md"),
    encoding: .utf8)

  /// The cells of the tables: subject, number, outcome, command.
  private func rows() throws -> [[String]] {
    let page = try #require(Self.page)
    return page.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }.filter { $0.count == 4 && $0[0] != "what" }
  }

  /// The text of all source files with a name, since `--filter` runs the suites of all targets.
  private func source(_ name: String) throws -> String {
    let found = SourceTree.files.filter { $0.path.hasSuffix("/\(name).swift") }
    try #require(!found.isEmpty, "\(name)")
    return found.map(\.text).joined()
  }

  @Test func `every row has an existing command`() throws {
    let rows = try rows()
    #expect(rows.count > 15)
    for row in rows {
      let command = row[3].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
      let words = command.split(separator: " ").map(String.init)
      if words.starts(with: ["swift", "test", "--filter"]) {
        #expect(try source(words[3]).contains("struct \(words[3])"), "\(command)")
      } else {
        try #require(words.count > 1 && words[0].hasPrefix("EventLog"), "\(command)")
        #expect(try source(words[0]).contains("case \"\(words[1])\""), "\(command)")
      }
    }
  }

  /// The number of cases in a suite, counting a parameterized test once for each argument.
  private func caseCount(_ suite: String, arguments: Int...) throws -> Int {
    let text = try source(suite)
    #expect(text.ranges(of: "@Test(").count == arguments.count, "\(suite)")
    return text.ranges(of: "@Test func").count + arguments.reduce(0, +)
  }

  @Test func `the page states the number of cases of each suite`() throws {
    let expected = [
      "hostile folders": HostileFolder.all.count,
      "servers that do not keep to the protocol": try caseCount(
        "BadServerTests", arguments: BadServerTests.greetings.count,
        BadServerTests.wrongCounts.count, BadServerTests.malformedStatements.count),
      "initiators that do not, and four that do": try caseCount(
        "BadInitiatorTests", arguments: BadInitiatorTests.malformedQueries.count),
      "journals that are none, or damaged": CorpusTable.refused.count,
      "devices whose lines are wrong, each by a pipe, a journal and a folder":
        BadPeerTests.Fault.allCases.count * BadPeerTests.Transport.allCases.count,
    ]
    let rows = try rows()
    for (what, count) in expected {
      let row = try #require(rows.first { $0[0] == what }, "\(what)")
      #expect(row[1] == "\(count)", "\(what)")
    }
    #expect(HostileFolder.all.count >= 43)
  }

  @Test func `the page states the number of operations and kinds of calls`() throws {
    let page = try #require(Self.page)
    let operations =
      try source("FailureOperation").ranges(of: "FailureOperation(\n").count
      + source("FailureOperation").ranges(of: "FailureOperation(name").count
    #expect(page.contains("There are \(operations) operations"))
    let kinds = try source("CallKind").ranges(of: /CallKind\(\s*name:/).count
    #expect(page.contains("\(kinds) kinds of calls"))
  }
}
