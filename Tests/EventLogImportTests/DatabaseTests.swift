import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Imports of SQLite files.
@Suite struct DatabaseTests {
  private static let map = #"""
    {"source":"meals","tables":[
      {"table":"meals","kind":"food","key":"meals-{id}",
       "fields":{"name":"name","day":"eaten_on","kcal":"kcal"}},
      {"query":"SELECT day, max(kg) AS kg FROM weights GROUP BY day","kind":"weight",
       "key":"meals-{day}","fields":{"day":"day","kilograms":"kg"}}]}
    """#

  private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("SampleLogs/Imports/Meals.sqlite")

  private func importing(_ bytes: Data, _ map: String = map) async throws -> TextImport {
    let test = try await TextImport(bytes, named: "Meals.sqlite")
    try await test.run(map)
    return test
  }

  @Test func `a table and a query become entities`() async throws {
    let bytes = try Data(contentsOf: Self.sample)
    let test = try await importing(bytes)
    #expect(test.values("food", "name") == ["Porridge", "Lentil soup", "Crème brûlée"])
    #expect(test.texts("food", "kcal") == ["310.5", nil, "402.0"])
    #expect(test.texts("weight", "kilograms") == ["61.5", "61.25"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: test.path)) == bytes)
  }

  @Test func `a file with a write-ahead log is read once the log is empty`() async throws {
    var bytes = try Data(contentsOf: Self.sample)
    (bytes[18], bytes[19]) = (2, 2)
    let test = try await importing(bytes)
    #expect(test.values("food", "name").count == 3)
    try Data("changes".utf8).write(to: URL(fileURLWithPath: test.path + "-wal"))
    let error = await #expect(throws: EventLogError.self) { try await test.run(Self.map) }
    #expect(error?.message.contains("-wal\" has changes that it lacks") == true)
  }

  @Test func `tables that the map doesn't mention are reported`() async throws {
    let test = try await TextImport(Data(contentsOf: Self.sample), named: "Meals.sqlite")
    let map = #"""
      {"source":"meals","tables":[{"table":"Weights","kind":"weight","key":"meals-{day}",
      "fields":{"day":"day","kilograms":"kg"}}]}
      """#
    let report = try await test.run(map)
    #expect(report.unknown.map { $0.suffix(17) } == [": the table \"meals\""].map { $0.suffix(17) })
  }

  @Test(arguments: [
    (#""table":"meal""#, "has no table \"meal\""),
    (#""query":"SELECT * FROM plants""#, "the map's query cannot be read: no such table"),
    (#""query":"DELETE FROM meals""#, "the map's query cannot be read"),
    (#""query":"SELECT 1; SELECT 2""#, "there is more than one statement"),
    (#""query":"""#, "the query is empty"),
    (#""query":"SELECT 9e999 AS id, 'a' AS name""#, "has an infinite number"),
    (#""query":"SELECT CAST(x'ff' AS TEXT) AS id, 'a' AS name""#, "is not UTF-8"),
  ])
  func `a bad query is refused`(_ origin: String, _ reason: String) async throws {
    let test = try await TextImport(Data(contentsOf: Self.sample), named: "Meals.sqlite")
    let map = #"""
      {"source":"meals","tables":[{\#(origin),"kind":"food","key":"m-{id}",
      "fields":{"name":"name"}}]}
      """#
    #expect(await test.refusal(map).contains(reason))
  }

  @Test func `a damaged file is refused or read, and never crashes`() async throws {
    let bytes = try Data(contentsOf: Self.sample)
    #expect(
      try await TextImport(bytes.prefix(700), named: "a.db").refusal(Self.map).contains("a.db"))
    #expect(
      try await TextImport("name\nSoup\n", named: "a.db").refusal(Self.map)
        .contains("is not a SQLite file"))
    for index in stride(from: 100, to: bytes.count, by: 97) {
      var changed = bytes
      changed[index] ^= 0xFF
      let test = try await TextImport(changed, named: "a.db")
      do { try await test.run(Self.map) } catch let error as EventLogError {
        #expect(error.code == .invalidInput)
      }
    }
  }

  @Test func `a map names one origin of rows`() async throws {
    let map = Self.map.replacingOccurrences(
      of: #""table":"meals""#, with: #""table":"a","rows":"b""#)
    #expect(try await TextImport("").refusal(map).contains("takes only one of"))
  }
}
