import EventLog
import Foundation
import Testing

/// `diff` of the built command, mostly on the two sides of `two-devices.jsonl` before their sync.
@Suite struct DiffTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    try workplace.follow(
      """
      $ head -n 23 SampleLogs/two-devices.jsonl > phone.jsonl
      $ sed -n '1,11p;24,37p' SampleLogs/two-devices.jsonl > tablet.jsonl
      """)
  }

  private func difference(_ arguments: String...) throws -> [String: JSONValue] {
    let run = try workplace.eventlog(["diff"] + arguments + ["--json"])
    guard case .object(let object) = try JSONValue(parsing: run.output) else { return [:] }
    let names = object.members.map(\.name)
    #expect(names == ["conflicts", "fields", "forks", "left", "refused", "right"])
    return Dictionary(uniqueKeysWithValues: object.members.map { ($0.name, $0.value) })
  }

  /// The chain of an event.
  private func chain(_ id: String) throws -> String {
    let line = try workplace.shell("grep '\"id\":\"\(id)\"' SampleLogs/two-devices.jsonl").text
    return String(line.dropLast(3).suffix(8))
  }

  private func list(_ value: JSONValue?) throws -> [String] {
    guard case .array(let values)? = value else { throw CancellationError() }
    return values.map(\.text)
  }

  @Test func `diff prints additional events, differing fields and the next command`() throws {
    try workplace.follow(
      """
      $ eventlog diff phone.jsonl tablet.jsonl
      only in phone.jsonl: 12 events
        12 events  phone-ufryznu4:12–23  phone  2026-03-02
      only in tablet.jsonl: 14 events
        14 events  tablet-i6ofrujo:1–14  tablet  2026-03-02 to 2026-11-21

      differs                           phone.jsonl   tablet.jsonl
      profile                weight     62.5          62
      …
      habit/water            presence   deleted       present

      merging would raise 9 conflicts
        habit/piano#archived, was true
          phone.jsonl          false  phone-ufryznu4:19   2026-03-02T10:20:00.000Z
          tablet.jsonl  shown  true   tablet-i6ofrujo:10  2026-03-02T10:25:00.000Z
      …

      eventlog sync phone.jsonl tablet.jsonl merges them; nothing is overwritten.
      ? 1
      """)
  }

  @Test func `diff with --events prints every event once and marks its side`() throws {
    let run = try workplace.eventlog("diff", "phone.jsonl", "tablet.jsonl", "--events")
    #expect(run.code == 1 && run.errors.isEmpty)
    let lines = run.text.split(separator: "\n").map(String.init)
    #expect(lines.filter { $0.hasPrefix("< ") && $0.contains("  phone-ufryznu4:") }.count == 12)
    #expect(lines.filter { $0.hasPrefix("> ") && $0.contains("  tablet-i6ofrujo:") }.count == 14)
    #expect(lines.count == 26)
    #expect(
      lines[0] == "< 2026-03-02T09:00:00.000Z  phone-ufryznu4:12  profile.updated  weight=62.5")
  }

  @Test func `the JSON of a diff has ranges, fields, and conflicts with sides`() throws {
    let found = try difference("phone.jsonl", "tablet.jsonl")
    try #expect(
      list(found["left"]) == [
        #"{"chain":"\#(try chain("phone-ufryznu4:23"))","device":"phone-ufryznu4","#
          + #""first":12,"last":23}"#
      ])
    try #expect(
      list(found["right"]) == [
        #"{"chain":"\#(try chain("tablet-i6ofrujo:14"))","device":"tablet-i6ofrujo","#
          + #""first":1,"last":14}"#
      ])
    try #expect(list(found["forks"]).isEmpty)
    let fields = try list(found["fields"])
    #expect(fields.count == 11)
    #expect(
      fields.contains(
        #"{"entity":"habit/read@2026-03-02","field":"progress","left":25,"right":15}"#))
    #expect(
      fields.contains(#"{"entity":"settings","field":"textSize","left":null,"right":"large"}"#))
    let conflicts = try list(found["conflicts"])
    #expect(conflicts.count == 9)
    #expect(
      conflicts.first { $0.contains("settings#theme") }
        == #"{"base":"light","candidates":["#
        + #"{"at":"2026-03-02T09:10:00.000Z","device":"phone-ufryznu4","#
        + #""event":"phone-ufryznu4:13","side":"left","value":"dark"},"#
        + #"{"at":"2026-03-02T09:15:00.000Z","device":"tablet-i6ofrujo","#
        + #""event":"tablet-i6ofrujo:4","side":"right","value":"sepia"}],"#
        + #""entity":"settings","field":"theme","id":"settings#theme","kind":"values","#
        + #""shown":"tablet-i6ofrujo:4"}"#)
  }

  @Test func `swapping the arguments of diff swaps left and right`() throws {
    let one = try difference("phone.jsonl", "tablet.jsonl")
    let other = try difference("tablet.jsonl", "phone.jsonl")
    #expect(one["left"] == other["right"] && one["right"] == other["left"])
    try #expect(list(one["fields"]).count == list(other["fields"]).count)
    func mirrored(_ text: String) -> String {
      text.replacingOccurrences(of: #""side":"left""#, with: #""side":"-""#)
        .replacingOccurrences(of: #""side":"right""#, with: #""side":"left""#)
        .replacingOccurrences(of: #""side":"-""#, with: #""side":"right""#)
    }
    try #expect(list(one["conflicts"]) == list(other["conflicts"]).map(mirrored))
  }

  @Test func `a long list of differences ends with the number of omitted rows`() throws {
    let run = try workplace.eventlog(
      "diff", "SampleLogs/ada.jsonl", "SampleLogs/two-devices.jsonl")
    #expect(run.code == 1)
    let lines = run.text.split(separator: "\n").map(String.init)
    #expect(lines.contains { $0.contains(#/^  … and \d+ more rows; --json lists them all$/#) })
    // An entity that only one side has takes one row.
    #expect(lines.contains { $0.contains(#/^habit\/german +presence, 65 fields +present +–$/#) })
    #expect(!run.text.contains("habit/german@") && lines.count < 70)
  }

  @Test func `diff reports damage and still compares the rest`() throws {
    try workplace.follow(
      """
      $ cp SampleLogs/damaged.jsonl SampleLogs/two-devices.jsonl . && mkdir out
      $ eventlog diff damaged.jsonl two-devices.jsonl 2> out/errors | head -n 5
      only in damaged.jsonl: nothing
      only in two-devices.jsonl: 3 events
        1 event  phone-ufryznu4:14  phone   2026-03-02 to 2026-03-03
        1 event  phone-ufryznu4:25  phone   2026-03-02 to 2026-03-03
        1 event  tablet-i6ofrujo:8  tablet  2026-03-02
      $ grep -c 'damaged.jsonl:15: .* eventlog repair damaged.jsonl' out/errors
      1
      """)
  }

  @Test func `diff reports a fork in one sentence and shows both histories`() throws {
    // A clone with its side folder, which is undetectable until both have written.
    try workplace.follow(
      """
      $ eventlog append a.jsonl --user ada --device phone settings.changed theme=sepia > id
      $ clone a b
      $ eventlog append a.jsonl settings.changed theme=light > id
      $ eventlog append b.jsonl settings.changed theme=dark > id
      """)
    let run = try workplace.eventlog("diff", "a.jsonl", "b.jsonl")
    #expect(run.code == 1)
    #expect(
      run.errorText.contains(
        #/^Note: phone-\w+ was copied or restored after phone-\w+:2, and both/#))
    #expect(run.errorText.split(separator: "\n").count == 1)
    // Two events share one short ID, so each is printed with its chain.
    #expect(run.text.contains(#/only in a.jsonl: 1 event\n  1 event  phone-\w+:3~[0-9a-f]{8}  /#))
    #expect(run.text.contains(#/only in b.jsonl: 1 event\n  1 event  phone-\w+:3~[0-9a-f]{8}  /#))
    #expect(run.text.contains("settings  theme  light    dark"))
    #expect(run.text.contains("merging would raise 1 conflict"))
    let found = try difference("a.jsonl", "b.jsonl")
    try #expect(list(found["conflicts"]).count == 1 && found["left"] != found["right"])
    let fork = try #require(try list(found["forks"]).first)
    #expect(fork.hasPrefix(#"{"after":"phone-"#) && fork.contains(":2~") && fork.contains(":3~"))
    let lines = try workplace.eventlog("diff", "a.jsonl", "b.jsonl", "--events").text
      .split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasSuffix("theme=light") && lines[0].contains(":3~"))
    #expect(lines.last?.hasPrefix("> ") == true && lines.last?.hasSuffix("theme=dark") == true)
    // Merging causes the predicted conflict. Then the journals are the same, and no fork is
    // reported.
    try workplace.follow(
      """
      $ eventlog sync a.jsonl b.jsonl > out 2> err
      $ eventlog diff a.jsonl b.jsonl
      a.jsonl and b.jsonl contain the same events.
      """)
  }

  @Test func `an impossible comparison is refused with its reason`() throws {
    try workplace.follow(
      """
      $ eventlog diff phone.jsonl
      ! Error: eventlog diff compares two journals.
      ! Hint: eventlog help diff shows its usage.
      ? 2
      $ eventlog diff phone.jsonl tablet.jsonl --events --json 2>&1 | grep -o '"message":"[^"]*"'
      "message":"--events and --json cannot be combined."
      $ eventlog diff phone.jsonl none.jsonl
      ! Error: There is no journal at "none.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      $ eventlog append ben.jsonl --user ben settings.changed a=1 > id
      $ cp phone.jsonl a.jsonl && cp ben.jsonl b.jsonl && eventlog diff a.jsonl b.jsonl
      ! Error: "a.jsonl" and "b.jsonl" belong to different users, so they cannot be compared.
      ! Hint: Check the paths.
      ? 2
      $ printf 'not a journal\\n' > bad.jsonl && eventlog diff phone.jsonl bad.jsonl > out
      ! Error: "bad.jsonl" is not a journal: it contains no events. It was not changed.
      ! Hint: Check the path.
      ? 2
      """)
  }

  @Test func `diff changes no journal and creates no side folder`() throws {
    let before = [try workplace.read("phone.jsonl"), try workplace.read("tablet.jsonl")]
    _ = try workplace.eventlog("diff", "phone.jsonl", "tablet.jsonl")
    try #expect([workplace.read("phone.jsonl"), workplace.read("tablet.jsonl")] == before)
    #expect(!FileManager.default.fileExists(atPath: workplace.file("phone.eventlog")))
    #expect(!FileManager.default.fileExists(atPath: workplace.file("tablet.eventlog")))
  }

  @Test func `diff shows the fields of an app's collection if its schema is given`() throws {
    try workplace.write(
      "plants.json",
      #"{"collections":[{"kind":"plant","fields":{"name":"text","waterings":"counter"}}]}"#)
    try workplace.follow(
      """
      $ eventlog append a.jsonl --schema plants.json --user ada plant.created fern name=Fern > id
      $ cp a.jsonl b.jsonl
      $ eventlog append b.jsonl --schema plants.json plant.advanced fern waterings=2 > id
      $ eventlog diff a.jsonl b.jsonl --schema plants.json > out
      ? 1
      $ grep waterings out
      plant/fern  waterings  –        2
      $ eventlog diff a.jsonl b.jsonl --json | grep -c plant/fern
      0
      ! Note: a.jsonl also contains collections that eventlog does not know (plant). They and \
      their conflicts are not shown; --schema FILE declares them.
      ? 1
      """)
  }
}
