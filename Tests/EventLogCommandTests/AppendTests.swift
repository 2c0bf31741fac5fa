import EventLog
import Foundation
import Testing

/// The arguments of `append`.
@Suite struct AppendTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada --device laptop --at 2026-01-01T08:00:00Z \\
      > habit.created read name=Read goal=20
      laptop-aaaaaaa2:2  habit/read
      """)
  }

  /// The last event's members from `at` to `data`, as in the journal's line.
  private func lastLine() throws -> String {
    let line = try workplace.shell("eventlog replay ada.jsonl --json --last 1").text
    let start = try #require(line.range(of: "\"at\":"))
    let end = try #require(line.range(of: ",\"crc\":"))
    return String(line[start.lowerBound..<end.lowerBound])
  }

  private func append(_ arguments: String) throws -> String {
    let run = try workplace.shell(
      "eventlog append ada.jsonl --at 2026-01-02T08:00:00Z \(arguments)")
    #expect(run.code == 0, "\(run.errorText)")
    let line = try lastLine().dropFirst(#""at":"2026-01-02T08:00:00.000Z","type":"#.count)
    return line.components(separatedBy: #","salt":"#)[0]
  }

  // MARK: - Values

  @Test func `values are parsed by the rule of their field`() throws {
    try #expect(
      append("habit.edited read name=007 goal=7 schedule=3/7 icon=007 color=true position=-1.50")
        == #""habit.edited","entity":"habit/read","data":{"name":"007","goal":7,"schedule":"3/7","#
        + #""icon":"007","color":true,"position":-1.50,"from":"2026-01-02"}"#)
    try #expect(
      append("profile.updated firstName=5 weight=6.35e1 note='a b' other= --force")
        == #""profile.updated","data":{"firstName":"5","weight":6.35e1,"note":"a b","other":""}"#)
    try #expect(
      append("settings.included key=tags members=b,a")
        == #""settings.included","data":{"key":"tags","members":["b","a"]}"#)
  }

  @Test func `a value after := is JSON and --data is the whole object`() throws {
    try #expect(
      append(#"settings.changed 'days:=["mon", 2 ]' 'none:=null' 'text:="1"' 'a=b=c'"#)
        == #""settings.changed","data":{"days":["mon",2],"none":null,"text":"1","a":"b=c"}"#)
    try #expect(
      append(#"habit.edited read --data '{ "name" : "\u0041", "goal": null }'"#)
        == #""habit.edited","entity":"habit/read","data":{"name":"A","goal":null,"#
        + #""from":"2026-01-02"}"#)
  }

  @Test func `a time with any offset is converted to UTC`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.edited read name=R --at 2026-01-28T01:12:33.5+02:30
      laptop-aaaaaaa2:3  habit/read
      $ eventlog replay ada.jsonl --last 1 | cut -c 1-24
      2026-01-27T22:42:33.500Z
      """)
  }

  @Test func `a completion without a date is dated today`() throws {
    let run = try workplace.shell(
      """
      export TZ=Pacific/Kiritimati
      before=$(date +%F)
      eventlog append ada.jsonl completion.advanced read by=5 > appended
      after=$(date +%F)
      eventlog replay ada.jsonl --last 1 | grep -e "date=$before" -e "date=$after"
      """)
    #expect(run.code == 0, "\(run.errorText)")
  }

  @Test func `a completion without a date has the local day of its time`() throws {
    for (time, day) in [
      ("2026-02-02T05:30:00Z", "2026-02-01"), ("2026-02-02T09:30:00z", "2026-02-02"),
      ("2026-02-02T01:30:00+05:00", "2026-02-02"), ("2026-02-02T23:30:00-11:00", "2026-02-02"),
    ] {
      let run = try workplace.shell(
        """
        TZ=XXX8 eventlog append ada.jsonl completion.advanced read by=1 --at \(time) > appended
        eventlog replay ada.jsonl --last 1 | grep -e "date=\(day)"
        """)
      #expect(run.code == 0, "\(time) \(run.text) \(run.errorText)")
    }
  }

  // MARK: - Entities

  @Test func `an entity is found by its key, a prefix of it, or its name`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.created reading-room name='Reading room'
      laptop-aaaaaaa2:3  habit/reading-room
      $ eventlog append ada.jsonl habit.created run name=Laufen
      laptop-aaaaaaa2:4  habit/run
      $ eventlog append ada.jsonl completion.advanced read by=1
      laptop-aaaaaaa2:5  habit/read
      $ eventlog append ada.jsonl completion.advanced habit/reading by=1
      laptop-aaaaaaa2:6  habit/reading-room
      $ eventlog append ada.jsonl completion.advanced Laufen by=1
      laptop-aaaaaaa2:7  habit/run
      $ eventlog append ada.jsonl completion.advanced r by=1
      ! Error: "r" matches 3 entities of kind habit: read, reading-room, run. Nothing was \
      written.
      ! Hint: Use the whole key.
      ? 2
      $ eventlog append ada.jsonl habit.created other name=run
      laptop-aaaaaaa2:8  habit/other
      $ eventlog append ada.jsonl completion.advanced run by=1
      laptop-aaaaaaa2:9  habit/run
      """)
  }

  @Test func `an error about a misspelled name suggests its entity`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.created r1 name='Reading room'
      laptop-aaaaaaa2:3  habit/r1
      $ eventlog append ada.jsonl completion.advanced 'reading romo' by=1
      ! Error: No habit has that key or name, and it is not a valid key: a key has 1 to 128 \
      characters of A-Z a-z 0-9 . _ ~ -. Nothing was written.
      ! Hint: Did you mean habit/r1?
      ? 2
      $ eventlog append ada.jsonl habit.edited r1 name=Reading
      laptop-aaaaaaa2:4  habit/r1
      $ eventlog append ada.jsonl completion.advanced Raeding by=1
      ! Error: "habit/Raeding" does not exist. Nothing was written.
      ! Hint: Did you mean habit/r1?
      ? 2
      """)
  }

  @Test func `a new entity without a key gets a generated key, which is printed`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.created name=Swim
      laptop-aaaaaaa2:3  habit/bbbbbbb2
      $ eventlog append ada.jsonl completion.recorded Swim progress=1
      laptop-aaaaaaa2:4  habit/bbbbbbb2
      $ eventlog append ada.jsonl --json habit.created name=Climb
      {"appended":[{"entity":"habit/ccccccc2","id":"laptop-aaaaaaa2:5"}],"skippedCount":0}
      """)
  }

  // MARK: - Unknown types and fields

  @Test func `an unknown type is written with --force and noted by verify`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --force food.eaten food/oats kcal=370
      laptop-aaaaaaa2:3  food/oats
      $ eventlog verify ada.jsonl
      ada.jsonl:3: byte 351: note: Unknown type "food.eaten"; the event is kept, but \
      changes no field.
      ada.jsonl: sound, 3 events from 1 device in 518 bytes.
      ! Note: --schema FILE declares types that are not built in.
      """)
  }

  @Test func `a new name for a device that has one is ignored with a note`() throws {
    try workplace.follow(
      """
      $ eventlog append new.jsonl --user ada --device phone habit.created read
      phone-bbbbbbb2:2  habit/read
      $ eventlog append new.jsonl --device phone habit.edited read name=Read
      phone-bbbbbbb2:3  habit/read
      $ eventlog append new.jsonl --device tablet habit.edited read name=Write
      phone-bbbbbbb2:4  habit/read
      ! Note: --device is ignored: new.jsonl already writes as phone-bbbbbbb2, and continues to.
      """)
  }

  @Test func `an unknown field of a built-in type is refused without --force`() throws {
    try workplace.follow(
      """
      $ cp ada.jsonl before
      $ eventlog append ada.jsonl habit.created nme=X
      ! Error: habit.created was refused: it has no field "nme". Nothing was written.
      ! Hint: Did you mean "name"? --force adds it as a new field.
      ? 2
      $ eventlog append ada.jsonl habit.edited read --data '{"name":"x","mood":"fine"}'
      ! Error: habit.edited was refused: it has no field "mood". Nothing was written.
      ! Hint: eventlog types habit.edited lists its fields. --force adds it as a new field.
      ? 2
      $ echo '{"type":"profile.updated","data":{"firstNmae":"A"}}' | eventlog append ada.jsonl -
      ! Error: Line 1 of the input: profile.updated was refused: it has no field "firstNmae". \
      Nothing was written.
      ! Hint: Did you mean "firstName"? --force adds it as a new field.
      ? 2
      $ cmp ada.jsonl before
      $ eventlog append ada.jsonl habit.edited read gaol=3 mood=fine --force
      laptop-aaaaaaa2:3  habit/read
      $ echo '{"type":"profile.updated","data":{"firstNmae":"A"}}' | \
      eventlog append ada.jsonl - --force
      laptop-aaaaaaa2:4
      $ eventlog append ada.jsonl settings.changed anyKey=1
      laptop-aaaaaaa2:5
      $ eventlog append ada.jsonl food.created oats name=Oats kcla=3
      ! Error: food.created was refused: it has no field "kcla". Nothing was written.
      ! Hint: Did you mean "kcal"?
      ? 2
      """)
  }

  @Test func `a declared collection can accept undeclared fields`() throws {
    try workplace.write(
      "plants.json",
      #"{"collections":[{"kind":"plant","furtherFields":true,"fields":{"name":"text"}}]}"#)
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --schema plants.json plant.created fern name=Fern nmae=x
      laptop-aaaaaaa2:3  plant/fern
      """)
  }

  // MARK: - Import

  @Test func `an import with an invalid line writes nothing and names its line and field`() throws {
    try workplace.write(
      "good",
      """
      {"type":"habit.created","entity":"habit/swim","data":{"name":"Swim"},\
      "at":"2026-01-03T08:00:00+01:00"}

      {"type":"completion.recorded","entity":"habit/swim",\
      "data":{"date":"2026-01-03","progress":1},"ref":"a:1"}\r
      {"type":"habit.created","data":{"name":"Minted"}}
      """)
    try workplace.write(
      "bad",
      """
      {"type":"habit.created","entity":"habit/climb","data":{"name":"Climb"}}

      {"type":"completion.recorded","entity":"habit/climb",\
      "data":{"date":"2026-01-03","progress":-1}}
      """)
    try workplace.follow(
      """
      $ cp ada.jsonl before && eventlog append ada.jsonl - < bad
      ! Error: Line 3 of the input: completion.recorded was refused: "progress" must be a \
      number from 0 to 1000000000 with at most 6 digits after the point. Nothing was written.
      ! Hint: Use a number, such as 2.5.
      ? 2
      $ eventlog append ada.jsonl --json - < bad
      ! {"error":{"code":"invalidEvent","hint":"Use a number, such as 2.5.","line":3,\
      "message":"Line 3 of the input: \
      completion.recorded was refused: \\"progress\\" must be a number from 0 to \
      1000000000 with at most 6 digits after the point. Nothing was written."}}
      ? 2
      $ cmp ada.jsonl before
      $ eventlog append ada.jsonl - < good
      laptop-aaaaaaa2:3  habit/swim
      laptop-aaaaaaa2:4  habit/swim
      laptop-aaaaaaa2:5  habit/bbbbbbb2
      $ tail -n 2 good | head -n 1 | eventlog append ada.jsonl -
      1 event skipped: the journal already contains an event with its ref; the data was not \
      compared
      $ eventlog append ada.jsonl --json --ref a:1 completion.recorded nonsense
      {"appended":[],"skippedCount":1}
      $ printf '' | eventlog append ada.jsonl -
      ! Note: The input contains no events.
      """)
  }

  @Test(arguments: [
    ("nonsense", "it is not JSON (byte 1)"),
    ("[1]", "it is not a JSON object"),
    ("{}", "it is missing \"type\""),
    (#"{"type":3}"#, "\"type\" must be text"),
    (#"{"type":"habit.edited","data":[]}"#, "\"data\" must be an object"),
    (#"{"type":"habit.edited","entity":"read"}"#, "\"entity\" must be <kind>/<key>"),
    (
      #"{"type":"habit.edited","at":"2026-01-01"}"#,
      "\"at\" needs a valid time with seconds and an offset or Z"
    ),
    (#"{"type":"habit.edited","id":"a:1"}"#, "\"id\" is not one of type, entity, data, at, ref"),
    (#"{"type":"a.b","type":"a.b"}"#, "it contains a member twice in one object (byte 14)"),
    ("\u{FEFF}{}", "it begins with a byte-order mark (byte 0)"),
    ("{\"type\":\"a\u{0}b\"}", "it contains a raw control character (byte 10)"),
  ])
  func `an input line that isn't an event is refused with its reason`(line: String, reason: String)
    throws
  {
    let before = try workplace.read("ada.jsonl")
    let run = try workplace.eventlog(
      ["append", "ada.jsonl", "-"],
      input: Array("{\"type\":\"settings.changed\",\"data\":{\"a\":1}}\n\(line)\n".utf8))
    #expect(run.code == 2 && run.output.isEmpty)
    #expect(run.errorText == "Error: Line 2 of the input: \(reason). Nothing was written.\n")
    try #expect(workplace.read("ada.jsonl") == before)
  }

  @Test func `a misspelled member gets a suggestion, and a journal's line is recognized`() throws {
    try workplace.follow(
      """
      $ echo '{"type":"settings.changed","dat":{"a":1}}' | eventlog append ada.jsonl -
      ! Error: Line 1 of the input: "dat" is not one of type, entity, data, at, ref. Nothing was \
      written.
      ! Hint: Did you mean data?
      ? 2
      $ eventlog replay ada.jsonl --json | eventlog append new.jsonl --user ada -
      ! Error: Line 1 of the input: it is a line of a journal, and not an event to append. Nothing \
      was written.
      ! Hint: A sync takes the events of another journal, with their IDs and times.
      ? 2
      """)
  }

  // MARK: - Copies

  @Test func `an append moves a torn tail to the quarantine with a note`() throws {
    try workplace.follow(
      """
      $ printf '{"id":"laptop' >> ada.jsonl && eventlog append ada.jsonl habit.edited read name=x \
      --device laptop
      laptop-bbbbbbb2:2  habit/read
      ! Note: The last 13 bytes of the journal were an interrupted append or damage. They \
      were moved to \
      "ada.eventlog/quarantine/20260101T000000000Z-byte-351.jsonl".
      ! Note: The end of the journal was damaged, so from now on it writes under a new device ID.
      $ eventlog verify ada.jsonl > verified
      """)
  }
}
