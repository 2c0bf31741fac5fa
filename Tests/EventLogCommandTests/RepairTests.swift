import EventLog
import Foundation
import Testing

/// `repair` on the built command.
@Suite struct RepairCommandTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.copy(folder: "SampleLogs")
  }

  private func json(_ words: String...) throws -> JSONObject {
    let run = try place.eventlog(words + ["--json"])
    guard case .object(let object) = try JSONValue(parsing: run.output) else {
      Issue.record("no object: \(run.errorText)")
      return JSONObject()
    }
    return object
  }

  /// A phone's journal, and a tablet's that has met a clone of it: `p.jsonl`, `t.jsonl`.
  private func fork() throws {
    try place.follow(
      """
      $ eventlog append p.jsonl --user ada --device phone settings.changed theme=dark > id
      $ cp p.jsonl kept && cat p.eventlog/device.json > record
      $ eventlog append p.jsonl settings.changed theme=left > id
      $ eventlog sync t.jsonl p.jsonl > out 2> err
      $ cat kept > p.jsonl && cat record > p.eventlog/device.json
      $ eventlog append p.jsonl settings.changed theme=right > id
      $ eventlog sync p.jsonl t.jsonl > out 2> err; echo $?
      1
      """)
  }

  @Test func `a journal without fault is left alone`() throws {
    try place.follow(
      """
      $ cd SampleLogs && cp ada.jsonl before
      $ cd SampleLogs && eventlog repair ada.jsonl
      ada.jsonl: nothing to repair.
      $ cd SampleLogs && cmp ada.jsonl before && ls -d ada.eventlog 2> err; echo $?
      2
      """)
  }

  @Test func `a fork is settled from either side, and then all is the same`() throws {
    try fork()
    // One of the two gives way, whichever it is; the other one takes what was written again.
    try place.follow(
      """
      $ (eventlog repair p.jsonl --from t.jsonl; eventlog repair t.jsonl --from p.jsonl) > out 2>&1
      $ eventlog repair p.jsonl --from t.jsonl > out; echo $?
      0
      $ eventlog sync p.jsonl t.jsonl
      p.jsonl and t.jsonl hold the same.
      $ eventlog diff p.jsonl t.jsonl
      p.jsonl and t.jsonl hold the same events.
      $ eventlog verify p.jsonl t.jsonl > out; echo $?
      0
      $ eventlog conflicts p.jsonl --json | grep -o '"value":"[a-z]*"' | sort
      "value":"left"
      "value":"right"
      $ ls p.eventlog/quarantine t.eventlog/quarantine 2> err | grep -c jsonl
      1
      """)
  }

  @Test func `a branch that is left in a folder alone is settled from there`() throws {
    try fork()
    // The tablet's branch goes into the folder, and the tablet is lost.
    try place.follow(
      """
      $ eventlog sync t.jsonl S > out 2> err; rm -r t.jsonl t.eventlog
      $ eventlog sync p.jsonl S > out 2> err; echo $?
      1
      $ eventlog repair p.jsonl --from S > out; echo $?
      0
      $ grep -c reissued out
      1
      $ eventlog sync p.jsonl S > out; echo $?
      0
      $ eventlog sync p.jsonl S
      p.jsonl and S hold the same.
      $ eventlog sync new.jsonl S > out 2> err; echo $?
      0
      $ eventlog conflicts new.jsonl --json | grep -o '"value":"[a-z]*"' | sort
      "value":"left"
      "value":"right"
      $ eventlog repair p.jsonl --from S
      p.jsonl: nothing to repair.
      $ ls -A p.eventlog/cache | grep tmp | wc -l
      0
      """)
  }

  @Test func `with nothing named it uses the remotes that it has met`() throws {
    try fork()
    _ = try place.shell("eventlog repair p.jsonl; eventlog repair t.jsonl; eventlog repair p.jsonl")
    try place.follow(
      """
      $ eventlog diff p.jsonl t.jsonl
      p.jsonl and t.jsonl hold the same events.
      """)
  }

  @Test func `the JSON says what was done and what is left`() throws {
    let folder = "SampleLogs/"
    let report = try json(
      "repair", folder + "damaged.jsonl", "--from", folder + "two-devices.jsonl")
    #expect(
      report.members.map(\.name) == [
        "damaged", "forks", "lost", "pulled", "quarantined", "refilled", "refused", "reissued",
      ])
    #expect(report["damaged"] == false && report["lost"] == [])
    #expect(report["refilled"] != [] && report["quarantined"] != [])
    let again = try json("repair", folder + "damaged.jsonl")
    #expect(again["refilled"] == [] && again["quarantined"] == [])
    try fork()
    let first = try json("repair", "p.jsonl", "--from", "t.jsonl")
    let second = try json("repair", "t.jsonl", "--from", "p.jsonl")
    // Exactly one of the two gives way.
    #expect((first["reissued"] == []) != (second["reissued"] == []))
    #expect((first["forks"] == []) == (second["reissued"] == []))
  }

  @Test func `damage that is left is said, with what can still be done`() throws {
    try place.follow(
      """
      $ cd SampleLogs && eventlog repair damaged.jsonl > out 2> err; echo $?
      1
      $ cd SampleLogs && grep -c 'eventlog repair damaged.jsonl --from OTHER' err
      1
      """)
    let other = try place.eventlog(
      "repair", "SampleLogs/damaged.jsonl", "--from", "SampleLogs/nobody.jsonl")
    #expect(other.code == 2 && other.errorText.contains("holds no event"))
    let both = try place.eventlog(
      "repair", "SampleLogs/damaged.jsonl", "--abandon", "--from", "SampleLogs/ada.jsonl")
    #expect(both.code == 2 && both.errorText.contains("exclude each other"))
    let none = try place.eventlog("repair", "nothing.jsonl")
    #expect(none.code == 2 && none.errorText.contains("There is no journal"))
  }
}
