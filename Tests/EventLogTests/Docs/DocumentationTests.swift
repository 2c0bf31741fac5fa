import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogPipe

/// Checks the facts stated in the documents against the product, so that they can't drift.
@Suite struct DocumentationTests {
  /// The top of the repository; this file is `Tests/EventLogTests/Docs/DocumentationTests.swift`.
  private static let top: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url
  }()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: top.appendingPathComponent(path), encoding: .utf8)
  }

  /// The contents of the fenced blocks of a language, in order.
  private func blocks(_ language: String, of text: String) -> [String] {
    text.components(separatedBy: "\n```" + language + "\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0]
    }
  }

  /// The cells of the table rows, each trimmed.
  private func rows(_ text: String) -> [[String]] {
    text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  // MARK: - Format

  @Test func `the journal on the format's page is sound and projects to the state shown there`()
    throws
  {
    let json = blocks("json", of: try Self.text("Docs/Internals/Format.md"))
    try #require(json.count >= 2)
    let folder = try TemporaryFolder()
    let path = folder.file("ada.jsonl")
    try Data((json[0] + "\n").utf8).write(to: URL(fileURLWithPath: path))
    let report = try Journal(path: path, catalog: .standard).verify()
    #expect(report.eventCount == 6)
    #expect(report.problemCount == 0)
    #expect(report.notes.isEmpty)
    let snapshot = try Journal(path: path, catalog: .standard).snapshot().snapshot
    let shown = try JSONValue(parsing: json[1].utf8)
    #expect(try JSONValue(parsing: snapshot.json()) == shown)
    // The page shows keys in the order of the product.
    #expect(shown.text == String(decoding: snapshot.json(), as: UTF8.self))
  }

  @Test func `the checksums in the format's example are correct`() throws {
    let format = try Self.text("Docs/Internals/Format.md")
    let lines = blocks("json", of: format)[0].split(separator: "\n")
    var found = 0
    for row in rows(format) where row.count == 5 && row[0].contains(":") {
      let cells = row.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "`")) }
      guard let line = lines.first(where: { $0.hasPrefix(#"{"id":"\#(cells[0])""#) }) else {
        continue
      }
      found += 1
      let covered = Array(line.utf8.dropLast(26))
      #expect(String(covered.count) == cells[1])
      #expect(CRC32C.checksum(covered) == UInt32(cells[2], radix: 16))
      let before = try #require(UInt32(cells[3], radix: 16))
      let checksum = LineChecksum.of(covered: covered, after: before)
      #expect(checksum.description == cells[3] + cells[4])
      #expect(line.hasSuffix(#","crc":"\#(checksum.description)"}"#))
    }
    #expect(found == 3)
  }

  @Test func `the messages on the protocol's page can be parsed`() throws {
    let page = try Self.text("Docs/Internals/Protocol.md")
    var names: Set<String> = []
    for line in blocks("text", of: page).prefix(2).joined(separator: "\n").split(separator: "\n") {
      guard line.hasPrefix("> ") || line.hasPrefix("< ") else { continue }
      let message = try #require(PipeMessage(line: Array(line.utf8.dropFirst(2))), "\(line)")
      #expect(message.bytes == Array(line.utf8.dropFirst(2)) + [0x0A])
      names.insert("`\(message.name)`")
    }
    let listed = rows(page).filter { $0.count == 4 && $0[0].hasPrefix("`") }.map { $0[0] }
    #expect(listed.count == 21)
    #expect(names.isSubset(of: listed) && names.count == 18)
  }

  // MARK: - Codes and tables

  @Test(arguments: LineFault.Code.allCases)
  func `every code of a refused line is on the format's page`(_ code: LineFault.Code) throws {
    let format = try Self.text("Docs/Internals/Format.md")
    #expect(rows(format).contains { $0.first == "`\(code.rawValue)`" })
  }

  @Test func `every error code is on the page of errors`() throws {
    let source = try Self.text("Sources/EventLog/Events/EventLogError.swift")
    let codes = source.components(separatedBy: "= Code(\"").dropFirst().map {
      $0.prefix { $0 != "\"" }
    }
    #expect(codes.count > 10)
    let listed = rows(try Self.text("Docs/Internals/Errors.md")).compactMap(\.first).joined()
    for code in codes { #expect(listed.contains("`\(code)`"), "\(code) is not listed") }
  }

  // MARK: - Schemas

  @Test func `the schemas on the pages can be declared`() throws {
    let files =
      blocks("json", of: try Self.text("Docs/Guides/Modelling.md"))
      + blocks("json", of: try Self.text("README.md")).filter { $0.contains("collections") }
    #expect(files.count == 2)
    for file in files {
      _ = try SchemaCatalog.standard.adding(CollectionSchema.collections(parsing: file.utf8))
    }
  }

  @Test func `the page on modeling lists all fields, event types and collections`() throws {
    let rows = rows(try Self.text("Docs/Guides/Modelling.md"))
    func spelled(_ row: [String], _ cell: Int = 0) -> String {
      row[cell].trimmingCharacters(in: CharacterSet(charactersIn: "`"))
    }
    let fields = rows.filter { $0.count == 3 && ["counter", "set", "register"].contains($0[2]) }
    let words = fields.map { String(spelled($0).prefix { $0 != " " }) }
    #expect(Set(words) == Set(["counter", "members"] + ValueRule.words))
    for row in fields {
      let mechanism = try #require(FieldSchema.Mechanism(spelling: spelled(row)), "\(row[0])")
      let word = mechanism == .counter ? "counter" : mechanism == .members ? "set" : "register"
      #expect(row[2] == word)
    }
    let core = SchemaCatalog.standard.collections
    let further = SchemaCatalog.bundled.collections.filter { !core.contains($0) }
    let listed = rows.filter { $0.count == 4 }.map { [spelled($0), spelled($0, 1)] }
    for collection in further {
      #expect(listed.contains([collection.kind, collection.section]), "\(collection.kind)")
    }
    let verbs = Set(
      [CollectionSchema.meal, .diet].flatMap(\.events).map { $0.type.split(separator: ".")[1] })
    let types = listed.filter { $0[0].hasPrefix("<kind>.") }.map { $0[0].split(separator: ".")[1] }
    #expect(Set(types) == verbs)
    #expect(types.count == verbs.count)
  }
}
