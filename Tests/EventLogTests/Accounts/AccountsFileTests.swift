import EventLog
import Testing

@testable import EventLogAccounts

/// `accounts.json`: a written file is read back, and an invalid one is refused as a whole.
@Suite struct AccountsFileTests {
  private static let time = Timestamp("2026-01-28T09:00:00.123Z")!

  private static let full: AccountsFile = {
    var file = AccountsFile()
    file.current = "ada \"1\""
    file.entries = [
      .init(
        file: "abc.jsonl", user: "ada \"1\"", isAnonymous: true, isRestoring: true,
        choice: .init(providers: .only("fire:store"), at: time)),
      .init(file: "def.jsonl", user: "guest-1", adoption: .done(by: "ada \"1\"", bytes: 812)),
      .init(
        file: "ghi.jsonl", user: "guest-2",
        adoption: .begun(by: "bea", isAnonymous: true, claims: ["k", "m"])),
      .init(file: "jkl.jsonl", user: "guest-3", adoption: .begun(by: "bea", isAnonymous: false)),
      .init(file: "mno.jsonl", user: "bea"),
    ]
    file.removing = [
      .init(entry: .init(file: "old.jsonl", user: ""), bytes: nil),
      .init(
        entry: .init(file: "pqr.jsonl", user: "guest-4", adoption: .done(by: "cem", bytes: 3)),
        bytes: 812),
    ]
    return file
  }()

  @Test func `an accounts file round-trips`() throws {
    for file in [AccountsFile(), Self.full] {
      #expect(try AccountsFile(file.encoded, at: "accounts.json") == file)
      #expect(file.brokenRules.isEmpty)
    }
    for choice in [ProviderChoice.automatic, .local, .only("")] {
      var file = AccountsFile()
      file.entries = [
        .init(file: "a.jsonl", user: "ada", choice: .init(providers: choice, at: Self.time))
      ]
      #expect(try AccountsFile(file.encoded, at: "accounts.json") == file)
    }
  }

  @Test func `a file cut at any byte is refused`() {
    let bytes = Self.full.encoded
    // A file that lacks only its line feed is complete.
    for count in 0..<(bytes.count - 1) {
      #expect(throws: EventLogError.self) {
        try AccountsFile(Array(bytes.prefix(count)), at: "accounts.json")
      }
    }
  }

  @Test(arguments: [
    "[]", "{}", #"{"version":2,"journals":[]}"#,
    #"{"version":1,"journals":[{"file":"../x.jsonl","user":"a"}]}"#,
    #"{"version":1,"journals":[{"file":"x\u0000.jsonl","user":"a"}]}"#,
    #"{"version":1,"journals":[{"file":"x.txt","user":"a"}]}"#,
    #"{"version":1,"journals":[{"user":"a"}]}"#,
    #"{"version":1,"journals":[],"removing":["/etc/x.jsonl"]}"#,
    #"{"version":1,"journals":[],"removing":[7]}"#,
    #"{"version":1,"journals":[],"removing":"x.jsonl"}"#,
    #"{"version":1,"journals":[],"removing":[{"file":"x.jsonl","user":"a"}]}"#,
    #"{"version":1,"journals":[],"removing":[{"file":"x.jsonl","user":"a","bytes":-1}]}"#,
    #"{"version":1,"journals":[],"removing":[{"file":"x.jsonl","user":"a","bytes":1,"#
      + #""adopted":{"by":"guest-1","bytes":1}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a"}],"removing":["x.jsonl"]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopting":"b"}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopting":{}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopting":{"by":"b","claims":7}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopting":{"by":"b","claims":[7]}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopted":{"by":"b"}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopted":{"by":"b","bytes":-1}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopting":{"by":"b"},"#
      + #""adopted":{"by":"b","bytes":1}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","adopting":{"by":"guest-1"}}]}"#,
    #"{"version":1,"current":"a","journals":[{"file":"x.jsonl","user":"a","#
      + #""adopted":{"by":"b","bytes":1}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","choice":"local"}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","choice":{"places":"local"}}]}"#,
    #"{"version":1,"journals":[{"file":"x.jsonl","user":"a","#
      + #""choice":{"places":"never","at":"2026-01-28T09:00:00Z"}}]}"#,
  ])
  func `a file of another format or version, or with an invalid entry, is refused`(_ text: String) {
    #expect(throws: EventLogError.self) {
      try AccountsFile(Array(text.utf8), at: "accounts.json")
    }
  }

  @Test(arguments: [
    (["x", "x"], ["a", "b"], nil as String?), (["x", "y"], ["a", "b"], "c"),
    (["x", "y"], ["a", "guest-1"], "guest-1"),
  ])
  func `a file with inconsistent users is refused`(
    _ files: [String], _ users: [String], _ current: String?
  ) throws {
    var file = AccountsFile()
    file.entries = zip(files, users).map { .init(file: $0 + ".jsonl", user: $1) }
    file.current = current
    #expect(throws: EventLogError.self) {
      try AccountsFile(file.encoded, at: "accounts.json")
    }
  }

  /// A copy of a journal in the folder causes this.
  @Test func `a file with two journals of one user round-trips`() throws {
    var file = AccountsFile()
    file.entries = ["x", "y"].map { .init(file: $0 + ".jsonl", user: "a") }
    file.current = "a"
    #expect(try AccountsFile(file.encoded, at: "accounts.json") == file)
  }

  @Test func `the second journal of a user is marked as adopted by the first`() throws {
    var file = AccountsFile()
    let later = Timestamp(milliseconds: Self.time.milliseconds + 1)!
    file.entries = [
      .init(file: "a.jsonl", user: "ada", choice: .init(providers: .automatic, at: Self.time)),
      .init(file: "b.jsonl", user: "ada", choice: .init(providers: .local, at: later)),
      .init(file: "g.jsonl", user: "guest-1"),
      .init(file: "h.jsonl", user: "guest-1", adoption: .done(by: "ada", bytes: 9)),
    ]
    #expect(!file.brokenRules.isEmpty)
    file.markDuplicates()
    #expect(file.brokenRules.isEmpty)
    #expect(file.entry(of: "ada")?.file == "a.jsonl")
    #expect(file.entry(of: "ada")?.choice?.providers == .local)
    #expect(file.entry(ofFile: "b.jsonl")?.adoption == .begun(by: "ada", isAnonymous: false))
    // The account that adopted the guest keeps it.
    #expect(file.entry(of: "guest-1")?.adoption == .done(by: "ada", bytes: 0))
    #expect(file.family(of: "ada").sorted() == ["a.jsonl", "b.jsonl", "g.jsonl", "h.jsonl"])
  }

  @Test func `a journal is claimed by one account at a time`() {
    var file = AccountsFile()
    file.entries = [.init(file: "g.jsonl", user: "guest-1")]
    func claim(_ account: String, _ id: String) -> AccountsFile.Claim {
      .init(file: "g.jsonl", account: account, id: id)
    }
    let isClaimed = [("ada", "1"), ("bea", "2"), ("ada", "3")].map {
      file.claim(claim($0, $1), isAnonymous: false)
    }
    #expect(isClaimed == [true, false, true])
    // Another process may still adopt it for the same account.
    for (account, id) in [("bea", "2"), ("ada", "1")] {
      file.release(claim(account, id))
      #expect(file.entries[0].adoption?.account == "ada")
    }
    file.release(claim("ada", "3"))
    #expect(file.entries[0].adoption == nil)
    let isBeas = file.claim(claim("bea", "4"), isAnonymous: false)
    #expect(isBeas)
  }

  @Test func `a claim ends when its account stops being anonymous`() {
    var file = AccountsFile()
    file.entries = [.init(file: "a.jsonl", user: "anon-1", isAnonymous: true)]
    let claim = AccountsFile.Claim(file: "a.jsonl", account: "ada", id: "1")
    let isClaimed = file.claim(claim, isAnonymous: false)
    #expect(isClaimed)
    // Signing in again leaves the claim, and linking an identity takes the account back.
    file.makeCurrent(file.entries[0], isAnonymous: true)
    #expect(file.entries[0].adoption != nil)
    file.makeCurrent(file.entries[0], isAnonymous: false)
    let isFinished = file.finish(claim, .done(by: "ada", bytes: 1))
    #expect(!isFinished && file.entries[0].adoption == nil)
  }
}
