import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Imports of files in memory, and keys whose user is unclear.
@Suite struct MemoryImportTests {
  @Test func `a file in memory is imported like one on disk`() async throws {
    let phone = try await TemporaryStore(user: "ada", catalog: .bundled)
    let map = try ImportMap(
      parsing: #"""
        {"source":"a","tables":[{"files":"a.csv","kind":"food","key":"a-{n}",
        "fields":{"name":"n"}}]}
        """#.utf8)
    let importer = Importer(contents: Data("n\nSoup\n".utf8), named: "a.csv", map: map)
    #expect(try await importer.run(into: phone.store).valueCount == 1)
    #expect(try await importer.run(into: phone.store).eventCount == 0)
    let bad = Importer(contents: "n\n\"Soup".utf8, named: "a.csv", map: map)
    let error = await #expect(throws: EventLogError.self) { try await bad.run(into: phone.store) }
    #expect(error?.message.contains("a.csv:2") == true)
  }

  @Test func `a key that may belong to a user with a longer name is left`() async throws {
    let map = try #require(ImportMap.builtIn("settings"))
    let text = #"{"UserUnits_abc_123_x@example.org":"metric","UserLanguage_abc_x@a.org":"de"}"#
    for (user, names) in [("abc", ["language"]), ("abc_123", ["units"])] {
      let phone = try await TemporaryStore(user: user, catalog: .bundled)
      let report = try await Importer(contents: text.utf8, named: "a.json", map: map)
        .run(into: phone.store)
      #expect(phone.store.snapshot.singleton("settings").map(\.name) == names)
      #expect(report.remarks.count == (user == "abc" ? 1 : 0))
      #expect(report.remarks.allSatisfy { $0.contains("of abc, or of abc_123") })
    }
  }

  @Test func `a conflict of two sources names both`() async throws {
    let phone = try await TemporaryStore(user: "ada", catalog: .bundled)
    let map = try ImportMap(
      parsing: #"""
        {"source":"a","tables":[{"files":"a.csv","kind":"food","key":"a-{n}",
        "fields":{"name":"n","kcal":"k"}}]}
        """#.utf8)
    _ = try await Importer(contents: "n,k\nSoup,1\n".utf8, named: "a.csv", map: map)
      .run(into: phone.store)
    let report = try await Importer(
      contents: "n,k\nSoup,2\n".utf8, named: "a.csv", map: map, source: "b"
    ).run(into: phone.store)
    let devices = report.sync.newConflicts.flatMap(\.candidates).map(\.event.device)
    #expect(Set(devices.map { report.sourceNames[$0] }) == ["a", "b"])
  }
}
