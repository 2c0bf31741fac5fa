import Testing

@testable import EventLog
@testable import EventLogSystem

@Suite struct PathTests {
  @Test(arguments: [
    ("a", ".", "a"), ("a/b", "a", "b"), ("/a", "/", "a"), ("/", "/", "/"), ("", ".", ""),
    ("a/b/", "a", "b"), ("a//b", "a", "b"), ("/a/b/c.jsonl", "/a/b", "c.jsonl"), ("//", "/", "/"),
    ("./a", ".", "a"), ("../a", "..", "a"), ("/\u{301}a", "/", "\u{301}a"),
  ])
  func `a path has a folder and a name`(path: String, folder: String, name: String) {
    #expect(Path.folder(of: path) == folder)
    #expect(Path.name(of: path) == name)
  }

  @Test(arguments: [
    ("a", "b", "a/b"), ("a/", "b", "a/b"), ("/", "b", "/b"), (".", "b", "b"), ("", "b", "b"),
    ("a", "/b", "/b"), ("..", "b", "../b"),
  ])
  func `joining a folder and a name returns the path`(folder: String, name: String, path: String) {
    #expect(Path.join(folder, name) == path)
  }

  @Test(arguments: [
    ("x/ada.jsonl", "x/ada.eventlog"), ("ada.jsonl", "ada.eventlog"), ("ada", "ada..eventlog"),
    ("ada.txt", "ada.txt..eventlog"), ("x.jsonl/ada", "x.jsonl/ada..eventlog"),
    (".jsonl", ".jsonl..eventlog"), ("x/.jsonl", "x/.jsonl..eventlog"),
    ("a.jsonl.jsonl", "a.jsonl.eventlog"), ("ada.jsonl/", "ada.eventlog"),
  ])
  func `an extension is replaced or appended`(path: String, expected: String) {
    #expect(Path.replacingExtension(path, "jsonl", with: "eventlog") == expected)
  }

  @Test func `a temporary name is recognized`() {
    let name = Path.temporaryName(.seeded(1))
    #expect(Path.isTemporary(name))
    #expect(!Path.isTemporary("ada.jsonl"))
    #expect(!Path.isTemporary("ada.tmp"))
  }
}
