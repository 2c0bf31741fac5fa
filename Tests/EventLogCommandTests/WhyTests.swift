import EventLog
import Testing

/// `why` of the built command, and past states with `--at`, `--as` and `--deleted`.
@Suite struct WhyTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    try workplace.follow("$ cp SampleLogs/two-devices.jsonl ada.jsonl")
  }

  @Test func `why prints every write of a field with its device, time and state`() throws {
    try workplace.follow(
      """
      $ eventlog why ada.jsonl read name
      habit/read name
        2026-03-01T08:03:00.000Z  phone-ufryznu4:5   habit.created  Read           replaced
        2026-03-02T10:00:00.000Z  phone-ufryznu4:17  habit.edited   Read a novel   contested  \
      after phone-ufryznu4:5
        2026-03-02T10:05:00.000Z  tablet-i6ofrujo:8  habit.edited   Read 20 pages  shown      \
      after phone-ufryznu4:5
      Shown: "Read 20 pages", the latest of 2 concurrent writes. \
      eventlog conflicts ada.jsonl shows how to resolve it.
      $ eventlog why ada.jsonl settings allergens
      settings allergens
        2026-03-01T08:02:00.000Z  phone-ufryznu4:4   settings.included  + nuts, shellfish  shown
        2026-03-02T09:30:00.000Z  phone-ufryznu4:16  settings.excluded  - nuts             \
      replaced  after phone-ufryznu4:4
        2026-03-02T09:35:00.000Z  tablet-i6ofrujo:7  settings.included  + nuts             shown
      Shown: nuts, shellfish; each was added, and no write that had seen the addition removed it.
      $ eventlog why ada.jsonl habit/water presence
      habit/water presence
        2026-03-01T08:05:00.000Z  phone-ufryznu4:7    habit.created          replaced
        2026-03-02T19:00:00.000Z  phone-ufryznu4:23   habit.deleted          contested  \
      after phone-ufryznu4:7
        2026-03-02T19:05:00.000Z  tablet-i6ofrujo:14  completion.advanced    contested
      It is present although it was deleted: the contested writes were concurrent. \
      eventlog conflicts ada.jsonl shows how to resolve it.
      """)
  }

  @Test func `why explains a counter by its total and the increments after it`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl completion.recorded run date=2026-04-01 progress=3 > x
      $ eventlog append ada.jsonl completion.advanced run date=2026-04-01 by=2 > x
      $ eventlog why ada.jsonl run@2026-04-01 progress | tail -1 | sed 's/by [^ ,]*/by ID/'
      Shown: 5, set to 3 by ID, plus 1 increment that it had not seen.
      $ eventlog append ada.jsonl completion.recorded run date=2026-04-01 progress=9 > x
      $ eventlog why ada.jsonl run@2026-04-01 progress | tail -1 | sed 's/by [^ ,]*/by ID/'
      Shown: 9, set to 9 by ID, which includes 1 earlier increment.
      """)
  }

  @Test func `a total of a counter lists the increments that it includes`() throws {
    try workplace.follow(
      """
      $ for by in 1 2 3 4 5 6; do
      > eventlog append ada.jsonl completion.advanced run date=2026-04-01 by=$by > x; done
      $ eventlog append ada.jsonl completion.recorded run date=2026-04-01 progress=30 > x
      $ eventlog append ada.jsonl completion.advanced run date=2026-04-01 by=-31 > x
      $ eventlog why ada.jsonl run@2026-04-01 progress | sed 's/[a-z]*-[a-z2-7]*:/d:/g'
      …
        2026-04-01T00:00:00.000Z  d:7  completion.advanced  +6   replaced
        2026-04-01T00:00:00.000Z  d:8  completion.recorded  =30  shown     absorbed d:2, d:3, d:4, \
      d:5 and 2 more
        2026-04-01T00:00:00.000Z  d:9  completion.advanced  -31  shown
      Shown: 0, set to 30 by d:8, which includes 6 earlier increments, plus 1 increment that it \
      had not seen; a negative total counts as 0.
      $ eventlog why ada.jsonl run@2026-04-01 progress --json | grep -o '"absorbed":[^]]*]' | wc -w
      1
      """)
  }

  @Test func `why explains the shown value in a sentence`() throws {
    try workplace.follow(
      """
      $ eventlog why ada.jsonl settings language | tail -1
      Shown: "de"; 2 concurrent writes agree on it.
      $ eventlog append ada.jsonl completion.skipped run date=2026-04-01 reason=rain > x
      $ eventlog append ada.jsonl completion.skipped run date=2026-04-01 reason:=null > x
      $ eventlog why ada.jsonl run@2026-04-01 skipped | tail -1
      Shown: no value; the last write removed it.
      $ eventlog append ada.jsonl settings.excluded key=allergens members=nuts,shellfish > x
      $ eventlog why ada.jsonl settings allergens | tail -1
      The set is empty: each member was removed after it was added.
      $ eventlog append ada.jsonl --force habit.praised habit/read > x
      $ eventlog why ada.jsonl read presence | tail -1
      It is present.
      $ eventlog why ada.jsonl read name --at 2026-03-02T11:30:00+01:00 | tail -1
      Shown: "Read 20 pages", the latest of 2 concurrent writes.
      """)
  }

  @Test func `the JSON of why has the documented members`() throws {
    try workplace.follow(
      """
      $ eventlog why ada.jsonl profile weight --json
      {"entity":"profile","field":"weight","writes":[\
      {"at":"2026-03-01T08:00:00.000Z","device":"phone-ufryznu4","event":"phone-ufryznu4:2",\
      "replaced":[],"state":"replaced","type":"profile.updated","value":63},\
      {"at":"2026-03-02T09:00:00.000Z","device":"phone-ufryznu4","event":"phone-ufryznu4:12",\
      "replaced":["phone-ufryznu4:2"],"state":"contested","type":"profile.updated","value":62.5},\
      {"at":"2026-03-02T09:05:00.000Z","device":"tablet-i6ofrujo","event":"tablet-i6ofrujo:3",\
      "replaced":["phone-ufryznu4:2"],"state":"shown","type":"profile.updated","value":62}]}
      """)
  }

  @Test func `a field or entity without writes is an error with a hint`() throws {
    try workplace.follow(
      """
      $ eventlog why ada.jsonl read nmae
      ! Error: Nothing was ever written to the field "nmae" of habit/read.
      ! Hint: Did you mean name?
      ? 2
      $ eventlog why ada.jsonl raed name
      ! Error: There is no "raed" in ada.jsonl.
      ! Hint: Did you mean read?
      ? 2
      $ eventlog why ada.jsonl read@2020-01-01 progress
      ! Error: Nothing was ever written to habit/read on 2020-01-01.
      ! Hint: The nearest day with a write is 2026-03-01.
      ? 2
      $ eventlog why ada.jsonl read@2026-02-30 progress
      ! Error: There is no "read@2026-02-30" in ada.jsonl.
      ! Hint: For a day, use NAME@YYYY-MM-DD with a valid date.
      ? 2
      $ eventlog why ada.jsonl read progress
      ! Error: Nothing was ever written to the field "progress" of habit/read.
      ! Hint: It is a field of days, last written for habit/read@2026-03-03.
      ? 2
      $ eventlog why ada.jsonl read@2026-03-03 name
      ! Error: Nothing was ever written to the field "name" of habit/read@2026-03-03.
      ! Hint: It is a field of habit/read itself: leave out the day.
      ? 2
      $ eventlog why ada.jsonl profile@2026-03-03 weight
      ! Error: There is only one profile, and it has no days.
      ! Hint: Leave out @2026-03-03.
      ? 2
      $ eventlog why ada.jsonl r name
      ! Error: "r" matches 2 entities: habit/read, habit/run.
      ! Hint: Use the whole key.
      ? 2
      $ eventlog why ada.jsonl '' name
      ! Error: There is no "" in ada.jsonl.
      ! Hint: eventlog project ada.jsonl shows what exists.
      ? 2
      $ eventlog why ada.jsonl read name --at 2020-01-01T00:00:00Z
      ! Error: There is no "read" in ada.jsonl in the selected part of the journal.
      ! Hint: eventlog project ada.jsonl shows what exists.
      ? 2
      $ eventlog why ada.jsonl read
      ! Error: eventlog why needs an entity and a field.
      ! Hint: eventlog help why shows its usage.
      ? 2
      """)
  }

  // MARK: - Past states

  @Test func `a time, an event or a device selects a past state`() throws {
    try workplace.follow(
      """
      $ eventlog project ada.jsonl conflicts --at 2026-03-02T10:04:59Z
      Conflicts
        profile#weight, was 63
                 62.5  phone-ufryznu4:12  2026-03-02T09:00:00.000Z
          shown  62    tablet-i6ofrujo:3  2026-03-02T09:05:00.000Z
        settings#firstDay
                 monday  phone-ufryznu4:15  2026-03-02T09:27:00.000Z
          shown  sunday  tablet-i6ofrujo:6  2026-03-02T09:28:00.000Z
        settings#theme, was light
                 dark   phone-ufryznu4:13  2026-03-02T09:10:00.000Z
          shown  sepia  tablet-i6ofrujo:4  2026-03-02T09:15:00.000Z

      $ eventlog conflicts ada.jsonl --at 2026-03-02T10:05:00+01:00
        profile#weight, was 63
                 62.5  phone-ufryznu4:12  2026-03-02T09:00:00.000Z
          shown  62    tablet-i6ofrujo:3  2026-03-02T09:05:00.000Z
      $ eventlog project ada.jsonl --at 2026-03-02T11:00:00+01:00 --as tablet-i6ofrujo | tail -8
      Completions
        1 of 2 recorded days completed, 2026-03-01. To list them:
        eventlog project ada.jsonl completions --at 2026-03-02T10:00:00.000Z --as tablet-i6ofrujo

      Conflicts
        none

      16 events from 2 devices, user ada (--at 2026-03-02T10:00:00.000Z --as tablet-i6ofrujo)
      $ eventlog project ada.jsonl profile --as tablet-i6ofrujo
      Profile
        firstName  Ada
        height     168
        weight     62

      $ eventlog project ada.jsonl profile --at phone-ufryznu4:12
      Profile
        firstName  Ada
        height     168
        weight     62.5

      $ eventlog project ada.jsonl profile --at 2026-03-01T09:00:00+01:00 --as tablet-i6ofrujo
      Profile
        firstName  Ada
        height     168
        weight     63

      $ eventlog replay ada.jsonl --at tablet-i6ofrujo:2 --json | wc -l
      13
      $ eventlog why ada.jsonl read name --as tablet-i6ofrujo | tail -1
      Shown: "Read 20 pages", the last write; nothing contests it.
      """)
  }

  @Test func `an invalid time, event or device is refused with a hint`() throws {
    try workplace.follow(
      """
      $ eventlog project ada.jsonl --at yesterday
      ! Error: --at takes a time or an event ID, and "yesterday" is neither.
      ! Hint: A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00. An event ID is \
      <device>:<number>, followed by ~<chain> if two events share it.
      ? 2
      $ eventlog project ada.jsonl --at 2026-03-02T10:05
      ! Error: --at takes a time or an event ID, and "2026-03-02T10:05" is neither.
      ! Hint: A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00. An event ID is \
      <device>:<number>, followed by ~<chain> if two events share it.
      ? 2
      $ eventlog project ada.jsonl --at 2026-02-30T10:05:00Z
      ! Error: --at takes a time or an event ID, and "2026-02-30T10:05:00Z" is neither.
      ! Hint: 2026-02-30 is not a date. A time has seconds and an offset or Z: \
      2026-01-28T09:12:33+01:00. An event ID is <device>:<number>, followed by ~<chain> if two \
      events share it.
      ? 2
      $ eventlog project ada.jsonl --at 2026-03-02T10:50
      ! Error: ada.jsonl contains no events of a device "2026-03-02T10".
      ! Hint: A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00.
      ? 2
      $ eventlog project SampleLogs/damaged.jsonl --at phone-ufryznu4:14
      ! Error: SampleLogs/damaged.jsonl does not contain the event phone-ufryznu4:14.
      ! Hint: It does contain later events of that device.
      ? 2
      $ eventlog why SampleLogs/damaged.jsonl raed name
      ! Error: There is no "raed" in SampleLogs/damaged.jsonl. The journal is damaged: it may be \
      missing.
      ! Hint: Did you mean read?
      ? 2
      $ eventlog project ada.jsonl --as tablet
      ! Error: ada.jsonl contains no events of a device "tablet".
      ! Hint: Did you mean tablet-i6ofrujo?
      ? 2
      $ eventlog replay ada.jsonl --at tablet-i6ofrujo:99
      ! Error: ada.jsonl does not contain the event tablet-i6ofrujo:99.
      ! Hint: The last event of that device in it is tablet-i6ofrujo:14.
      ? 2
      $ eventlog replay ada.jsonl --at tablet-i6ofrujo:2 --follow
      ! Error: --follow waits for new events, but --at and --as select past ones.
      ! Hint: Use one or the other.
      ? 2
      """)
  }

  @Test func `deleted entities are shown with --deleted`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl habit.deleted run > x
      $ eventlog project ada.jsonl habits --json | grep -c '"id":"run"'
      0
      ? 1
      $ eventlog project ada.jsonl habits completions --deleted --json | grep -o '"deleted":true'
      "deleted":true
      $ eventlog project ada.jsonl habits --deleted | grep deleted
        run    Run            5     2/7       never           0       deleted; contested: schedule
      $ eventlog project ada.jsonl completions --deleted | grep deleted
        2026-03-02  Run                      5           deleted; skipped: a cold; contested: \
      skipped
      $ eventlog project ada.jsonl conflicts --deleted | grep deleted
        habit/run#schedule (deleted), was 3/7
        habit/run@2026-03-02#skipped (deleted)
            deleted              phone-ufryznu4:23   2026-03-02T19:00:00.000Z
      $ eventlog project ada.jsonl conflicts --json | grep -c habit/run
      0
      ? 1
      $ eventlog why ada.jsonl run schedule | tail -1
      Not shown: habit/run is deleted.
      $ eventlog why ada.jsonl run presence | tail -1
      It is deleted and has not been restored.
      """)
  }
}
