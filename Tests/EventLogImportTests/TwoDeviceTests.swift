import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Every built-in map and every shape of a source, imported twice, and on two devices that sync.
@Suite struct TwoDeviceTests {
  /// A source of one shape: its files by path, and a map.
  struct Shape: Sendable, CustomTestStringConvertible {
    var name: String
    var map: String
    var files: [(path: String, bytes: Data)]

    var testDescription: String { name }

    init(_ name: String, _ map: String, _ files: KeyValuePairs<String, String>) {
      self.name = name
      self.map = map
      self.files = files.map { ($0.key, Data($0.value.utf8)) }
    }
  }

  private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("SampleLogs/Imports")

  // MARK: - Built-in maps

  private static let builtIn = [
    ("cronometer", "Cronometer.csv"), ("daylio", "Daylio.csv"), ("habitbull", "HabitBull.csv"),
    ("habitica", "Habitica.json"), ("loop", "Loop"), ("settings", "App.plist"),
    ("strong", "Strong.csv"),
  ]

  @Test func `each built-in map has a sample`() {
    #expect(Self.builtIn.map(\.0) == ImportMap.builtInNames)
  }

  @Test(arguments: builtIn)
  func `a built-in map doubles nothing`(_ map: String, _ file: String) async throws {
    let path = Self.samples.appendingPathComponent(file).path
    try await check(
      Importer(
        path: path, map: try #require(ImportMap.builtIn(map)), zone: ImportZone(offset: "UTC")))
  }

  // MARK: - Shapes

  private static func map(_ table: String) -> String {
    #"{"source":"s","ignored":["*"],"tables":[\#(table)]}"#
  }

  private static let weights = map(
    #"{"files":"a.csv","kind":"weight","key":"s-{Date}","fields":{"day":"Date","#
      + #""kilograms":"Weight"},"unless":{"Date":"Total"}}"#)

  private static func foods(_ rows: String, _ more: String = "") -> String {
    map(
      #"{"rows":"\#(rows)",\#(more)"kind":"food","key":"s-{title}","#
        + #""fields":{"name":"title","kcal":{"column":"kcal","optional":true}}}"#)
  }

  private static let loopHeading =
    "Position,Name,Question,Description,NumRepetitions,Interval,Color\n"

  private static let drinks = "day,ml\n2026-02-01,250\n2026-02-01,250\n2026-02-01,300\n"

  private static func drinks(_ table: String, _ field: String = #""ml""#) -> String {
    map(
      #"{"files":"a.csv","kind":"hydration","key":"water",\#(table)"#
        + #""fields":{"name":{"value":"Water"}},"day":"day","days":{"ml":\#(field)}}"#)
  }

  static let shapes: [Shape] = [
    // CSV.
    Shape("semicolons", weights, ["a.csv": "Date;Weight\n2026-02-01;72,5\n2026-02-02;72,4\n"]),
    Shape("tabs", weights, ["a.csv": "Date\tWeight\n2026-02-01\t72.5\n"]),
    Shape("a line with the separator", weights, ["a.csv": "sep=|\nDate|Weight\n2026-02-01|72\n"]),
    Shape(
      "thousands and a total", weights,
      ["a.csv": "Date,Weight\n2026-02-01,\"1,050.5\"\nTotal,\"1,050.5\"\n"]),
    Shape("day first", weights, ["a.csv": "Date,Weight\n5/2/2026,72\n13/2/2026,73\n"]),
    Shape(
      "local times",
      map(
        #"{"files":"a.csv","kind":"reaction","key":"s-{D}-{T}","at":{"text":"{D} {T}"},"#
          + #""fields":{"symptom":"S","day":"D"}}"#),
      ["a.csv": "D,T,S\n2026-02-01,3:26 PM,good\n2026-02-01,193055,bad\n"]),
    Shape("rows of one day, the last", drinks(""), ["a.csv": drinks]),
    Shape(
      "rows of one day, added", drinks("", #"{"column":"ml","several":"sum"}"#), ["a.csv": drinks]),
    Shape(
      "rows of one day, the greatest", drinks("", #"{"column":"ml","several":"max"}"#),
      ["a.csv": drinks]),
    Shape("rows of one day, each", drinks(#""several":"each","#), ["a.csv": drinks]),
    Shape(
      "equal rows, each",
      map(
        #"{"files":"a.csv","kind":"food","key":"s-{n}","several":"each","#
          + #""fields":{"name":"n","kcal":"k"}}"#),
      ["a.csv": "n,k\nTea,1\nTea,1\nTea,2\n"]),
    Shape(
      "one column per thing",
      map(
        #"{"files":"a.csv","wide":{"name":"H","value":"V","keep":"Date"},"kind":"habit","#
          + #""key":"s-{H}","fields":{"name":"H"},"day":"Date","days":{"progress":"V"}}"#),
      ["a.csv": "Date,Run,Swim\n2026-02-01,1,2\n2026-02-02,,3\n"]),
    Shape(
      "rounded numbers with their digits",
      map(
        #"{"files":"a.csv","kind":"habit","key":"s-{n}","fields":{"name":"n","#
          + #""position":{"column":"k","as":"whole","round":true,"exact":"exact.position"}}}"#),
      ["a.csv": "n,k\nTea,1.5\nSoup,2\n"]),
    Shape(
      "links by name",
      map(
        #"{"files":"h.csv","kind":"habit","key":"s-{Name}","fields":{"name":"Name"}},"#
          + #"{"files":"d.csv","join":{"file":"h.csv","on":"ID"},"kind":"habit","key":"s-{Name}","#
          + #""day":"Day","days":{"progress":"Count"}}"#),
      ["h.csv": "ID,Name\n7,Run\n8,Swim\n", "d.csv": "ID,Day,Count\n7,2026-02-01,2\n"]),
    // Loop.
    Shape(
      "Loop's table of all habits", "loop",
      [
        "Habits.csv": loopHeading + "001,Walk,,,1,1,#00897B\n",
        "Checkmarks.csv": "Date,Walk,\n2026-02-01,2,\n",
      ]),
    Shape(
      "Loop without a heading", "loop",
      [
        "Habits.csv": loopHeading + "001,Walk,,,1,1,#00897B\n",
        "001 Walk/Checkmarks.csv": "2026-02-01,2\n",
      ]),
    Shape(
      "twins", "loop",
      [
        "Habits.csv": loopHeading + "001,Gym,,,1,1,#111111\n002,Gym,,,3,7,#222222\n",
        "001 Gym/Checkmarks.csv": "2024-01-01,2\n", "002 Gym/Checkmarks.csv": "2026-01-02,2\n",
      ]),
    // JSON.
    Shape("a list", foods("a"), ["a.json": #"{"a":[{"title":"Tea","kcal":1},{"title":"Mate"}]}"#]),
    Shape("a list below the top", foods("a.b"), ["a.json": #"{"a":{"b":[{"title":"Tea"}]}}"#]),
    Shape("objects by ID", foods("a"), ["a.json": #"{"a":{"x":{"title":"Tea","kcal":2}}}"#]),
    Shape("JSON Lines", foods(""), ["a.jsonl": "{\"title\":\"Tea\"}\n{\"title\":\"Mate\"}\n"]),
    Shape(
      "one object per file", foods(""),
      ["tea/a.json": #"{"title":"Tea"}"#, "mate/a.json": #"{"title":"Mate","kcal":3}"#]),
    Shape(
      "columns in objects",
      map(#"{"rows":"","kind":"food","key":"s-{id}","fields":{"name":"about.title"}}"#),
      ["a.json": #"[{"id":1,"about":{"title":"Tea"}}]"#]),
    Shape(
      "a day dictionary",
      map(
        #"{"rows":"h","kind":"habit","key":"s-{id}","fields":{"name":"name"}},"#
          + #"{"rows":"h.days","wide":{"name":"date","value":"n"},"kind":"habit","#
          + #""key":"s-{id}","day":"date","days":{"progress":"n"}}"#),
      ["a.json": #"{"h":[{"id":7,"name":"Run","days":{"2026-02-01":3,"2026-02-02":1}}]}"#]),
    Shape(
      "a list of days",
      map(
        #"{"rows":"h.days","wide":{"name":"date","value":"n"},"kind":"habit","#
          + #""key":"s-{id}","day":"date","days":{"progress":{"value":1}}}"#),
      ["a.json": #"{"h":[{"id":7,"days":["2026-02-01","2026-02-02"]}]}"#]),
    Shape(
      "Firestore", foods("documents", #""form":"firestore","#),
      ["a.json": #"{"documents":[{"name":"d/1","fields":{"title":{"stringValue":"Tea"}}}]}"#]),
    // Property lists.
    Shape(
      "JSON in a property list, as a value",
      #"{"source":"s","keys":{"Habits":{"kind":"settings","field":"habits","as":"any"}}}"#,
      ["a.plist": "<plist><dict><key>Habits</key><data>W3siYSI6MX1d</data></dict></plist>"]),
    Shape(
      "JSON in a property list, as rows", foods("Foods"),
      [
        "a.plist":
          "<plist><dict><key>Foods</key><data>W3sidGl0bGUiOiJUZWEifV0=</data></dict></plist>"
      ]),
    Shape(
      "a set", #"{"source":"s","keys":{"Tags":{"kind":"settings","field":"tags","as":"members"}}}"#,
      ["a.json": #"{"Tags":["a","b"]}"#]),
  ]

  @Test(arguments: shapes)
  func `a shape doubles nothing`(_ shape: Shape) async throws {
    let folder = try TemporaryFolder()
    for (path, bytes) in shape.files {
      let file = URL(fileURLWithPath: folder.file(path))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try bytes.write(to: file)
    }
    let map = try ImportMap.builtIn(shape.map) ?? ImportMap(parsing: shape.map.utf8)
    // A map of keys is for one file.
    let path = map.tables.isEmpty ? folder.file(shape.files[0].path) : folder.path
    try await check(Importer(path: path, map: map, zone: ImportZone(offset: "+01:00")))
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [false, true])
  func `text in UTF-16 doubles nothing`(isBigEndian: Bool) async throws {
    let text = "\u{FEFF}Date\tWeight\n2026-02-01\t72.5\n"
    let bytes = text.utf16.flatMap { unit in
      [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)].reversedIf(isBigEndian)
    }
    try await check(
      Importer(contents: bytes, named: "a.csv", map: ImportMap(parsing: Self.weights.utf8)))
  }

  @Test func `a SQLite file doubles nothing`() async throws {
    let map = Self.map(
      #"{"table":"meals","kind":"food","key":"s-{id}","fields":{"name":"name","kcal":"kcal"}},"#
        + #"{"query":"SELECT day, max(kg) AS kg FROM weights GROUP BY day","kind":"weight","#
        + #""key":"s-{day}","fields":{"day":"day","kilograms":"kg"}}"#)
    try await check(
      Importer(
        path: Self.samples.appendingPathComponent("Meals.sqlite").path,
        map: ImportMap(parsing: map.utf8)))
  }

  // MARK: - One import

  /// Imports twice on each of two devices, syncs them, and imports on each again.
  private func check(_ importer: Importer) async throws {
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let tablet = try await TemporaryStore(device: "tablet", user: "ada", catalog: .bundled, seed: 2)
    let report = try await importer.run(into: phone.store)
    #expect(report.eventCount > 0)
    let (content, conflicts) = Self.content(phone)
    for device in [phone, tablet] {
      _ = try await importer.run(into: device.store)
      #expect(try await importer.run(into: device.store).eventCount == 0)
      #expect(Self.content(device) == (content, conflicts))
    }
    let synced = try await phone.sync(with: tablet)
    #expect(synced.forks.isEmpty && !synced.hasDuplicateWriter && synced.notices.isEmpty)
    #expect(phone.store.snapshot.eventCount == 2 * report.eventCount)
    for device in [phone, tablet] {
      #expect(Self.content(device) == (content, conflicts))
      #expect(try await importer.run(into: device.store).eventCount == 0)
    }
    // Only the places of one map may disagree: each is a source of its own.
    if importer.map.places.count < 2 { #expect(conflicts.isEmpty) }
  }

  /// The shown values of a device, and its fields with a conflict.
  private static func content(_ device: TemporaryStore) -> ([String], Set<String>) {
    let state = device.store.snapshot
    return (
      state.report.filter { !$0.hasPrefix("conflict") },
      Set(state.conflicts.map { "\($0.entity)#\($0.field)" })
    )
  }
}

extension [UInt8] {
  fileprivate func reversedIf(_ isReversed: Bool) -> [UInt8] { isReversed ? reversed() : self }
}
