import EventLog
import Foundation
import Testing

/// `conflicts` and `resolve` of the built command.
@Suite struct ConflictTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    try workplace.follow(
      "$ cp SampleLogs/two-devices.jsonl ada.jsonl && cp SampleLogs/damaged.jsonl .")
  }

  @Test func `every candidate is printed with the command that takes it`() throws {
    try workplace.follow(
      """
      $ eventlog conflicts ada.jsonl | head -5
        habit/piano#archived, was true
                 false  phone-ufryznu4:19   2026-03-02T10:20:00.000Z
            eventlog resolve ada.jsonl habit/piano#archived --take phone-ufryznu4:19 --over \
      tablet-i6ofrujo:10
          shown  true   tablet-i6ofrujo:10  2026-03-02T10:25:00.000Z
            eventlog resolve ada.jsonl habit/piano#archived --take tablet-i6ofrujo:10 --over \
      phone-ufryznu4:19
      """)
  }

  @Test func `a planned resolution refuses a value that a real one would refuse`() throws {
    try workplace.follow(
      """
      $ cp ada.jsonl before.jsonl
      $ eventlog resolve ada.jsonl habit/piano#archived --value '"no"' --plan 2> plan
      ? 2
      $ eventlog resolve ada.jsonl habit/piano#archived --value '"no"' 2> run
      ? 2
      $ cmp plan run && cmp ada.jsonl before.jsonl && grep -c archived plan
      1
      $ eventlog resolve ada.jsonl habit/piano#archived --value false --plan | head -1
      ada.jsonl would resolve 1 conflict.
      """)
  }

  @Test func `resolving a conflict again is refused without suggesting another one`() throws {
    try workplace.follow(
      """
      $ eventlog resolve ada.jsonl habit/piano#archived --value true > out
      $ eventlog resolve ada.jsonl habit/piano#archived --value true
      ! Error: There is no conflict "habit/piano#archived"; it may be resolved already. Nothing \
      was written.
      ! Hint: eventlog conflicts ada.jsonl lists the open conflicts.
      ? 2
      """)
  }

  @Test func `the printed commands resolve all conflicts`() throws {
    let listed = try JSONValue(
      parsing: workplace.eventlog("conflicts", "ada.jsonl", "--json").output)
    guard case .object(let object) = listed, case .array(let conflicts)? = object["conflicts"]
    else {
      Issue.record("no conflicts")
      return
    }
    #expect(conflicts.count == 8)
    let lines = try workplace.eventlog("conflicts", "ada.jsonl").text.split(separator: "\n")
    let commands = lines.filter { $0.contains("eventlog resolve") }.map(String.init)
    #expect(commands.count == 16)
    // The first command of each pair resolves the conflict, so the second one fails.
    for (number, command) in commands.enumerated() {
      let result = try workplace.shell(command)
      #expect(result.code == (number % 2 == 0 ? 0 : 2), "\(command)")
    }
    try workplace.follow(
      """
      $ eventlog conflicts ada.jsonl --check
      ada.jsonl: no conflicts.
      $ eventlog verify ada.jsonl > verified
      $ eventlog project ada.jsonl conflicts
      Conflicts
        none

      """)
  }

  @Test func `another value resolves a conflict if it follows the field's rule`() throws {
    try workplace.follow(
      """
      $ eventlog resolve ada.jsonl habit/read@2026-03-02#progress --value 22 --json > answer
      $ eventlog resolve ada.jsonl habit/read#name --value '"Read daily"' > answer
      $ eventlog resolve ada.jsonl habit/run#schedule --value '"9/7"'
      ! Error: habit.edited was refused: "schedule" must be <times>/<days>, for example 3/7, \
      with days up to 366. Nothing was written.
      ! Hint: For three times in seven days, use 3/7.
      ? 2
      $ eventlog resolve ada.jsonl habit/water#presence --value true
      ! Error: "habit/water#presence" is about presence, so it takes no value. Nothing was written.
      ! Hint: Take one of its candidates: a deletion deletes the entity, any other keeps it.
      ? 2
      $ eventlog conflicts ada.jsonl --check > left
      ? 1
      $ grep -c was left
      3
      """)
  }

  @Test func `resolving over an unseen or unknown candidate is refused`() throws {
    try workplace.follow(
      """
      $ eventlog resolve ada.jsonl habit/read#name --take phone-ufryznu4:17 --over phone-ufryznu4:1
      ! Error: "habit/read#name" has a candidate that you have not seen, tablet-i6ofrujo:8. \
      Nothing was written.
      ! Hint: Look at the conflict again before you choose.
      ? 2
      $ eventlog resolve ada.jsonl habit/read#name --take phone-ufryznu4:3
      ! Error: phone-ufryznu4:3 is not a candidate of "habit/read#name". Nothing was written.
      ! Hint: Its candidates are phone-ufryznu4:17, tablet-i6ofrujo:8.
      ? 2
      """)
  }

  @Test func `resolve refuses invalid arguments with a hint`() throws {
    try workplace.follow(
      """
      $ eventlog resolve ada.jsonl
      ! Error: eventlog resolve needs the ID of a conflict.
      ! Hint: eventlog conflicts ada.jsonl lists them.
      ? 2
      $ eventlog resolve ada.jsonl profile#wieght --value 3
      ! Error: There is no conflict "profile#wieght"; it may be resolved already. Nothing was \
      written.
      ! Hint: Did you mean profile#weight?
      ? 2
      $ eventlog resolve ada.jsonl profile#weight
      ! Error: eventlog resolve takes either --take EVENT-ID or --value JSON.
      ! Hint: eventlog help resolve shows its usage.
      ? 2
      $ eventlog resolve ada.jsonl profile#weight --take phone
      ! Error: --take takes an event ID, <device>:<number>; "phone" is not one.
      ! Hint: eventlog conflicts ada.jsonl shows the event IDs of the candidates.
      ? 2
      $ eventlog resolve ada.jsonl profile#weight --value kilo
      ! Error: --value is not JSON. Nothing was written.
      ! Hint: JSON text needs quotes: --value '"text"'.
      ? 2
      $ eventlog conflicts damaged.jsonl > answer
      ! Warning: damaged.jsonl:15: The line does not match its checksum: its bytes were changed; \
      its event is missing here. And 2 more: eventlog verify damaged.jsonl lists them all. To \
      fetch it from another copy: eventlog repair damaged.jsonl --from OTHER, or eventlog sync \
      damaged.jsonl OTHER.
      ! Warning: damaged.jsonl:39: byte 6857: The last 60 bytes are an interrupted append or \
      damage (their first line ends before its JSON is complete). They do not count; the next \
      append moves them to the quarantine folder.
      $ eventlog conflicts missing.jsonl
      ! Error: There is no journal at "missing.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      """)
  }
}
