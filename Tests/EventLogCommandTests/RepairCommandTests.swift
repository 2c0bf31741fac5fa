import EventLog
import Foundation
import Testing

/// `repair` of the built command.
@Suite struct RepairCommandTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
  }

  private func json(_ arguments: String...) throws -> JSONObject {
    let run = try workplace.eventlog(arguments + ["--json"])
    guard case .object(let object) = try JSONValue(parsing: run.output) else {
      Issue.record("no object: \(run.errorText)")
      return JSONObject()
    }
    return object
  }

  /// Makes a journal that lacks an event, and that was synced with two remotes that contain it:
  /// `b.jsonl` and `c.jsonl`.
  private func makeGap() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id
      $ eventlog append a.jsonl settings.changed theme=left > id
      $ eventlog append a.jsonl settings.changed theme=right > id
      $ eventlog sync a.jsonl b.jsonl > out 2> err; eventlog sync a.jsonl c.jsonl > out 2> err
      $ sed 3d a.jsonl > less; cat less > a.jsonl; eventlog verify a.jsonl > out 2> err; echo $?
      1
      """)
  }

  @Test func `repair leaves a sound journal unchanged`() throws {
    try workplace.follow(
      """
      $ cd SampleLogs && cp ada.jsonl before
      $ cd SampleLogs && eventlog repair ada.jsonl
      ada.jsonl: nothing is missing.
      $ cd SampleLogs && cmp ada.jsonl before && ls -d ada.eventlog 2> err; echo $?
      2
      """)
  }

  @Test func `repair appends missing events and changes no byte before them`() throws {
    try workplace.follow(
      """
      $ cd SampleLogs && sed 9,12d two-devices.jsonl > less.jsonl && cp less.jsonl before
      $ cd SampleLogs && eventlog repair less.jsonl --from two-devices.jsonl
        refilled  3 events  phone-ufryznu4:9–11
                  1 event   phone-ufryznu4:12
      less.jsonl: repaired.
      $ cd SampleLogs && head -c $(stat -c %s before) less.jsonl | cmp - before
      $ cd SampleLogs && eventlog verify less.jsonl
      less.jsonl: sound, 39 events from 2 devices in 7030 bytes.
      $ cd SampleLogs && eventlog repair less.jsonl --from two-devices.jsonl
      less.jsonl: nothing is missing.
      """)
  }

  @Test func `repair lists acknowledged events that were lost with a torn tail`() throws {
    try workplace.follow(
      """
      $ eventlog append b.jsonl --user ada --device b habit.created read name=Read > id
      $ eventlog append b.jsonl habit.edited read name=Reading > id
      $ cp b.jsonl whole.jsonl; eventlog append b.jsonl habit.edited read name=Books > id
      $ head -c $(($(head -n 3 b.jsonl | wc -c) - 7)) b.jsonl > less; cat less > b.jsonl
      $ eventlog verify b.jsonl > out; sed 's/b-[a-z2-7]*:/b:/; s/byte [0-9]*/byte N/' out
      b.jsonl:3: byte N: cutOff: b:3–4 are missing here: the file contained them, and was rolled \
      back to an earlier state, or its end was cut off or damaged. All other events count.
      b.jsonl:3: byte N: doubtfulTail: The last 164 bytes are an interrupted append or damage \
      (their first line ends before its JSON is complete). They do not count; the next append \
      moves them to the quarantine folder.
      b.jsonl: 2 problems, 2 events from 1 device in 490 bytes.
      $ eventlog repair b.jsonl > out 2> err; echo $?; sed 's/b-[a-z2-7]*:/b:/' out
      1
        missing  2 events  b:3–4
      $ eventlog repair b.jsonl --from whole.jsonl > out 2> err; echo $?
      1
      $ sed 's/b-[a-z2-7]*:/b:/' out
        pulled   1 event  b:3
        missing  1 event  b:4
      """)
  }

  @Test func `repair completes a damaged journal and verify notes the dead bytes`() throws {
    try workplace.follow(
      """
      $ cd SampleLogs && eventlog repair damaged.jsonl --from two-devices.jsonl > out 2> err
      $ cd SampleLogs && eventlog diff damaged.jsonl two-devices.jsonl
      damaged.jsonl and two-devices.jsonl contain the same events.
      $ cd SampleLogs && eventlog verify damaged.jsonl
      damaged.jsonl:9: byte 1509: note: phone-ufryznu4:6 is repeated here; it counts once.
      damaged.jsonl:15: byte 2714: note: The line does not match its checksum: its bytes were \
      changed; \
      its event is also on another line, so nothing is lost.
      …
      """)
  }

  @Test func `repair without --from uses the journal's remotes`() throws {
    try makeGap()
    try workplace.follow(
      """
      $ eventlog repair a.jsonl | sed 's/-[a-z2-7]*:/:/'
        refilled  1 event  phone:3
      a.jsonl: repaired.
      $ eventlog diff a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      $ eventlog repair a.jsonl
      a.jsonl: nothing is missing.
      """)
  }

  @Test func `the JSON of a repair lists its changes and the missing events`() throws {
    let folder = "SampleLogs/"
    let before = try json("repair", folder + "damaged.jsonl")
    #expect(
      before.members.map(\.name) == [
        "accepted", "damaged", "missing", "notices", "pulled", "refilled", "refused", "remotes",
      ])
    #expect(before["damaged"] == true && before["missing"] != [] && before["refilled"] == [])
    if case .array(let ranges)? = before["missing"], case .object(let range)? = ranges.first {
      #expect(range.members.map(\.name) == ["chain", "device", "first", "last"])
      if case .string(let chain)? = range["chain"] { #expect(chain.count == 8) }
    }
    let report = try json(
      "repair", folder + "damaged.jsonl", "--from", folder + "two-devices.jsonl")
    #expect(report["damaged"] == false && report["missing"] == [] && report["accepted"] == [])
    #expect(report["refilled"] != [])
    let repeated = try json(
      "repair", folder + "damaged.jsonl", "--from", folder + "two-devices.jsonl")
    #expect(repeated["refilled"] == [] && repeated["pulled"] == [])
  }

  @Test func `repair reports damage that is left and the next possible step`() throws {
    try workplace.follow(
      """
      $ cd SampleLogs && eventlog repair damaged.jsonl > out 2> err; echo $?
      1
      $ cd SampleLogs && grep -c 'eventlog repair damaged.jsonl --from OTHER' err
      1
      $ cd SampleLogs && cp damaged.jsonl other.jsonl
      $ cd SampleLogs && eventlog repair damaged.jsonl --from other.jsonl > out 2> err; echo $?
      1
      $ cd SampleLogs && grep -c 'eventlog repair damaged.jsonl --accept-loss' err
      1
      """)
    let other = try workplace.eventlog(
      "repair", "SampleLogs/damaged.jsonl", "--from", "SampleLogs/nobody.jsonl")
    #expect(other.code == 2 && other.errorText.contains("There is nothing at"))
    let none = try workplace.eventlog("repair", "nothing.jsonl")
    #expect(none.code == 2 && none.errorText.contains("There is no journal"))
    #expect(!FileManager.default.fileExists(atPath: workplace.file("nothing.jsonl")))
  }

  // MARK: - Accepted losses

  @Test func `an accepted loss is a note on all devices until the event returns`() throws {
    try makeGap()
    try workplace.follow(
      """
      $ eventlog project b.jsonl --json > whole; rm b.jsonl
      $ eventlog repair a.jsonl --accept-loss | sed 's/-[a-z2-7]*:/:/'
        accepted as lost  1 event  phone:3
      a.jsonl: 1 missing event was given up.
      $ eventlog verify a.jsonl | grep note | sed 's/-[a-z2-7]*:/:/; s/byte [0-9]*/byte N/'
      a.jsonl:3: byte N: note: phone:3 is missing; the loss was accepted.
      $ eventlog repair a.jsonl --accept-loss
      a.jsonl: nothing is missing.
      $ eventlog sync new.jsonl a.jsonl > out 2> err; eventlog verify new.jsonl > out; echo $?
      0
      $ eventlog project a.jsonl --json > one; eventlog project new.jsonl --json | cmp one -
      """)
    // A sound copy appears: the event is restored, and none is repeated.
    try workplace.follow(
      """
      $ eventlog sync new.jsonl c.jsonl 2>&1 > out | grep -o 'was missing here was restored'
      was missing here was restored
      $ eventlog sync a.jsonl new.jsonl > out 2> err
      $ grep -c settings.changed new.jsonl; grep -c settings.changed a.jsonl
      3
      3
      $ eventlog verify a.jsonl new.jsonl c.jsonl | grep -c sound
      3
      """)
  }

  @Test func `a loss at the same line of two copies is accepted once for both`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id
      $ for theme in left right; do eventlog append a.jsonl settings.changed theme=$theme; done > id
      $ sed 's/"left"/"LEFT"/' a.jsonl > b.jsonl; cat b.jsonl > a.jsonl
      $ eventlog sync a.jsonl b.jsonl > out 2> err; grep -c '^Warning: a.jsonl:3: ' err
      1
      $ grep -c '^Note: ".*b.jsonl" is damaged (line 3): ' err
      1
      $ eventlog repair a.jsonl --accept-loss > out; eventlog sync a.jsonl b.jsonl > out
      $ eventlog verify a.jsonl b.jsonl | grep -c ': sound, '
      2
      """)
  }

  @Test func `damaged bytes of an unknown event can be accepted as lost`() throws {
    // The damaged line is the tablet's last one, and the desk's later line hasn't seen it, so no
    // line refers to its event.
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id
      $ (eventlog sync b.jsonl a.jsonl; eventlog sync c.jsonl a.jsonl) > out 2> err
      $ eventlog append b.jsonl --device tablet settings.changed theme=left > id
      $ eventlog append c.jsonl --device desk settings.changed theme=right > id
      $ (eventlog sync a.jsonl b.jsonl; eventlog sync a.jsonl c.jsonl) > out
      $ eventlog sync a.jsonl --forget 2> err
      $ sed 's/theme":"left/theme":"LEFT/' a.jsonl > x; cat x > a.jsonl
      $ eventlog verify a.jsonl > out; echo $?
      1
      $ eventlog repair a.jsonl --accept-loss > out; echo $?
      0
      $ eventlog verify a.jsonl > out; echo $?
      0
      """)
  }

  // MARK: - Several remotes

  @Test(arguments: ["b.jsonl", "c.jsonl"])
  func `a missing remote doesn't prevent a repair from the others`(_ gone: String) throws {
    try makeGap()
    _ = try workplace.shell("mv \(gone) away")
    let run = try workplace.eventlog("repair", "a.jsonl")
    #expect(run.code == 2 && run.text.contains("refilled"))
    #expect(run.errorText.contains("Could not repair from"))
    #expect(run.errorText.contains("\(gone)\" is a remembered remote, but it is not there"))
    #expect(run.errorText.contains("--forget"))
    #expect(try workplace.eventlog("verify", "a.jsonl").code == 0)
  }

  @Test func `accepting a loss isn't suggested while a remote is unreachable`() throws {
    try makeGap()
    _ = try workplace.shell("mv b.jsonl away && mv c.jsonl awaytoo")
    let run = try workplace.eventlog("repair", "a.jsonl")
    #expect(run.code == 2 && !run.errorText.contains("--accept-loss"))
    #expect(run.errorText.contains("A remote that could not be reached may have it."))
  }

  @Test func `the JSON of a repair lists each remote with its error`() throws {
    try makeGap()
    _ = try workplace.shell("mv b.jsonl away")
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

  @Test func `the JSON of a repair contains the notice of a fork`() throws {
    try workplace.follow(
      """
      $ eventlog append p.jsonl --user ada --device phone settings.changed theme=dark > id
      $ clone p t
      $ eventlog append p.jsonl settings.changed theme=left > id
      $ eventlog append t.jsonl settings.changed theme=right > id
      """)
    let report = try json("repair", "p.jsonl", "--from", "t.jsonl")
    #expect("\(report["notices"] as Any)".contains("was copied or restored after phone-"))
  }

  @Test func `repair prints a notice only once`() throws {
    try makeGap()
    try workplace.follow(
      """
      $ cp a.jsonl copy && mv copy a.jsonl && eventlog repair a.jsonl --accept-loss > out
      ! Note: The journal is a copy, or was restored from one, so from now on it writes under a \
      new device ID.
      """)
  }

  @Test func `a repair that only received new events reports that nothing was missing`() throws {
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada settings.changed theme=dark > id
      $ sed 's/$/\r/' a.jsonl > lines.jsonl && eventlog append a.jsonl settings.changed x=1 > id
      $ eventlog repair lines.jsonl --from a.jsonl | tail -n 1
      lines.jsonl: nothing was missing; it received new events.
      $ eventlog repair lines.jsonl --from a.jsonl
      lines.jsonl: nothing is missing.
      """)
  }

  // MARK: - Order

  @Test func `repair ignores order, repeated lines and blank lines`() throws {
    try workplace.follow(
      """
      $ tac SampleLogs/ada.jsonl > r.jsonl && cat SampleLogs/ada.jsonl r.jsonl > d.jsonl
      $ for file in r d; do cp $file.jsonl before; eventlog repair $file.jsonl; \
        cmp before $file.jsonl; done
      r.jsonl: nothing is missing.
      d.jsonl: nothing is missing.
      """)
  }
}
