import EventLogAccounts
import EventLogTesting
import Foundation

/// Interrupted adoptions and sign-ins.
extension KillWorld {
  private static let guest = "guest.jsonl"

  /// Creates a guest's journal, whose events contain marks.
  private func makeGuest() throws -> (user: String, marks: [String]) {
    let marks = newMarks(Int.random(in: 1...60, using: &random))
    let user = "guest-\(marks[0])"
    var input = ""
    for mark in marks {
      input +=
        #"{"type":"habit.created","entity":"habit/\#(mark)","#
        + #""data":{"name":"Read","mark":"\#(mark)"}}"# + "\n"
    }
    try expectSuccess(
      ["append", Self.guest, "--user", user, "--device", "visit", "--force", "-"], input: input)
    tally.acknowledgedCount += marks.count
    return (user, marks)
  }

  func adopt() throws -> Command.Ending {
    let (_, marks) = try makeGuest()
    let arguments = ["adopt", "a.jsonl", Self.guest]
    let before = bytes(Self.guest)
    let ending = try run(arguments, fault: fault(.adopt))
    expectKilledOrSucceeded(ending, .adopt, arguments)
    try checkAdopted(arguments, marks, before)
    try sandbox.remove([Self.guest, "guest.eventlog"])
    return ending
  }

  /// Adopts a guest and interrupts the undo of this adoption.
  func undo() throws -> Command.Ending {
    let (user, marks) = try makeGuest()
    let before = bytes(Self.guest)
    try checkAdopted(["adopt", "a.jsonl", Self.guest], marks, before)
    let arguments = ["adopt", "a.jsonl", "--undo", user]
    let ending = try run(arguments, fault: fault(.undo))
    expectKilledOrSucceeded(ending, .undo, arguments)
    try checkAdopted(arguments, marks, before)
    let shown = try expectSuccess(["project", "a.jsonl", "--json"]).output
    if shown.contains("\"\(marks[0])\"") { addFinding("undo: \(marks[0]) shows after an undo") }
    try sandbox.remove([Self.guest, "guest.eventlog"])
    return ending
  }

  /// Checks that an interrupted operation completes when repeated and then writes nothing more.
  private func checkAdopted(_ arguments: [String], _ marks: [String], _ guest: Data?) throws {
    let text = arguments.joined(separator: " ")
    try check("a.jsonl", after: text)
    try expectSuccess(arguments)
    // From now on, each journal that syncs with it must get these events.
    acknowledged.formUnion(marks)
    held["a.jsonl", default: []].formUnion(marks)
    try check("a.jsonl", after: text)
    let account = bytes("a.jsonl")
    try expectSuccess(arguments)
    if bytes("a.jsonl") != account { addFinding("\(text): it writes when there is nothing to do") }
    if bytes(Self.guest) != guest { addFinding("\(text): the guest's journal has changed") }
  }

  private func bytes(_ name: String) -> Data? {
    FileManager.default.contents(atPath: sandbox.file(name))
  }

  // MARK: - Sign-in

  /// Lets a guest write and sign in, and checks that the account gets all acknowledged events.
  func signIn() throws -> Command.Ending {
    let marks = newMarks(Int.random(in: 1...8, using: &random))
    try expectSuccess(["Accounts", "sign-out"], as: .accounts)
    let writing = try run(
      ["Accounts"] + marks.flatMap { ["write", $0] }, fault: fault(.signIn), as: .accounts)
    expectKilledOrSucceeded(writing, .signIn, ["write"])
    let written = Set(
      writing.output.split(separator: "\n").filter { $0.hasPrefix("wrote ") }
        .map { String($0.split(separator: " ")[1]) })
    tally.acknowledgedCount += written.count
    let guests = try journals().filter(\.isGuest).compactMap { row in
      FileManager.default.contents(atPath: row.path).map { (row.path, $0) }
    }
    let user = Bool.random(using: &random) ? "ada" : "bea"
    let arguments = ["Accounts", "sign-in", user]
    let ending = try run(arguments, fault: fault(.signIn), as: .accounts)
    expectKilledOrSucceeded(ending, .signIn, arguments)
    accounts[user, default: []].formUnion(written)
    try expectSuccess(arguments, as: .accounts)
    let after = try journalBytes()
    try expectSuccess(arguments, as: .accounts)
    if try journalBytes() != after { addFinding("sign-in: it writes when there is nothing to do") }
    // A torn tail belongs to the guest's journal: nothing else may remove it.
    for (path, bytes) in guests where FileManager.default.contents(atPath: path) != bytes {
      addFinding("sign-in: the guest's \(path) has changed")
    }
    try checkAccounts()
    return ending
  }

  private func journals() throws -> [AccountsOverview.Row] {
    try AccountsOverview(ofFolder: sandbox.file("Accounts")).rows
  }

  private func journalBytes() throws -> [String: Data] {
    var bytes: [String: Data] = [:]
    for row in try journals() {
      bytes[row.path] = FileManager.default.contents(atPath: row.path)
    }
    return bytes
  }

  /// Checks that each account has its adopted events once, and none of another account.
  private func checkAccounts() throws {
    for row in try journals() where !row.isGuest {
      // An account without events has no journal.
      if accounts[row.user, default: []].isEmpty, row.eventCount == nil, row.error == nil {
        continue
      }
      let verify = try run(["verify", row.path, "--json"])
      let problems = Self.problems(verify.output)
      // A killed write may leave a torn tail, which the next append quarantines.
      if problems.contains(where: { $0 != "doubtfulTail" })
        || verify.code != (problems.isEmpty ? 0 : 1)
      {
        addFinding(
          "sign-in: verify \(row.user)'s: exit \(verify.code) \(problems) \(verify.errors)")
      }
      var counts: [String: Int] = [:]
      for line in try run(["replay", row.path, "--json"]).output.split(separator: "\n") {
        if let mark = Self.mark(of: line) { counts[mark, default: 0] += 1 }
      }
      for mark in accounts[row.user, default: []] where counts[mark] != 1 {
        addFinding("sign-in: \(row.user) has \(mark) \(counts[mark, default: 0]) times")
      }
      for (user, marks) in accounts where user != row.user {
        if let mark = marks.first(where: { counts[$0] != nil }) {
          addFinding("sign-in: \(row.user) has \(mark), which is of \(user)")
        }
      }
    }
  }
}
