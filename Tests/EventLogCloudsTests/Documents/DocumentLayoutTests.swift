import EventLog
import Testing

@testable import EventLogClouds

@Suite struct DocumentLayoutTests {
  private func read(_ text: String) throws -> DocumentLayout {
    try DocumentLayout(parsing: Array(text.utf8))
  }

  private func rule(_ rest: String) -> String { #"{"name":"a","documents":[{\#(rest)}]}"# }

  @Test func `a layout round-trips`() throws {
    let text = """
      {"name":"seeds","version":3,"documents":[\
      {"path":"a/{id}","section":"habits","fields":{"title":"name",\
      "day":{"member":"date","as":"timestamp"}},"where":{"archived":false}}]}
      """
    let layout = try read(text)
    #expect(layout.name == "seeds" && layout.version == 3 && layout.rules.count == 1)
    #expect(layout.rules[0].fields?.map(\.isTimestamp) == [false, true])
    #expect(try DocumentLayout(layout.json) == layout)
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"name":"a"}"#, #"{"name":"a","documents":[]}"#,
    #"{"name":"a","version":0,"documents":[{"path":"a/b","section":"habits"}]}"#,
    #"{"name":"a","version":1.5,"documents":[{"path":"a/b","section":"habits"}]}"#,
    #"{"name":"a","version":"2","documents":[{"path":"a/b","section":"habits"}]}"#,
    #"{"name":"","documents":[{"path":"a/b","section":"habits"}]}"#,
    #"{"name":"a/b","documents":[{"path":"a/b","section":"habits"}]}"#,
    #"{"name":"a","documents":[{"path":"a/b"}]}"#,
    #"{"name":"a","documents":[{"path":"a/b","section":"x","more":1}]}"#,
    #"{"name":"a","documents":[{"path":"a/b","section":"x","fields":{"":"name"}}]}"#,
    #"{"name":"a","documents":[{"path":"a/b","section":"x","fields":{"__a":"name"}}]}"#,
    #"{"name":"a","documents":[{"path":"a/b","section":"x","fields":{"a":{"as":"time"}}}]}"#,
  ])
  func `an invalid layout is refused`(text: String) {
    let error = #expect(throws: EventLogError.self) { try read(text) }
    #expect(error?.code == .invalidSchema)
  }

  @Test(arguments: [
    "", "a", "a/b/c", "/a", "a/", "a//b/c", "a/{", "a/{}", "a/}", "a/{id", "a/{id.day}",
    "a/{.month}", "a/{id.month.year}", "users/{user}/objects/x", "users/ada/published/x",
  ])
  func `a layout with an invalid path is refused`(path: String) {
    let error = #expect(throws: EventLogError.self) {
      try read(rule(#""path":"\#(path)","section":"habits""#))
    }
    #expect(error?.code == .invalidSchema)
  }

  @Test(arguments: [
    ("a/{id}", "a/x"), ("users/{user}/a-{id}-b/{n}", "users/me/a-x-b/7"),
    ("m/{date.month}", "m/2026-03"), ("m/{date.year}", "m/2026"), ("a/{slash}", "a/1%2F2%25"),
    ("a/{dots}", "a/%2E%2E"), ("a/{under}", "a/%5F_x__"),
    ("a/{mark}", "a/1%2F\u{301}2"), ("a/{at.month}", "a/2026-04"),
  ])
  func `a path is filled in with a row's values`(path: String, expected: String) throws {
    let row: JSONObject = [
      "id": "x", "n": 7, "date": "2026-03-09", "slash": "1/2%", "dots": "..", "under": "__x__",
      "mark": "1/\u{301}2",
      "at": "2026-04-01T10:00:00Z",
    ]
    #expect(try DocumentPath(path, at: "").path(of: row, user: "me", at: "") == expected)
  }

  @Test(arguments: [
    "a/{empty}", "users/me/{own}/x", "users/{user}/{own}/x", "a/{long}",
    "\(String(repeating: "{most}/", count: 4))x/y",
  ])
  func `a row that results in an invalid path is refused`(path: String) throws {
    let row: JSONObject = [
      "empty": "", "own": "objects", "long": .string(String(repeating: "x", count: 1501)),
      "most": .string(String(repeating: "x", count: 1300)),
    ]
    let path = try DocumentPath(path, at: "documents[0]")
    let error = #expect(throws: EventLogError.self) {
      try path.path(of: row, user: "me", at: "documents[0]")
    }
    #expect(error?.code == .invalidSchema && error?.message.contains("documents[0]") == true)
  }

  @Test func `the error for a row without a member of the path names the member`() throws {
    let path = try DocumentPath("a/{nope}", at: "documents[0]")
    let error = #expect(throws: EventLogError.self) {
      try path.path(of: ["id": "x"], user: "me", at: "documents[0]")
    }
    #expect(error?.message.contains("nope") == true && error?.hint?.contains("id") == true)
    let month = try DocumentPath("a/{id.month}", at: "documents[0]")
    #expect(throws: EventLogError.self) {
      try month.path(of: ["id": "x"], user: "me", at: "documents[0]")
    }
  }
}
