import EventLogAccounts
import Foundation

/// The journals at the start of each operation: in sync and not, in conflict, damaged, torn, and
/// copied.
struct FailureFixture {
  let sandbox: Sandbox
  let command: Command
  /// All files at the start of each operation.
  let contents: Sandbox.Contents
  /// The valid lines of each journal.
  let goodLines: [String: Set<Substring>]

  /// All journals, including those of the accounts.
  let journals: [String]
  /// The journal of the guest in each folder of accounts.
  let guests: [String: String]

  static let folders = ["Accounts", "Begun", "Signed"]
  private static let named = [
    "a.jsonl", "b.jsonl", "far/c.jsonl", "hurt.jsonl", "lost.jsonl", "torn.jsonl", "copy.jsonl",
    "new.jsonl", "guest.jsonl", "adopted.jsonl",
  ]

  init(command: Command) throws {
    let sandbox = try Sandbox()
    self.sandbox = sandbox
    self.command = command
    func run(_ arguments: String, input: String = "", code: Int32 = 0) throws {
      let ending = try command.run(
        arguments.split(separator: " ").map(String.init), in: sandbox, input: input)
      guard ending.code == code else { throw TortureError("\(arguments): \(ending.errors)") }
    }
    let habits = (1...40).map {
      #"{"type":"habit.created","entity":"habit/h\#($0)","data":{"name":"Habit \#($0)"}}"# + "\n"
    }.joined()
    try run("append a.jsonl --user ada --device phone -", input: habits)
    try run("sync a.jsonl b.jsonl Shared desk:c.jsonl")
    try run("append a.jsonl settings.changed theme=dark")
    try run("append b.jsonl --device tablet settings.changed theme=light")
    try run("sync a.jsonl b.jsonl")
    for name in ["hurt", "lost", "torn"] { try run("sync \(name).jsonl b.jsonl") }
    try run("append far/c.jsonl --device desk settings.changed font=12")
    try run("append b.jsonl habit.edited h1 name=Other")
    try run("sync b.jsonl Shared")
    try run("append b.jsonl habit.edited h2 name=Other")
    try run("append a.jsonl habit.edited h3 name=Other")
    for name in ["hurt.jsonl", "lost.jsonl"] {
      let lines = sandbox.lines(name)
      let start = lines[..<20].reduce(0) { $0 + $1.utf8.count + 1 }
      try sandbox.overwrite(name, at: start + 40, Array("#?".utf8))
    }
    let size = sandbox.lines("torn.jsonl").reduce(0) { $0 + $1.utf8.count + 1 }
    try sandbox.overwrite(
      "torn.jsonl", at: size, Array(#"{"id":"phone-aaaaaaa2:99","at":"20"#.utf8))
    try FileManager.default.copyItem(
      atPath: sandbox.file("a.jsonl"), toPath: sandbox.file("copy.jsonl"))
    try FileManager.default.copyItem(
      atPath: sandbox.file("a.eventlog"), toPath: sandbox.file("copy.eventlog"))
    try #"{"collections":[{"kind":"plant","fields":{"name":"text"}}]}"#.write(
      toFile: sandbox.file("plants.json"), atomically: false, encoding: .utf8)
    try Self.makeAccounts(command, sandbox)
    contents = sandbox.contents()
    journals =
      Self.named
      + contents.keys.filter { name in
        name.hasSuffix(".jsonl") && Self.folders.contains { name.hasPrefix($0 + "/") }
      }.sorted()
    guests = try Self.guests(in: sandbox)
    var good: [String: Set<Substring>] = [:]
    for journal in journals where contents[journal] != nil {
      let replay = try command.run(["replay", journal, "--json"], in: sandbox)
      good[journal] = Set(replay.output.split(separator: "\n"))
    }
    goodLines = good
    guard good["a.jsonl", default: []].count == 45 else {
      throw TortureError("a.jsonl holds \(good["a.jsonl", default: []].count) events")
    }
  }

  /// Creates guests with events and accounts with others.
  private static func makeAccounts(_ command: Command, _ sandbox: Sandbox) throws {
    func run(_ arguments: String, as program: Command.Program = .eventlog) throws {
      let ending = try command.run(
        arguments.split(separator: " ").map(String.init), in: sandbox, as: program)
      guard ending.code == 0 else { throw TortureError("\(arguments): \(ending.errors)") }
    }
    for name in ["Read", "Run", "Cook"] {
      try run(
        "append guest.jsonl --user guest-1 --device visit habit.created \(name) name=\(name)")
    }
    try run("append guest.jsonl settings.changed theme=blue")
    try run("append adopted.jsonl --user ada --device desk settings.changed theme=dark")
    try run("adopt adopted.jsonl guest.jsonl")
    let manager = FileManager.default
    try run("Accounts sign-in ada", as: .accounts)
    try run("Accounts write a1 write a2 write a3", as: .accounts)
    try manager.copyItem(atPath: sandbox.file("Accounts"), toPath: sandbox.file("Signed"))
    try run("Accounts sign-out", as: .accounts)
    try run("Accounts write g1 write g2 write g3", as: .accounts)
    try run("Accounts current", as: .accounts)
    try manager.copyItem(atPath: sandbox.file("Accounts"), toPath: sandbox.file("Begun"))
    let list = sandbox.file("Begun/accounts.json")
    let text = try String(contentsOfFile: list, encoding: .utf8)
    // Mark the guest's adoption as begun.
    guard let guest = try guests(in: sandbox)["Accounts"],
      let name = guest.split(separator: "/").last,
      let file = text.firstRange(of: "\"file\":\"\(name)\""),
      let end = text[file.upperBound...].firstIndex(of: "}")
    else { throw TortureError("accounts.json: \(text)") }
    let begun = text[..<end] + #","adopting":{"by":"ada"}"# + text[end...]
    try begun.write(toFile: list, atomically: false, encoding: .utf8)
  }

  private static func guests(in sandbox: Sandbox) throws -> [String: String] {
    var guests: [String: String] = [:]
    for folder in folders {
      guard
        let overview = try? AccountsOverview(ofFolder: sandbox.file(folder)),
        let guest = overview.rows.first(where: \.isGuest)
      else { continue }
      guests[folder] = "\(folder)/" + String(guest.path.split(separator: "/").last ?? "")
    }
    return guests
  }

  func restore() throws { try sandbox.restore(contents) }

  /// Returns complaints about lost and repeated lines, repeated refs, and missing ones if
  /// `mustExist`.
  func complaints(refs: [String], mustExist: Bool) -> [String] {
    var complaints: [String] = []
    var refCounts: [String: Int] = [:]
    for journal in journals {
      var counts: [Substring: Int] = [:]
      for line in sandbox.lines(journal) {
        counts[line, default: 0] += 1
        for ref in refs where line.contains("\"ref\":\"\(ref)\"") {
          refCounts[ref, default: 0] += 1
        }
      }
      let lost = goodLines[journal, default: []].count { counts[$0] == nil }
      if lost > 0 { complaints.append("\(journal) has lost \(lost) events") }
      let repeated = goodLines[journal, default: []].count { counts[$0, default: 0] > 1 }
      if repeated > 0 { complaints.append("\(journal) has \(repeated) events twice") }
    }
    for ref in refs where refCounts[ref, default: 0] > 1 || (mustExist && refCounts[ref] == nil) {
      complaints.append("\(ref) is there \(refCounts[ref, default: 0]) times")
    }
    return complaints
  }

  /// Whether a synced remote of any journal is no longer remembered.
  var forgetsRemotes: Bool {
    contents.contains { name, bytes in
      guard name.hasSuffix("/remotes.json"), case .some(let bytes) = bytes else { return false }
      let now = FileManager.default.contents(atPath: sandbox.file(name)) ?? Data()
      let remotes = String(decoding: bytes, as: UTF8.self).matches(of: /"[^"]*"/).map(\.output)
      let kept = String(decoding: now, as: UTF8.self)
      return remotes.contains { !kept.contains($0) }
    }
  }

  /// Whether a journal has changed in contradiction to an error message.
  func isChanged(despite message: Substring) -> Bool {
    let saysUnchanged = ["Nothing was changed", "Nothing was done", "is unchanged"]
      .contains { message.contains($0) }
    return changedJournals.contains { journal in
      if saysUnchanged { return true }
      guard message.contains("Nothing was appended"), case .some(let before) = contents[journal],
        let before
      else { return message.contains("Nothing was") }
      // A torn tail may already be in quarantine.
      let now = FileManager.default.contents(atPath: sandbox.file(journal)) ?? Data()
      return !before.starts(with: now)
    }
  }

  /// The journals whose bytes the operation has changed.
  var changedJournals: [String] {
    journals.filter { journal in
      let before = contents[journal].flatMap { $0 }
      return FileManager.default.contents(atPath: sandbox.file(journal)) != before
    }
  }
}
