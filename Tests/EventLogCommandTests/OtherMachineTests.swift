import EventLog
import Foundation
import Testing

/// `sync` with a journal on another machine, which is a folder that a script uses instead of ssh.
@Suite struct OtherMachineTests {
  private let workplace: Workplace
  private let environment: [String: String]

  init() throws {
    workplace = try Workplace()
    environment = try workplace.writeOtherMachine()
    try workplace.follow(
      "$ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id")
  }

  private func shell(_ line: String, _ more: [String: String] = [:]) throws -> Workplace.Run {
    try workplace.shell(line, environment: environment.merging(more) { $1 })
  }

  @Test(arguments: [
    "desk:ada.jsonl", "ada@desk:sub/ada.jsonl", "desk:it's $HOME; exit 3/a  b.jsonl",
    "desk:-x.jsonl", "desk:ünï\"c\".jsonl", "desk:$(id)`id`;id.jsonl", "desk:~.jsonl",
    "desk:*?[a].jsonl", #"desk:back\slash.jsonl"#, "desk:100%.jsonl",
  ])
  func `a journal on another machine is created, synced again, and copied to a second device`(
    address: String
  ) throws {
    let path = String(address.drop { $0 != ":" }.dropFirst())
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    _ = try workplace.shell("mkdir -p far/\"$DIR\"", environment: ["DIR": folder])
    let word = "'" + address.replacing("'", with: "'\\''") + "'"
    let first = try shell("eventlog sync a.jsonl \(word)")
    #expect(first.code == 0 && first.text.contains("pushed"), "\(first.errorText)")
    #expect(try workplace.read("far/" + path) == workplace.read("a.jsonl"))
    // The address is remembered, and nothing is left to sync.
    let repeated = try shell("eventlog sync a.jsonl")
    #expect(
      repeated.code == 0 && repeated.text.contains("contain the same events"),
      "\(repeated.errorText)")
    let second = try shell("eventlog sync b.jsonl \(word) && eventlog diff a.jsonl b.jsonl")
    #expect(second.code == 0, "\(second.errorText)")
  }

  @Test func `a plan changes nothing on either machine`() throws {
    let plan = try shell("eventlog sync a.jsonl desk:ada.jsonl --plan")
    #expect(plan.text.contains("would push  2 events"))
    #expect(try workplace.shell("ls far | wc -l").text == "0\n")
    #expect(try shell("eventlog sync a.jsonl desk:ada.jsonl --plan --check").code == 1)
  }

  @Test func `ssh receives only the options, host and command that it needs`() throws {
    _ = try shell("eventlog sync a.jsonl ssh://ada@desk:2222/~/it%27s.jsonl")
    #expect(
      try workplace.shell("cat words").text == """
        -T
        -a
        -x
        -o
        ClearAllForwardings=yes
        -o
        RemoteCommand=none
        -p
        2222
        --
        ada@desk
        eventlog serve 'it'\\''s.jsonl'

        """)
  }

  @Test func `EVENTLOG_SSH can name another program with arguments`() throws {
    try workplace.script("other ssh", "echo \"$1\" > first; shift; exec sh ssh.sh \"$@\"")
    let run = try shell(
      "eventlog sync a.jsonl desk:ada.jsonl",
      ["EVENTLOG_SSH": #"'./other ssh' "-i=my \"key\"" "#])
    #expect(run.code == 0)
    #expect(try workplace.shell("cat first").text == "-i=my \"key\"\n")
    let unended = try shell(
      "eventlog sync a.jsonl desk:ada.jsonl", ["EVENTLOG_SSH": "ssh 'x"])
    #expect(unended.code == 2 && unended.errorText.contains("an unclosed quote"))
  }

  @Test func `EVENTLOG_REMOTE_COMMAND can name another command on the machine`() throws {
    try workplace.script("elsewhere", "exec eventlog \"$@\"")
    let run = try shell(
      "eventlog sync a.jsonl desk:ada.jsonl", ["EVENTLOG_REMOTE_COMMAND": "../elsewhere"])
    #expect(run.code == 0, "\(run.errorText)")
  }
}
