import EventLogPipe
import Testing

@testable import EventLogCommand

@Suite struct RemoteAddressTests {
  private static func machine(
    user: String? = nil, _ host: String, port: Int? = nil, _ path: String
  ) -> MachineAddress {
    MachineAddress(user: user, host: host, port: port, path: path)!
  }

  @Test(arguments: [
    ("ada.jsonl", RemoteAddress.journal(path: "ada.jsonl")),
    ("/media/stick/ada.jsonl", .journal(path: "/media/stick/ada.jsonl")),
    ("./a:b.jsonl", .journal(path: "./a:b.jsonl")),
    ("/Shared", .folder(path: "/Shared")), ("Shared/", .folder(path: "Shared/")),
    ("/a:b/c", .folder(path: "/a:b/c")), (".", .folder(path: ".")),
    ("ada.jsonl.bak", .folder(path: "ada.jsonl.bak")),
    ("desk:ada.jsonl", .machine(machine("desk", "ada.jsonl"))),
    ("desk:~/ada.jsonl", .machine(machine("desk", "ada.jsonl"))),
    ("desk:~ben/ada.jsonl", .machine(machine("desk", "~ben/ada.jsonl"))),
    ("desk:it's 100% here.jsonl", .machine(machine("desk", "it's 100% here.jsonl"))),
    ("desk:/srv/100%.jsonl", .machine(machine("desk", "/srv/100%.jsonl"))),
    ("ada@desk.local:/srv/a.jsonl", .machine(machine(user: "ada", "desk.local", "/srv/a.jsonl"))),
    ("ada@[fe80::1%eth0]:a.jsonl", .machine(machine(user: "ada", "fe80::1%eth0", "a.jsonl"))),
    ("[::1]:ada.jsonl", .machine(machine("::1", "ada.jsonl"))),
    ("ssh://[::1]/~/ada.jsonl", .machine(machine("::1", "ada.jsonl"))),
    ("ssh://desk/srv/ada.jsonl", .machine(machine("desk", "/srv/ada.jsonl"))),
    ("ssh://desk/~/ada.jsonl", .machine(machine("desk", "ada.jsonl"))),
    ("ssh://desk:22/~/~/ada.jsonl", .machine(machine("desk", port: 22, "./~/ada.jsonl"))),
    ("ssh://desk:22/~ben/a b%20c", .machine(machine("desk", port: 22, "~ben/a b c"))),
    ("ssh://ada@desk:2222/a", .machine(machine(user: "ada", "desk", port: 2222, "/a"))),
    ("ssh://[::1]:2222/a%25b", .machine(machine("::1", port: 2222, "/a%b"))),
    ("SSH://desk/srv/ada.jsonl", .machine(machine("desk", "/srv/ada.jsonl"))),
    ("S3://Bucket/A", .service("s3://Bucket/A")), ("DavS://NAS/a", .service("davs://NAS/a")),
  ])
  func `an address is parsed as a journal, a folder or a machine`(
    text: String, address: RemoteAddress
  ) {
    #expect(RemoteAddress(text) == address)
    // A remembered address is parsed to the same value.
    #expect(RemoteAddress(address.description) == address)
  }

  @Test(arguments: [
    ("https://cloud.example.org/remote.php/dav/", "davs://cloud.example.org/remote.php/dav/"),
    ("HTTPS://ada:word@nas/x?y=z#end", "davs://nas/x"), ("webdavs://nas/x", "davs://nas/x"),
    ("http://nas/x", "davs://nas/x"),
    ("http://localhost.example.org/", "davs://localhost.example.org/"),
    ("http://127.0.0.1:8080/x", "dav://127.0.0.1:8080/x"),
  ])
  func `a browser's address is converted to the address of a WebDAV folder`(
    text: String, address: String
  ) {
    #expect(RemoteAddress(text) == nil)
    #expect(RemoteAddress.webDAVAddress(of: text) == address)
  }

  @Test(arguments: ["", "https://", "ftp://nas/x", "nas/x", "ssh://nas/x", "https://ada@"])
  func `other text isn't converted to the address of a WebDAV folder`(text: String) {
    #expect(RemoteAddress.webDAVAddress(of: text) == nil)
  }

  @Test(arguments: [
    "", "ssh://", "ssh://desk", "ssh:///srv/ada.jsonl", ":a", "desk:", "a\u{0}b",
    "https://example.com/x", "s3://", "gs://b", "C:/foo", "c:foo", "my host:/x", "[:x", "[]:x",
    "ssh://desk:/a", "ssh://desk:0/a", "ssh://desk:65536/a", "ssh://desk:022/a", "ssh://desk:x/a",
    "ssh://::1/a", "ssh://[::1/a", "ssh://desk/%00", "ssh://desk/%2", "ssh://desk/%zz",
    "ssh://desk/%ff", "ssh://@desk/a", "@desk:a",
  ])
  func `text without a valid remote isn't an address`(text: String) {
    #expect(RemoteAddress(text) == nil)
  }

  @Test(arguments: [
    "-oProxyCommand=x:/a", "ssh://-oProxyCommand=x/a", "-l@desk:a", "ssh://-l@desk/a",
    "ssh://%2doProxyCommand=x/a", "$(id)desk:a", "a;b:c", "a b:c", "ada`id`@desk:a", "a\nb:c",
    "ssh://desk%0a/a",
  ])
  func `a host or user that ssh or a shell would interpret is refused`(text: String) {
    #expect(RemoteAddress(text) == nil)
  }

  @Test func `a relative path becomes absolute and a machine's path stays`() {
    #expect(
      RemoteAddress("b.jsonl")!.absolute(in: "/home/ada") == .journal(path: "/home/ada/b.jsonl"))
    #expect(RemoteAddress("/b")!.absolute(in: "/home/ada") == .folder(path: "/b"))
    for text in ["./b", "b/", "b/.", "b//", "./././b/"] {
      #expect(RemoteAddress(text)!.absolute(in: "/home/ada") == .folder(path: "/home/ada/b"))
    }
    #expect(RemoteAddress(".")!.absolute(in: "/home/ada") == .folder(path: "/home/ada"))
    #expect(RemoteAddress("/")!.absolute(in: "/home/ada") == .folder(path: "/"))
    // `..` stays, because it may follow a link.
    #expect(RemoteAddress("../b")!.absolute(in: "/home/ada") == .folder(path: "/home/ada/../b"))
    #expect(RemoteAddress("desk:b")!.absolute(in: "/home/ada").description == "desk:b")
  }

  // MARK: - ssh arguments

  @Test func `the login follows all options in the arguments of ssh`() {
    let machine = Self.machine(user: "ada", "desk", port: 2222, "a.jsonl")
    let arguments = machine.loginArguments
    #expect(arguments.suffix(4) == ["-p", "2222", "--", "ada@desk"])
    #expect(arguments.dropLast(4).first == "-T")
  }

  @Test(arguments: [
    ("ada.jsonl", "'ada.jsonl'"), ("/srv/it's.jsonl", #"'/srv/it'\''s.jsonl'"#),
    ("a b;$(id)`id`&*?.jsonl", "'a b;$(id)`id`&*?.jsonl'"), (#"a\b"#, #"'a'\\'b'"#),
    ("-x.jsonl", "./'-x.jsonl'"), ("~ben/a b", "~ben/'a b'"), ("./~/a", "'./~/a'"),
    ("~$(id)/a", "'~$(id)/a'"), ("~", "'~'"), ("a\nb", "'a\nb'"),
  ])
  func `a path is quoted as one word for the remote shell`(path: String, word: String) {
    let machine = Self.machine("desk", path)
    #expect(machine.serveCommand("eventlog") == "eventlog serve \(word)")
    #expect(
      machine.serveCommand("e", acceptsDevices: true) == "e serve --accept-devices \(word)")
  }
}
