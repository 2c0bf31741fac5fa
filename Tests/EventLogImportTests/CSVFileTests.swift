import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Tables with other separators and encodings, and with one column per thing.
@Suite struct CSVFileTests {
  private static let weights = #"""
    {"source":"scale","ignored":["*"],"tables":[{"files":"a.csv","kind":"weight",
    "key":"s-{Date}","fields":{"day":"Date","kilograms":"Weight"}}]}
    """#

  @Test(arguments: [
    ("Date;Weight\n2026-02-01;72,5\n", "semicolons separate the columns."),
    ("\"Date\"\t\"Weight\"\n2026-02-01\t72,5\n", "tabs separate the columns."),
    ("Date|Weight\n2026-02-01|72,5\n", "bars separate the columns."),
    ("Date;Weight;\"a,b,c\"\n2026-02-01;72,5;x\n", "semicolons separate the columns."),
    ("Date;Weight;a, b, c\n2026-02-01;72,5;x\n", "semicolons separate the columns."),
    ("sep=;\nDate;Weight\n2026-02-01;72,5\n", "semicolons separate the columns."),
    (
      "\u{FEFF}\"SEP=;\"\r\n\r\nDate;Weight\r\n2026-02-01;72,5\r\n",
      "semicolons separate the columns."
    ),
    ("sep=^\nDate^Weight\n2026-02-01^72,5\n", "the characters \"^\" separate the columns."),
  ])
  func `the separator is found in the heading or in a first line`(
    _ text: String, _ finding: String
  ) async throws {
    let file = try await TextImport(text)
    let report = try await file.run(Self.weights)
    #expect(file.texts("weight", "kilograms") == ["72.5"])
    #expect(report.findings.first?.hasSuffix(finding) == true, "\(report.findings)")
  }

  @Test func `a table with commas is nothing to report, with a stated separator, too`() async throws
  {
    for text in ["Date,Weight\n2026-02-01,72.5\n", "sep=,\nDate,Weight\n2026-02-01,72.5\n"] {
      let file = try await TextImport(text)
      #expect(try await file.run(Self.weights).findings.isEmpty)
      #expect(file.texts("weight", "kilograms") == ["72.5"])
    }
  }

  @Test func `an error has the line of the file after a line with the separator`() async throws {
    let file = try await TextImport("sep=;\nDate;Weight\nx;72,5\n")
    #expect(await file.refusal(Self.weights).hasPrefix("a.csv:3 "))
  }

  @Test func `a heading that fits two separators is refused`() async throws {
    let file = try await TextImport("Day;Kilograms|Note\n2026-02-01;72|x\n")
    let refused = await file.refusal(Self.weights)
    #expect(refused.contains("a.csv:1: the columns can be separated by semicolons or bars."))
  }

  @Test(arguments: [
    ("<html><body>", "a.csv has no column \"Date\""),
    ("{\"a\":1}", "a.csv has no column \"Date\""),
    ("Date,Wight\n", "a.csv has no column \"Weight\""),
    ("D\u{0}a\u{0};\u{0}|\u{0}", "a.csv:1: the line has a null character (column 2)"),
    ("sep=;\nDate;Weight;Weight\n", "a.csv:2: there are two columns \"Weight\""),
    ("PK\u{3}\u{4}", "\"a.csv\" is a ZIP archive"),
  ])
  func `a file of another kind is refused, without rows, too`(
    _ text: String, _ reason: String
  ) async throws {
    let file = try await TextImport(text)
    let refused = await file.refusal(Self.weights)
    #expect(refused.hasPrefix(reason), "\(refused)")
  }

  @Test func `a file that is compressed with gzip is refused`() async throws {
    let file = try await TextImport([0x1F, 0x8B, 0x08, 0x00])
    #expect(await file.refusal(Self.weights).hasPrefix("\"a.csv\" is compressed with gzip."))
  }

  @Test(arguments: [",72\n", "\"\",72\n"])
  func `a row without the values of its key is refused`(_ row: String) async throws {
    let file = try await TextImport("Date,Weight\n2026-02-01,72\n\(row)")
    #expect(
      await file.refusal(Self.weights).hasPrefix(
        "a.csv:3 cannot be imported: it has no usable \"Date\" for the key of its weight."))
    let rest = Self.weights.replacingOccurrences(
      of: "\"kind\"", with: "\"unless\":{\"Date\":\"\"},\"kind\"")
    try await file.run(rest)
    #expect(file.texts("weight", "kilograms") == ["72"])
  }

  private func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
    "\u{FEFF}\(text)".utf16.flatMap { unit in
      bigEndian
        ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
    }
  }

  @Test(arguments: [true, false])
  func `text in UTF-16 is read by its byte-order mark`(bigEndian: Bool) async throws {
    let text = "Date\tWeight\tNote\r\n2026-02-01\t72.5\té \u{1F600}\r\n"
    let file = try await TextImport(utf16(text, bigEndian: bigEndian))
    let map = Self.weights.replacingOccurrences(
      of: #""day":"Date","#, with: #""day":"Date","note":"Note","#)
    let report = try await file.run(map)
    #expect(file.values("weight", "note") == ["é \u{1F600}"])
    #expect(
      report.findings.map { $0.suffix(53) } == [
        "the text is in UTF-16, and tabs separate the columns."
      ])
  }

  @Test func `damaged UTF-16 is refused with its line`() async throws {
    let text = utf16("Date,Weight\n2026-02-01,72.5\n", bigEndian: false)
    let unpaired: [UInt8] = [0x00, 0xD8]
    for bytes in [text + [0x20], text + unpaired, text + unpaired + [0x20, 0x00]] {
      let file = try await TextImport(bytes)
      #expect(await file.refusal(Self.weights).contains("a.csv:3: the line is not text in UTF-16"))
    }
  }

  // MARK: - Wide tables

  private static let habits = #"""
    {"source":"w","tables":[{"files":"a.csv","wide":{"name":"Habit","value":"Count","keep":"Date"},
    "kind":"habit","key":"w-{Habit}","fields":{"name":"Habit"},"day":"Date",
    "days":{"progress":"Count"}}]}
    """#

  @Test func `a table with one column per thing has a row for each cell`() async throws {
    let file = try await TextImport("Date,Walk,Read,\n2026-02-01,2,,\n2026-02-02,,3,\n")
    let report = try await file.run(Self.habits)
    #expect(report.unknown.isEmpty && file.values("habit", "name") == ["Read", "Walk"])
    let days = file.phone.store.snapshot.entities("habit").map { $0.days.map { $0["progress"] } }
    #expect(days == [[3], [2]])
    let wrong = try await TextImport("Date,Walk\n2026-02-01,x\n")
    #expect(await wrong.refusal(Self.habits).hasPrefix("a.csv:2 cannot be imported"))
  }

  private func loop(_ name: String, in folder: TemporaryFolder) throws {
    try Data("Position,Name,Question,Description,NumRepetitions,Interval,Color\n\(name)\n".utf8)
      .write(to: URL(fileURLWithPath: folder.file("Habits.csv")))
    try Data("Date,Walk,\n2026-02-01,2,\n2026-02-02,0,\n".utf8)
      .write(to: URL(fileURLWithPath: folder.file("Checkmarks.csv")))
  }

  @Test func `Loop's table of all habits is read if the folders are missing`() async throws {
    let folder = try TemporaryFolder()
    try loop("001,Walk,,,1,1,#00897B", in: folder)
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let importer = Importer(path: folder.path, map: try #require(ImportMap.builtIn("loop")))
    let report = try await importer.run(into: phone.store)
    #expect(report.findings.count == 1 && report.remarks.isEmpty && report.unknown.isEmpty)
    let walk = try #require(phone.store.snapshot.entities("habit").first)
    #expect(walk.days.map(\.day.description) == ["2026-02-01"])
    #expect(walk.days.map { $0["progress"] } == [1])
    #expect(try await importer.run(into: phone.store).eventCount == 0)
  }

  @Test func `a column of Loop's table that is no habit is refused`() async throws {
    let folder = try TemporaryFolder()
    try loop("001,Run,,,1,1,#00897B", in: folder)
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let importer = Importer(path: folder.path, map: try #require(ImportMap.builtIn("loop")))
    let error = await #expect(throws: EventLogError.self) {
      try await importer.run(into: phone.store)
    }
    #expect(error?.message.contains("none has \"Walk\" as its Name") == true)
  }
}
