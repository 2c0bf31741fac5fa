import EventLog
import Testing

@Suite struct RemoteAddressTests {
  @Test(arguments: [
    ("ada.jsonl", RemoteAddress.journal(path: "ada.jsonl")),
    ("/media/stick/ada.jsonl", .journal(path: "/media/stick/ada.jsonl")),
    ("./a:b.jsonl", .journal(path: "./a:b.jsonl")),
    ("/Shared", .folder(path: "/Shared")), ("Shared/", .folder(path: "Shared/")),
    ("/a:b/c", .folder(path: "/a:b/c")), (".", .folder(path: ".")),
    ("ada.jsonl.bak", .folder(path: "ada.jsonl.bak")),
    ("desk:ada.jsonl", .machine(host: "desk", path: "ada.jsonl")),
    ("ada@desk.local:/srv/ada.jsonl", .machine(host: "ada@desk.local", path: "/srv/ada.jsonl")),
    ("ssh://desk/srv/ada.jsonl", .machine(host: "desk", path: "/srv/ada.jsonl")),
    ("ssh://ada@desk:2222/a", .machine(host: "ada@desk:2222", path: "/a")),
  ])
  func `an address says what sort of place it is`(text: String, address: RemoteAddress) {
    #expect(RemoteAddress(text) == address)
    // What is remembered means the same when it is read again.
    #expect(RemoteAddress(address.description) == address)
  }

  @Test(arguments: [
    "", "ssh://", "ssh://desk", "ssh:///srv/ada.jsonl", ":a", "desk:", "a\u{0}b",
    "https://example.com/x", "s3://bucket/x", "C:/foo", "c:foo", "my host:/x",
  ])
  func `what names nothing is no address`(text: String) {
    #expect(RemoteAddress(text) == nil)
  }

  @Test(arguments: ["-oProxyCommand=x:/a", "ssh://-oProxyCommand=x/a"])
  func `a host is never an option`(text: String) {
    #expect(RemoteAddress(text) == nil)
  }

  @Test func `a path is made to hold wherever it is used`() {
    #expect(
      RemoteAddress("b.jsonl")!.absolute(in: "/home/ada") == .journal(path: "/home/ada/b.jsonl"))
    #expect(RemoteAddress("/b")!.absolute(in: "/home/ada") == .folder(path: "/b"))
    for text in ["./b", "b/", "b/.", "b//", "./././b/"] {
      #expect(RemoteAddress(text)!.absolute(in: "/home/ada") == .folder(path: "/home/ada/b"))
    }
    #expect(RemoteAddress(".")!.absolute(in: "/home/ada") == .folder(path: "/home/ada"))
    #expect(RemoteAddress("/")!.absolute(in: "/home/ada") == .folder(path: "/"))
    // What a link before it leads to, a text does not tell.
    #expect(RemoteAddress("../b")!.absolute(in: "/home/ada") == .folder(path: "/home/ada/../b"))
    #expect(RemoteAddress("desk:b")!.absolute(in: "/home/ada").description == "desk:b")
  }
}
