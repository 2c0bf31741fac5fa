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
        "damaged", "forks", "lost", "notices", "pulled", "quarantined", "refilled", "refused",
        "reissued", "remotes", "reorderedCount",
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

  /// A journal that lacks an event, and has met two remotes that hold it: `b.jsonl`, `c.jsonl`.
  private func hole() throws {
    try place.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id
      $ eventlog append a.jsonl settings.changed theme=left > id
      $ eventlog append a.jsonl settings.changed theme=right > id
      $ eventlog sync a.jsonl b.jsonl > out 2> err; eventlog sync a.jsonl c.jsonl > out 2> err
      $ sed 3d a.jsonl > less; cat less > a.jsonl; eventlog verify a.jsonl > out 2> err; echo $?
      1
      """)
  }

  @Test(arguments: ["b.jsonl", "c.jsonl"])
  func `a remote that is gone keeps no other one from being asked`(_ gone: String) throws {
    try hole()
    _ = try place.shell("mv \(gone) away")
    let run = try place.eventlog("repair", "a.jsonl")
    #expect(run.code == 2 && run.text.contains("refilled"))
    #expect(run.errorText.contains("Could not repair from"))
    #expect(run.errorText.contains("\(gone)\" is remembered, and is not there"))
    #expect(run.errorText.contains("--forget"))
    #expect(try place.eventlog("verify", "a.jsonl").code == 0)
  }

  @Test func `what could not be reached may have what is missing, and nothing is to be given up`()
    throws
  {
    try hole()
    _ = try place.shell("mv b.jsonl away && mv c.jsonl awaytoo")
    let run = try place.eventlog("repair", "a.jsonl")
    #expect(run.code == 2 && !run.errorText.contains("--abandon"))
    #expect(run.errorText.contains("What could not be reached may have it."))
  }

  @Test func `the JSON names each remote, with its error`() throws {
    try hole()
    _ = try place.shell("mv b.jsonl away")
    let report = try json("repair", "a.jsonl")
    guard case .array(let remotes)? = report["remotes"] else {
      Issue.record("no remotes")
      return
    }
    let objects = remotes.compactMap { remote -> JSONObject? in
      if case .object(let object) = remote { object } else { nil }
    }
    #expect(objects.count == 2 && report["damaged"] == false)
    for object in objects {
      guard case .string(let address)? = object["remote"] else {
        Issue.record("no address")
        continue
      }
      let isGone = address.hasSuffix("b.jsonl")
      #expect((object["error"] != nil) == isGone)
      #expect((object["refilled"] == []) == isGone)
    }
  }

  @Test func `the JSON says that the journal gave its device ID up`() throws {
    try place.follow(
      """
      $ eventlog append p.jsonl --user ada --device phone settings.changed theme=dark > id
      $ cp p.jsonl kept && cat p.eventlog/device.json > record
      $ eventlog append p.jsonl settings.changed theme=left > id
      $ cp p.jsonl t.jsonl
      $ cat kept > p.jsonl && cat record > p.eventlog/device.json
      $ eventlog append p.jsonl settings.changed theme=right > id
      """)
    let report = try json("repair", "p.jsonl", "--from", "t.jsonl")
    #expect(report["notices"] != nil && report["notices"] != [])
  }

  @Test func `who reports a fork names the command that settles it`() throws {
    try fork()
    let sync = try place.eventlog("sync", "p.jsonl", "t.jsonl")
    #expect(sync.errorText.contains("Hint: eventlog repair p.jsonl --from t.jsonl settles that"))
    let diff = try place.eventlog("diff", "p.jsonl", "t.jsonl")
    #expect(diff.text.contains("eventlog repair p.jsonl --from t.jsonl settles that"))
  }

  /// A journal of seven lines, `a.jsonl`, whose side folder is gone.
  private func seven() throws {
    _ = try place.shell(
      """
      for n in 1 2 3 4 5 6; do
        eventlog append a.jsonl --user ada --device phone settings.changed n=$n
      done; rm -r a.eventlog
      """)
    #expect(try place.shell("grep -c . a.jsonl").text == "7\n")
  }

  @Test func `lines that were put in order are counted`() throws {
    try seven()
    try place.follow(
      """
      $ awk '{ line[NR] = $0 } END { for (i = NR; i > 0; i--) print line[i] }' a.jsonl > r.jsonl
      $ eventlog repair r.jsonl
        put in order  6 lines
      r.jsonl: repaired.
      $ cmp a.jsonl r.jsonl
      $ sed 3p a.jsonl > d.jsonl; eventlog repair d.jsonl
        put in order  1 line
      d.jsonl: repaired.
      $ eventlog repair d.jsonl
      d.jsonl: nothing to repair.
      """)
  }

  @Test func `what is sound behind a hole is kept, whatever its order`() throws {
    try seven()
    // 3 is lost; 5 stands before 4, and 6 stands twice.
    _ = try place.shell(
      "for n in 1 2 5 4 6 6 7; do sed -n ${n}p a.jsonl; done > b.jsonl")
    let report = try json("repair", "b.jsonl", "--abandon")
    guard case .array(let lost)? = report["lost"], lost.count == 1,
      case .object(let range) = lost[0]
    else {
      Issue.record("lost: \(report["lost"] as Any)")
      return
    }
    #expect(range["first"] == 3 && range["last"] == 3)
    #expect(try place.eventlog("verify", "b.jsonl").code == 0)
    let kept = try place.shell("grep -o '\"n\":\"*[0-9]' b.jsonl | grep -o '[0-9]' | tr -d '\n'")
    #expect(kept.text == "13456")
  }

  @Test(arguments: 2...4)
  func `several branches in one file are settled by one call`(count: Int) throws {
    _ = try place.shell(
      """
      eventlog append a.jsonl --user ada --device phone settings.changed n=0
      cp a.jsonl kept; cat a.eventlog/device.json > record; cat a.jsonl > m
      for branch in $(seq \(count)); do
        cat kept > a.jsonl; cat record > a.eventlog/device.json
        for n in 1 2; do eventlog append a.jsonl settings.changed n=$branch$n; done
        tail -n +3 a.jsonl >> m
      done; mv m m.jsonl
      """)
    let run = try place.eventlog("repair", "m.jsonl")
    #expect(run.code == 0 && run.text.contains("repaired"), "\(run.text)\(run.errorText)")
    #expect(try place.eventlog("verify", "m.jsonl").code == 0)
    let kept = try place.shell("grep -c settings.changed m.jsonl")
    #expect(kept.text == "\(1 + 2 * count)\n")
  }
}
