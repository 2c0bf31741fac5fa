import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Journals with the state that every implementation must produce.
@Suite struct GoldenTests {
  static let names = (try? FormatFiles.names(in: "Golden", suffix: ".jsonl")) ?? []

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ bytes: [UInt8]) throws -> Journal {
    let disk = SystemFileSystem()
    let file = try disk.open(folder.file("ada.jsonl"), .create)
    defer { disk.close(file) }
    try disk.truncate(file, to: 0)
    try disk.writeAll(file, bytes, at: 0)
    return Journal(path: folder.file("ada.jsonl"), catalog: .standard)
  }

  @Test func `every golden journal has a golden state, and every state a journal`() throws {
    #expect(Self.names.count >= 40)
    #expect(try FormatFiles.names(in: "Golden", suffix: ".project.json") == Self.names)
  }

  @Test(arguments: names) func `a golden journal projects to its golden state`(name: String) throws
  {
    let journal = try write(FormatFiles.bytes("Golden", name + ".jsonl"))
    let expected = try FormatFiles.bytes("Golden", name + ".project.json")
    #expect(try journal.snapshot().snapshot.json() + [0x0A] == expected)
    #expect(try journal.verify().problems.map(\.code.text) == Self.problems(of: name))
  }

  /// Some golden journals deliberately lack events.
  private static func problems(of name: String) -> [String] {
    name.hasPrefix("gap") ? ["gap"] : []
  }

  @Test(arguments: names)
  func `a golden journal with shuffled and repeated lines projects to the same state`(
    name: String
  ) throws {
    var random = FormatRandom.generator("Golden order \(name)")
    let lines = try Self.lines(of: name)
    let expected = try FormatFiles.bytes("Golden", name + ".project.json")
    for _ in 0..<Rounds.of(3) {
      let repeated = lines.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
      let shuffled = (lines + repeated).shuffled(using: &random)
      let journal = try write(shuffled.flatMap { $0 + [0x0A] })
      let found = try journal.snapshot().snapshot.json() + [0x0A]
      #expect(String(decoding: found, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
      #expect(try journal.verify().problems.map(\.code.text) == Self.problems(of: name))
    }
  }

  /// The lines of a golden journal, without LF and CR.
  private static func lines(of name: String) throws -> [[UInt8]] {
    try FormatFiles.bytes("Golden", name + ".jsonl").split(separator: 0x0A)
      .filter { $0.contains(UInt8(ascii: "{")) }
      .map { Array($0.last == 0x0D ? $0.dropLast() : $0) }
  }

  /// Order of members, white space, escapes and line endings have no meaning.
  ///
  /// The chains of `circle` were constructed for its exact bytes, so it can't be respelled.
  @Test(arguments: names.filter { $0 != "circle" })
  func `a respelled golden journal projects to the same state`(name: String) throws {
    var speller = Respeller(FormatRandom.generator("Golden \(name)"))
    let lines = try Self.lines(of: name)
    let expected = try FormatFiles.bytes("Golden", name + ".project.json")
    for _ in 0..<Rounds.of(3) {
      let respelled = try RespelledJournal(lines, &speller)
      let bytes = respelled.lines.flatMap { line in
        let ends: [[UInt8]] = [[0x0A], [0x0D, 0x0A], [0x0A, 0x20, 0x09, 0x0A]]
        return line + ends.randomElement(using: &speller.random)!
      }
      let journal = try write(bytes)
      #expect(try journal.verify().problems.map(\.code.text) == Self.problems(of: name))
      let found = try respelled.withOldIDs(journal.snapshot().snapshot.json() + [0x0A])
      if found.utf8.elementsEqual(expected) { continue }
      // Events that differ only in their chains are sorted by chain, which respelling changes.
      #expect(RespelledJournal.sorted(found.utf8) == RespelledJournal.sorted(expected))
    }
  }
}
