import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

@testable import EventLogImport

/// Rows and values of JSON, JSON Lines and property lists in the shapes of exports.
@Suite struct DocumentTests {
  private func foods(_ rows: String, _ more: String = "") -> String {
    #"{"source":"d","ignored":["*"],"tables":[{"rows":"\#(rows)",\#(more)"kind":"food","#
      + #""key":"d-{title}","fields":{"name":"title"}}]}"#
  }

  @Test(arguments: [
    (#"[{"title":"Cocoa"},{"title":"Tea"}]"#, ""),
    (#"{"a":[{"title":"Cocoa"},{"title":"Tea"}]}"#, "a"),
    (#"{"a":{"b":[{"title":"Cocoa"},{"title":"Tea"}]}}"#, "a.b"),
    (#"{"a.b":[{"title":"Cocoa"},{"title":"Tea"}]}"#, "a.b"),
    (#"{"a":{"x":{"title":"Cocoa"},"y":{"title":"Tea"}}}"#, "a"),
    (#"{"a":[{"b":[{"title":"Cocoa"}]},{"b":[{"title":"Tea"}]},{}]}"#, "a.b"),
    ("{\"title\":\"Cocoa\"}\n\n{\"title\":\"Tea\"}\n", ""),
    ("{\"title\":\"Cocoa\"}\r\n{\"title\":\"Tea\"}", ""),
  ])
  func `rows are found in lists, in objects by ID, and in lines`(
    _ text: String, _ rows: String
  ) async throws {
    let file = try await TextImport(text, named: "a.json")
    try await file.run(foods(rows))
    #expect(file.values("food", "name") == ["Cocoa", "Tea"])
  }

  @Test func `an object's IDs and the values around a list are columns`() async throws {
    let map = #"""
      {"source":"d","ignored":["*"],"tables":[{"rows":"days.drinks","id":"ID","kind":"food",
      "key":"d-{day}-{ID}","fields":{"name":"title"}}]}
      """#
    let file = try await TextImport(
      #"{"days":[{"day":"mon","drinks":{"a":{"title":"Tea"},"b":{"title":"Mate","day":"tue"}}}]}"#,
      named: "a.json")
    try await file.run(map)
    #expect(file.phone.store.snapshot.entities("food").map(\.id.key) == ["d-mon-a", "d-tue-b"])
  }

  @Test func `a file with one object is one row, with an object inside, too`() async throws {
    for text in [#"{"title":"Tea"}"#, #"{"title":"Tea","nutrition":{"kcal":1}}"#] {
      let file = try await TextImport(text, named: "a.json")
      try await file.run(foods(""))
      #expect(file.values("food", "name") == ["Tea"])
    }
  }

  @Test(arguments: ["", #""files":"{Folder}/{Name}.json","#])
  func `a folder may have one object per file`(_ files: String) async throws {
    let map = foods("", files)
    let folder = try TemporaryFolder()
    for (name, title) in [("tea", "Tea"), ("cocoa", "Cocoa")] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true)
      try Data(#"{"title":"\#(title)"}"#.utf8)
        .write(to: URL(fileURLWithPath: folder.file("\(name)/recipe.json")))
    }
    let phone = try await TemporaryStore(device: "phone", user: "ada", catalog: .bundled, seed: 1)
    let importer = Importer(path: folder.path, map: try ImportMap(parsing: map.utf8))
    _ = try await importer.run(into: phone.store)
    #expect(phone.store.snapshot.entities("food").map { $0["name"] } == ["Cocoa", "Tea"])
  }

  @Test(arguments: [
    ("{\"title\":\"Tea\"}\n{\"title\":\n", "", "a.json:2: the line"),
    ("{\"title\":\"Tea\"}\n[1]\n", "", "a.json:2 is not a dictionary."),
    (#"{"a":[{"title":"Tea"},5]}"#, "a", "a.json: a[1] is not a dictionary."),
    (#"{"a":5}"#, "a", "a.json: a is not a list of rows."),
    (#"{"a":{"b":[]}}"#, "a.c", "The map needs a list \"a.c\""),
    (#"{"a":[{"b":[{"titel":"Tea"}]}]}"#, "a.b", "has no column \"title\""),
    ("{\"a\":1,\n\"b\"}", "", "cannot be read as JSON: it is not JSON (line 2, column 4)"),
  ])
  func `rows that can't be read are refused with their position`(
    _ text: String, _ rows: String, _ message: String
  ) async throws {
    let file = try await TextImport(text, named: "a.json")
    #expect(await file.refusal(foods(rows)).contains(message))
  }

  /// Without a limit, each row would copy all values around it.
  @Test func `rows take over only the columns of the map`() async throws {
    let around = (0..<3000).map { "\"x\($0)\":1" }.joined(separator: ",")
    let inside = (0..<3000).map { "{\"title\":\"t\($0)\"}" }.joined(separator: ",")
    let document = try SourceDocument(
      Array("{\"a\":[{\(around),\"b\":[\(inside)]}]}".utf8), title: "a.json")
    let map = try ImportMap(parsing: foods("a.b").utf8)
    var finder = RowFinder(document, map.tables[0], title: "a.json")
    #expect(try finder.find("a.b", in: document.tree))
    #expect(finder.rows.count == 3000 && finder.rows.allSatisfy { $0.values.count == 1 })
  }

  // MARK: - JSON in a property list

  private static let anything =
    #"{"source":"d","keys":{"Saved":{"kind":"settings","field":"saved","as":"any"}}}"#

  private func list(_ data: String) -> String {
    "<plist><dict><key>Saved</key><data>\n\t\(data)\n</data></dict></plist>"
  }

  @Test func `JSON that an app stored as data is a value, and a table`() async throws {
    let json = #"[{"title":"Tea"}]"#
    let text = list(Data(json.utf8).base64EncodedString())
    let value = try await TextImport(text, named: "a.plist")
    try await value.run(Self.anything)
    #expect(value.phone.store.snapshot.singleton("settings").first?.shown?.text == json)
    let table = try await TextImport(text, named: "a.plist")
    try await table.run(foods("Saved"))
    #expect(table.values("food", "name") == ["Tea"])
  }

  @Test func `data that aren't JSON are refused`() async throws {
    for data in ["AAEC", "", "e30gZQ=="] {
      let file = try await TextImport(list(data), named: "a.plist")
      #expect(await file.refusal(Self.anything).contains("holds bytes that are not JSON"))
    }
    let file = try await TextImport(list("A!"), named: "a.plist")
    #expect(await file.refusal(Self.anything).contains("a <data> is not Base64 (line 3, column "))
  }

  @Test(
    arguments: [
      ("", ""), ("YQ==", "a"), ("YQ", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("Y W\nJ j", "abc"),
      ("YWJjZA==", "abcd"), ("YQ=", nil), ("Y", nil), ("YQ==Y", nil), ("Y-Q=", nil), ("=", nil),
    ] as [(String, String?)])
  func `Base64 is decoded or refused`(_ text: String, _ decoded: String?) {
    #expect(Base64.decode(text.utf8) == decoded.map { Array($0.utf8) })
  }
}
