import EventLog
import Testing

@testable import EventLogAccounts

/// `accounts.json`: what is written can be read, and anything else is refused as a whole.
@Suite struct AccountsFileTests {
  private static let full: AccountsFile = {
    var file = AccountsFile()
    file.current = "ada \"1\""
    file.choice = .only("fire:store")
    file.entries = [
      .init(file: "abc.jsonl", user: "ada \"1\"", isAnonymous: true, isRestoring: true),
      .init(file: "def.jsonl", user: "guest-1", adoptedBy: "ada \"1\""),
    ]
    file.beginning = .init(user: "bea", adopting: "abc.jsonl")
    file.removing = ["old.jsonl"]
    return file
  }()

  @Test func `what was written is read`() throws {
    for file in [AccountsFile(), Self.full] {
      #expect(try AccountsFile(file.encoded, at: "accounts.json") == file)
    }
    for choice in [ProviderChoice.automatic, .local, .only("")] {
      var file = AccountsFile()
      file.choice = choice
      #expect(try AccountsFile(file.encoded, at: "accounts.json").choice == choice)
    }
  }

  @Test func `cut at any byte it is refused`() {
    let bytes = Self.full.encoded
    // Without the line feed alone, nothing is missing.
    for count in 0..<(bytes.count - 1) {
      #expect(throws: EventLogError.self) {
        try AccountsFile(Array(bytes.prefix(count)), at: "accounts.json")
      }
    }
  }

  @Test(arguments: [
    "[]", "{}", #"{"version":2,"choice":"automatic","journals":[]}"#,
    #"{"version":1,"choice":"automatic","journals":[{"file":"../x.jsonl","user":"a"}]}"#,
    #"{"version":1,"choice":"automatic","journals":[{"file":"x\u0000.jsonl","user":"a"}]}"#,
    #"{"version":1,"choice":"automatic","journals":[{"file":"x.txt","user":"a"}]}"#,
    #"{"version":1,"choice":"never","journals":[]}"#,
    #"{"version":1,"choice":"automatic","journals":[{"user":"a"}]}"#,
    #"{"version":1,"choice":"automatic","journals":[],"removing":["/etc/x.jsonl"]}"#,
    #"{"version":1,"choice":"automatic","journals":[],"removing":[7]}"#,
    #"{"version":1,"choice":"automatic","journals":[],"removing":"x.jsonl"}"#,
    #"{"version":1,"choice":"automatic","journals":[],"signingIn":"ada"}"#,
    #"{"version":1,"choice":"automatic","journals":[],"#
      + #""signingIn":{"user":"ada","adopting":"../x.jsonl"}}"#,
    #"{"version":1,"choice":"automatic","journals":[{"file":"x.jsonl","user":"a"}],"#
      + #""removing":["x.jsonl"]}"#,
  ])
  func `foreign or later, and one that leads out of the folder`(_ text: String) {
    #expect(throws: EventLogError.self) {
      try AccountsFile(Array(text.utf8), at: "accounts.json")
    }
  }

  @Test(arguments: [
    (["x", "x"], ["a", "b"], nil as String?), (["x", "y"], ["a", "b"], "c"),
    (["x", "y"], ["a", "guest-1"], "guest-1"),
  ])
  func `a journal is one user's, and who is current has one`(
    _ files: [String], _ users: [String], _ current: String?
  ) throws {
    var file = AccountsFile()
    file.entries = zip(files, users).map { .init(file: $0 + ".jsonl", user: $1) }
    file.current = current
    #expect(throws: EventLogError.self) {
      try AccountsFile(file.encoded, at: "accounts.json")
    }
  }

  /// Somebody may have put a copy beside the first one.
  @Test func `a user may have two journals`() throws {
    var file = AccountsFile()
    file.entries = ["x", "y"].map { .init(file: $0 + ".jsonl", user: "a") }
    file.current = "a"
    #expect(try AccountsFile(file.encoded, at: "accounts.json") == file)
  }
}
