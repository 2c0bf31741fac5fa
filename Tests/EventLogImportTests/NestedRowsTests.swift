import EventLog
import EventLogCollections
import EventLogTesting
import Testing

@testable import EventLogImport

/// Rows in lists inside of other rows.
@Suite struct NestedRowsTests {
  private func foods(_ rows: String, _ key: String = "d-{day}-{title}") -> String {
    #"{"source":"d","ignored":["*"],"tables":[{"rows":"\#(rows)","kind":"food","#
      + #""key":"\#(key)","fields":{"name":"title"}}]}"#
  }

  private func keys(_ text: String, _ map: String) async throws -> [String] {
    let file = try await TextImport(text, named: "a.json")
    try await file.run(map)
    return file.phone.store.snapshot.entities("food").map(\.id.key)
  }

  @Test func `a column around a list has the value of the nearest dictionary`() async throws {
    let text = #"{"day":"1","a":[{"day":"2","b":[{"day":"3","c":[{"title":"Tea"}]}]}]}"#
    #expect(try await keys(text, foods("a.b.c")) == ["d-3-Tea"])
  }

  @Test func `rows of one object have its columns like those of several lines`() async throws {
    let line = #"{"day":"mon","h":[{"title":"Tea"}]}"#
    #expect(try await keys(line, foods("h")) == ["d-mon-Tea"])
    #expect(try await keys(line + "\n" + line, foods("h")) == ["d-mon-Tea"])
  }

  @Test(arguments: [
    #"{"day":"1","h":{}}"#, #"{"day":"1","h":null}"#, #"[{"day":"1","h":null},{"day":"2","h":[]}]"#,
  ])
  func `an empty object or null at a path has no rows`(_ text: String) async throws {
    #expect(try await keys(text, foods("h")) == [])
  }

  @Test func `items without the path are counted in the report`() async throws {
    let text = #"[{"day":"1","h":[{"title":"Tea"}]},{"day":"2"},{"day":"3","h":[]},{},null]"#
    let file = try await TextImport(text, named: "a.json")
    let report = try await file.run(foods("h"))
    #expect(report.findings.count == 1)
    #expect(report.findings.first?.hasSuffix("a.json: 3 of 5 have no \"h\".") == true)
  }
}
