import EventLog
import Foundation
import Testing

/// `sync` with a journal on another machine, through what stands for ssh.
@Suite struct OtherMachineTests {
  private let place: Workplace
  private let environment: [String: String]

  init() throws {
    place = try Workplace()
    try place.writeOtherMachine()
    environment = ["EVENTLOG_SSH": "sh '\(place.file("ssh.sh"))'"]
    try place.follow(
      "$ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id")
  }

  private func shell(_ line: String) throws -> Workplace.Run {
    try place.shell(line, environment: environment)
  }

  @Test(arguments: [
    "desk:ada.jsonl", "ada@desk:sub/ada.jsonl", "desk:it's $HOME; exit 3/a  b.jsonl",
    "desk:-x.jsonl", "desk:ünï\"c.jsonl",
  ])
  func `a journal there is made, met again, and begins a second device`(
    address: String
  ) throws {
    let path = String(address.drop { $0 != ":" }.dropFirst())
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    _ = try place.shell("mkdir -p far/\"$DIR\"", environment: ["DIR": folder])
    let word = "'" + address.replacing("'", with: "'\\''") + "'"
    let first = try shell("eventlog sync a.jsonl \(word)")
    #expect(first.code == 0 && first.text.contains("pushed"), "\(first.errorText)")
    #expect(try place.read("far/" + path) == place.read("a.jsonl"))
    // Remembered, and nothing more to do.
    let again = try shell("eventlog sync a.jsonl")
    #expect(again.code == 0 && again.text.contains("hold the same"), "\(again.errorText)")
    let second = try shell("eventlog sync b.jsonl \(word) && eventlog diff a.jsonl b.jsonl")
    #expect(second.code == 0, "\(second.errorText)")
    let host = try #require(address.split(separator: ":").first)
    #expect(try String(decoding: place.read("host"), as: UTF8.self) == host + "\n")
  }

  @Test func `what is written on either side crosses, and disagreements show`() throws {
    let run = try shell(
      """
      eventlog sync a.jsonl desk:ada.jsonl > out
      (cd far && eventlog append ada.jsonl --device desk settings.changed theme=light) > id
      eventlog append a.jsonl settings.changed theme=blue > id
      eventlog sync a.jsonl --plan --json
      """)
    let plan = try JSONValue(parsing: run.output)
    let done = try JSONValue(parsing: try shell("eventlog sync a.jsonl --json").output)
    guard case .object(let planned) = plan, case .object(let did) = done else {
      Issue.record("no object: \(run.errorText)")
      return
    }
    for name in ["pulled", "pushed", "conflicts"] { #expect(planned[name] == did[name]) }
    #expect(planned["pulled"] != [] && planned["conflicts"] != [])
    let end = try shell("eventlog diff a.jsonl far/ada.jsonl")
    #expect(end.code == 0, "\(end.text)")
  }

  @Test func `a hole is refilled from there, and a fork settled`() throws {
    let run = try shell(
      """
      for n in 1 2 3 4; do eventlog append a.jsonl settings.changed n=$n > id; done
      eventlog sync a.jsonl desk:ada.jsonl > out
      sed 's/"n":2/"n":7/' a.jsonl > x && cat x > a.jsonl
      eventlog verify a.jsonl > out && exit 9
      eventlog repair a.jsonl --from desk:ada.jsonl && eventlog verify a.jsonl
      """)
    #expect(run.code == 0 && run.text.contains("refilled  1 event"), "\(run.errorText)")
  }

  @Test func `what cannot be reached is said, and nothing is changed`() throws {
    let before = try place.read("a.jsonl")
    for (ssh, words) in [
      ("false", "ended before"), ("/nowhere/ssh", "could not"),
      ("sh -c 'echo Welcome; exec cat'", ""), ("sh -c 'exit 127'", "eventlog"),
      ("sh -c 'echo no route to host >&2; exit 255'", "no route to host"),
    ] {
      let run = try place.shell(
        "eventlog sync a.jsonl desk:ada.jsonl", environment: ["EVENTLOG_SSH": ssh])
      #expect(run.code == 2, "\(ssh): \(run.text)")
      #expect(words.isEmpty || run.errorText.contains(words), "\(ssh): \(run.errorText)")
    }
    #expect(try place.read("a.jsonl") == before)
    let none = try place.shell("eventlog sync a.jsonl", environment: [:])
    #expect(none.code == 2)
  }
}
