import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Tables whose rows come from several files, and files that several tables read.
@Suite struct SeveralFilesTests {
  private func report(
    _ map: String, _ files: [String: String]
  ) async throws -> (report: ImportReport, state: Snapshot) {
    let folder = try TemporaryFolder()
    for (name, text) in files {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
    }
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let importer = Importer(path: folder.path, map: try ImportMap(parsing: map.utf8))
    let report = try await importer.run(into: phone.store)
    #expect(try await importer.run(into: phone.store).eventCount == 0)
    withExtendedLifetime(folder) {}
    return (report, phone.store.snapshot)
  }

  private func foods(_ table: String) -> String {
    #"{"source":"f","ignored":["*"],"tables":[{\#(table),"kind":"food","key":"f-{title}","#
      + #""several":"each","fields":{"name":"title","kcal":{"column":"kcal","as":"whole"}}}]}"#
  }

  @Test(arguments: [
    (#""files":"{Month}.csv""#, ["a.csv": "title,kcal\nTea,1\n", "b.csv": "title,kcal\nTea,2\n"]),
    (
      #""files":"{Month}.json","rows":"""#,
      ["a.json": #"[{"title":"Tea","kcal":1}]"#, "b.json": #"[{"title":"Tea","kcal":2}]"#]
    ),
  ])
  func `rows with the same key in two files are different things`(
    _ table: String, _ files: [String: String]
  ) async throws {
    let state = try await report(foods(table), files).state
    #expect(state.entities("food").map(\.id.key) == ["f-Tea", "f-Tea~2"])
    #expect(state.entities("food").map { $0["kcal"] } == [1, 2])
  }

  @Test func `files without the path are counted in the report`() async throws {
    let files = [
      "a.json": #"{"h":[{"title":"Tea","kcal":1}]}"#, "b.json": #"{"x":[]}"#,
      "c.json": #"{"h":[]}"#,
    ]
    let report = try await report(foods(#""files":"{Month}.json","rows":"h""#), files).report
    #expect(
      report.findings == [
        "1 of 3 files have no \"h\".", "The map ignores all that it doesn't name: b.json.",
      ])
  }

  @Test func `rows that are left out have no number`() async throws {
    let text = "title,kcal\nTea,0\nTea,1\nTea,0\nTea,2\n"
    let map = foods(#""files":"a.csv","unless":{"kcal":"0"}"#)
    let state = try await report(map, ["a.csv": text]).state
    #expect(state.entities("food").map(\.id.key) == ["f-Tea", "f-Tea~2"])
    #expect(state.entities("food").map { $0["kcal"] } == [1, 2])
  }

  @Test func `two tables read the columns and the cells of one file`() async throws {
    let weights = #"""
      {"files":"a.csv","kind":"weight","key":"w-{Date}",
      "fields":{"day":"Date","kilograms":"Weight"}}
      """#
    let drinks = #"""
      {"files":"a.csv","unless":{"Name":"Weight"},
      "wide":{"name":"Name","value":"Amount","keep":"Date"},"kind":"hydration",
      "key":"h-{Name}","fields":{"name":"Name"},"day":"Date","days":{"ml":"Amount"}}
      """#
    for tables in ["\(weights),\(drinks)", "\(drinks),\(weights)"] {
      let map = #"{"source":"f","ignored":["*"],"tables":[\#(tables)]}"#
      let state = try await report(map, ["a.csv": "Date,Weight,Tea\n2026-02-01,72,250\n"]).state
      #expect(state.entities("weight").map { $0["kilograms"] } == [72])
      #expect(state.entities("hydration").map { $0["name"] } == ["Tea"])
      #expect(state.entities("hydration").map { $0.days.map { $0["ml"]?.text } } == [["250"]])
    }
  }

  @Test func `hidden files and other things in a folder are reported`() async throws {
    let folder = try TemporaryFolder()
    try Data("title,kcal\nTea,1\n".utf8).write(to: URL(fileURLWithPath: folder.file("a.csv")))
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file(".b.csv")))
    #expect(mkfifo(folder.file("pipe"), 0o600) == 0)
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let map = try ImportMap(parsing: foods(#""files":"{Month}.csv""#).utf8)
    let report = try await Importer(path: folder.path, map: map).run(into: phone.store)
    #expect(report.findings.count == 1 && report.findings[0].hasSuffix("not read: .b.csv, pipe."))
    let error = await #expect(throws: EventLogError.self) {
      try await Importer(path: folder.file("pipe"), map: map).run(into: phone.store)
    }
    #expect(error?.message.contains("is neither a file nor a folder") == true)
    #expect(error?.hint?.hasPrefix("Save what it holds to a file") == true)
  }

  @Test func `a folder below too many others is named`() async throws {
    let folder = try TemporaryFolder()
    let deep = folder.file(Array(repeating: "a", count: 66).joined(separator: "/"))
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let map = try ImportMap(parsing: foods(#""files":"{Month}.csv""#).utf8)
    let error = await #expect(throws: EventLogError.self) {
      try await Importer(path: folder.path, map: map).run(into: phone.store)
    }
    #expect(error?.message.contains("is below 64 other folders") == true)
    withExtendedLifetime(folder) {}
  }

  @Test func `names that a map ignores without naming them are reported`() async throws {
    let files = ["a.json": #"[{"title":"Tea","kcal":1,"history":[{"day":1}],"empty":null}]"#]
    let map = foods(#""files":"{Month}.json","rows":"""#)
    let report = try await report(map, files).report
    #expect(report.unknown.isEmpty)
    #expect(
      report.findings == [
        #"The map ignores all that it doesn't name: a.json: the column "history"."#
      ])
    let named = map.replacingOccurrences(of: #"["*"]"#, with: #"["*","history"]"#)
    #expect(try await self.report(named, files).report.findings.isEmpty)
  }
}
