import EventLog
import Foundation
import Testing

/// `sync` of the built command.
@Suite struct SyncTests {
  private let workplace: Workplace

  /// Makes a journal `a.jsonl` and a second device's copy `b.jsonl`, with a conflict.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone habit.created read name=Read > id
      $ eventlog sync b.jsonl a.jsonl > made
      ! Note: b.jsonl is new; it was created from the received events.
      $ eventlog append b.jsonl --device tablet habit.edited Read "name=Read daily" > id
      $ eventlog append a.jsonl habit.edited Read "name=Read 20" > id
      """)
  }

  private func json(_ arguments: String...) throws -> [String: JSONValue] {
    let run = try workplace.eventlog(arguments + ["--json"])
    guard case .object(let object) = try JSONValue(parsing: run.output) else { return [:] }
    return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  private func count(_ value: JSONValue?) -> Int? {
    if case .array(let values)? = value { values.count } else { nil }
  }

  @Test func `a sync prints transferred events and commands that resolve its conflicts`() throws {
    let text = try workplace.eventlog("sync", "a.jsonl", "b.jsonl").text
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines[0] == "a.jsonl and b.jsonl")
    #expect(lines[1].hasPrefix("  pulled  2 events  tablet-"))
    #expect(lines[2].hasPrefix("  pushed  1 event   phone-"))
    #expect(lines[3].hasPrefix("1 new conflict."))
    #expect(lines[4] == "  habit/read#name, was Read")
    #expect(lines[5].hasPrefix("    ours    shown  Read 20     phone-"))
    #expect(lines[7].hasPrefix("    theirs         Read daily  tablet-"))
    // A printed command resolves the conflict, and the resolution is synced.
    #expect(try workplace.shell(lines[8]).code == 0)
    try workplace.follow(
      """
      $ eventlog sync a.jsonl > synced
      $ eventlog conflicts b.jsonl --check
      b.jsonl: no conflicts.
      $ eventlog project b.jsonl habits | grep -o 'Read daily'
      Read daily
      """)
  }

  @Test func `a conflict with a further candidate isn't reported as new`() throws {
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl > out; eventlog sync c.jsonl a.jsonl > out 2> notes
      $ eventlog append a.jsonl habit.edited read goal=1 > id
      $ eventlog append b.jsonl habit.edited read goal=2 > id
      $ eventlog append c.jsonl habit.edited read goal=3 > id
      $ eventlog append a.jsonl settings.changed theme=light > id
      $ eventlog append c.jsonl settings.changed theme=dark > id
      $ eventlog sync a.jsonl b.jsonl | grep 'Nothing is lost'
      1 new conflict. Nothing is lost: resolve each with one of the commands.
      $ eventlog sync a.jsonl c.jsonl --plan | grep ':$'
      1 conflict would arise, and 1 would get a further candidate:
      $ eventlog sync a.jsonl c.jsonl | grep 'Nothing is lost'
      1 new conflict, and 1 with a further candidate. Nothing is lost: resolve each with one of \
      the commands.
      """)
  }

  @Test func `a plan predicts the sync and changes nothing`() throws {
    let files = ["a.jsonl", "b.jsonl"]
    let before = try files.map(workplace.read)
    var plan = try json("sync", "a.jsonl", "b.jsonl", "--plan")
    #expect(plan.removeValue(forKey: "plan") == .bool(true))
    #expect(try files.map(workplace.read) == before)
    #expect(try json("sync", "a.jsonl", "b.jsonl") == plan)
    #expect(count(plan["pulled"]) == 1 && count(plan["conflicts"]) == 1)
    #expect(try workplace.read("a.jsonl").count > before[0].count)
    let repeated = try json("sync", "a.jsonl", "b.jsonl")
    #expect(count(repeated["pulled"]) == 0 && count(repeated["conflicts"]) == 0)
  }

  @Test func `a plan with --check exits with 1 if there is something to sync`() throws {
    #expect(try workplace.eventlog("sync", "a.jsonl", "b.jsonl", "--plan").code == 0)
    #expect(try workplace.eventlog("sync", "a.jsonl", "b.jsonl", "--plan", "--check").code == 1)
    #expect(try workplace.eventlog("sync", "a.jsonl", "b.jsonl").code == 0)
    #expect(try workplace.eventlog("sync", "a.jsonl", "b.jsonl", "--plan", "--check").code == 0)
  }

  @Test func `remotes are remembered, synced without naming them, and forgotten`() throws {
    try workplace.follow("$ eventlog sync a.jsonl b.jsonl > out")
    try workplace.follow("$ eventlog append b.jsonl settings.changed theme=dark > id")
    #expect(count(try json("sync", "a.jsonl")["pulled"]) == 1)
    let status = try workplace.eventlog("status", "a.jsonl", "--json").text
    #expect(status.contains("\"remotes\":[\"\(workplace.file("b.jsonl"))\"]"))
    #expect(try workplace.eventlog("sync", "a.jsonl", "b.jsonl", "--forget").code == 0)
    try workplace.follow(
      """
      $ eventlog sync a.jsonl
      ! Error: a.jsonl has no remembered remotes.
      ! Hint: Specify one: eventlog sync a.jsonl REMOTE
      ? 2
      """)
  }

  @Test func `a failing remote doesn't prevent syncing with others`() throws {
    let run = try workplace.eventlog("sync", "a.jsonl", "none/x.jsonl", "b.jsonl")
    #expect(run.code == 2 && run.text.contains("pulled  2 events"))
    #expect(run.errorText.contains("Could not sync with none/x.jsonl"))
    // Only remotes that were reached are remembered.
    #expect(try workplace.eventlog("status", "a.jsonl").text.contains("none/x.jsonl") == false)
  }

  @Test func `sync refuses invalid arguments and unsuitable files with a hint`() throws {
    try workplace.follow(
      """
      $ eventlog sync
      ! Error: eventlog sync needs the path of a journal.
      ! Hint: eventlog help sync shows its usage.
      ? 2
      $ eventlog sync a.jsonl a.jsonl
      ! Error: "a.jsonl" is the journal itself.
      ! Hint: eventlog help sync shows its usage.
      ? 2
      $ eventlog sync a.jsonl b.jsonl --pull --push
      ! Error: --pull and --push cannot be combined.
      ! Hint: eventlog help sync shows its usage.
      ? 2
      $ eventlog sync a.jsonl b.jsonl --check
      ! Error: --check needs --plan.
      ! Hint: eventlog help sync shows its usage.
      ? 2
      $ eventlog append ben.jsonl --user ben settings.changed a=1 > id
      $ eventlog sync a.jsonl ben.jsonl 2>&1 | sed 's#"/.*/#"#'
      Error: "ben.jsonl" contains the events of another user. Nothing was changed.
      Hint: A journal contains one user's events: check the address.
      $ printf 'not a journal\\n' > bad.jsonl
      $ eventlog sync a.jsonl bad.jsonl 2>&1 | sed 's#"/.*/#"#'
      Error: "bad.jsonl" is not a journal: it contains no events. It was not changed.
      Hint: Check the path.
      $ cat bad.jsonl
      not a journal
      """)
    #expect(try workplace.eventlog("sync", "new.jsonl", "none.jsonl").code == 2)
    try workplace.follow(
      """
      $ mkdir Empty && eventlog sync new.jsonl Empty 2>&1 | sed 's#"/.*/#"#'
      Error: Neither side contains any events: "Empty" has nothing to create a journal from. \
      Nothing was changed.
      Hint: Check both paths.
      $ ls Empty; ls -d new.* | wc -l
      0
      ! ls: cannot access 'new.*': No such file or directory
      """)
    #expect(!FileManager.default.fileExists(atPath: workplace.file("new.jsonl")))
    #expect(!FileManager.default.fileExists(atPath: workplace.file("none.jsonl")))
  }
}
