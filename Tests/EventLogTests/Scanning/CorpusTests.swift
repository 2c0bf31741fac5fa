import EventLogCollections
import EventLogInspection
import EventLogTesting
import Testing

@testable import EventLog

/// Every rule of the format, as a file of `Corpus` that keeps or breaks it.
@Suite struct CorpusTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Copies a corpus file to a separate folder, so that no file is written next to the original.
  private func copy(_ name: String) throws -> (path: String, bytes: [UInt8]) {
    let bytes = try FormatFiles.bytes("Corpus", name + ".jsonl")
    return (try write(bytes, as: name + ".jsonl"), bytes)
  }

  private func write(_ bytes: [UInt8], as name: String) throws -> String {
    let disk = SystemFileSystem()
    let path = folder.file(name)
    let file = try disk.open(path, .createNew)
    defer { disk.close(file) }
    try disk.writeAll(file, bytes, at: 0)
    return path
  }

  /// Every corpus file is read as the journal of the same user.
  private func journal(_ path: String) -> Journal {
    Journal(path: path, catalog: .standard, user: "ada")
  }

  /// The problems, spelled as in the table.
  private func problems(of report: VerificationReport) -> [String] {
    report.problems.map { "\($0.line):\($0.byte):\($0.code.text)" }
  }

  @Test(arguments: CorpusTable.accepted)
  func `every allowed spelling is read without a problem`(entry: CorpusTable.Entry) throws {
    let (path, bytes) = try copy(entry.name)
    let journal = journal(path)
    let report = try journal.verify()
    #expect(problems(of: report) == [])
    #expect([String(report.eventCount)] + report.notes.map(\.code.text) == entry.words)
    #expect(report.byteCount == Int64(bytes.count))
    var replayed = 0
    let result = try journal.replay { _, _ in
      replayed += 1
      return true
    }
    #expect(replayed == report.eventCount)
    #expect(result.firstDamage == nil)
    #expect(try journal.snapshot().snapshot.eventCount == report.eventCount)
  }

  @Test(arguments: CorpusTable.refused)
  func `every broken rule is reported with line, byte and code`(entry: CorpusTable.Entry) throws {
    let (path, bytes) = try copy(entry.name)
    let report = try journal(path).verify()
    #expect(problems(of: report) == entry.words)
    #expect(report.problemCount == entry.words.count)
    #expect(report.problems.allSatisfy { !$0.message.isEmpty })
    // Reading never changes a file, even a damaged one.
    let after = try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 24)
    #expect(after == bytes)
    #expect(try SystemFileSystem().contents(of: folder.path) == [entry.name + ".jsonl"])
  }

  @Test(arguments: CorpusTable.refused)
  func `a state reports the same damage as verify`(entry: CorpusTable.Entry) throws {
    let (path, _) = try copy(entry.name)
    let report = try journal(path).verify()
    if entry.words.first?.hasSuffix(":doubtfulTail") == true, report.eventCount == 0 {
      let error = #expect(throws: EventLogError.self) { try journal(path).snapshot() }
      #expect(error?.code == .notAJournal)
      return
    }
    let read = try journal(path).snapshot()
    #expect(read.firstDamage == report.problems.first { $0.isDamage })
    #expect(read.snapshot.damage + read.warnings == report.problems)
  }

  @Test func `the tables list exactly the files of the corpus`() throws {
    let tables = (CorpusTable.accepted + CorpusTable.refused).map(\.name)
    #expect(try FormatFiles.names(in: "Corpus", suffix: ".jsonl") == tables.sorted())
    #expect(CorpusTable.accepted.allSatisfy { $0.name.hasPrefix("y_") })
    #expect(CorpusTable.refused.allSatisfy { $0.name.hasPrefix("n_") && !$0.words.isEmpty })
  }

  // MARK: - Completeness

  /// The switch is exhaustive, so a new code doesn't compile until it is sorted in here.
  private static func isBetweenLines(_ code: JournalProblem.Code) -> Bool {
    switch code {
    case .line, .note, .otherThanStated: false
    // Only `device.json` reveals it.
    case .cutOff: false
    case .gap, .notJoined, .otherUser, .unnamedErasure, .doubtfulTail: true
    }
  }

  private static let betweenLines: [JournalProblem.Code] = [
    .gap, .notJoined, .otherUser, .unnamedErasure, .doubtfulTail,
  ]

  /// Too large for a file in the repository; the tests below generate it.
  private static let generated = [LineFault.Code.lineTooLong.rawValue]

  @Test func `every problem code and every note has a corpus file`() {
    let inFiles = Set(
      CorpusTable.refused.flatMap(\.words).map { String($0.split(separator: ":")[2]) })
    let wanted = LineFault.Code.allCases.map(\.rawValue) + Self.betweenLines.map(\.text)
    #expect(Self.betweenLines.allSatisfy(Self.isBetweenLines))
    #expect(Set(wanted) == inFiles.union(Self.generated))
    #expect(Set(wanted).count == wanted.count)
    let notes = Set(CorpusTable.accepted.flatMap { $0.words.dropFirst() })
    #expect(notes == Set(JournalProblem.Note.allCases.map(\.rawValue)))
  }

  // MARK: - Line length limit

  private static let joined = sealed(
    #"{"id":"a:1","at":"2026-01-28T09:12:33.123Z","type":"device.joined""#
      + #","data":{"user":"ada","name":"A"}"#)

  /// Event `a:2` in a line of exactly `count` bytes.
  private static func long(_ count: Int) -> [UInt8] {
    let start = #"{"id":"a:2","at":"2026-01-28T09:12:34.123Z","type":"settings.changed""#
    let covered = start + #","data":{"x":""#
    let filler = count - covered.utf8.count - 2 - 26
    return sealed(
      covered + String(decoding: [UInt8](repeating: 0x78, count: filler), as: UTF8.self) + "\"}",
      after: sealedTail(of: joined)!.chain)
  }

  @Test(arguments: ["\n", "\r\n", "", " "])
  func `a line of 1048576 bytes is read, with any line ending`(end: String) throws {
    let bytes = Self.joined + [0x0A] + Self.long(1_048_576) + Array(end.utf8)
    let report = try Journal(path: write(bytes, as: "ada.jsonl"), catalog: .standard).verify()
    #expect(problems(of: report) == [])
    #expect(report.eventCount == 2)
  }

  @Test(arguments: [1_048_577, 1_048_578, 1_310_720, 1_310_722, 3_000_000], ["\n", "\r\n"])
  func `a longer line is refused, and the lines after it are read`(
    count: Int, end: String
  ) throws {
    let long = Self.long(count)
    let next = sealed(
      #"{"id":"a:2","at":"2026-01-28T09:12:34.123Z","type":"settings.changed","data":{"x":1}"#,
      after: sealedTail(of: Self.joined)!.chain)
    let bytes = Self.joined + [0x0A] + long + Array(end.utf8) + next + [0x0A]
    let report = try Journal(path: write(bytes, as: "ada.jsonl"), catalog: .standard).verify()
    let byte = Self.joined.count + 1 + 1_048_576
    #expect(problems(of: report) == ["2:\(byte):lineTooLong"])
    #expect(report.eventCount == 2)
  }

  @Test func `a line that is too long at the end of the file is a doubtful end`() throws {
    let bytes = Self.joined + [0x0A] + Self.long(2_000_000)
    let report = try Journal(path: write(bytes, as: "ada.jsonl"), catalog: .standard).verify()
    #expect(problems(of: report) == ["2:\(Self.joined.count + 1):doubtfulTail"])
    #expect(report.eventCount == 1)
  }
}
