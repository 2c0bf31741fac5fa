import EventLog
import Testing

/// `why`, and looking back with `--at`, `--as` and `--deleted`, on the built command.
@Suite struct WhyTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    try place.copy(folder: "SampleLogs")
    try place.follow("$ cp SampleLogs/two-devices.jsonl ada.jsonl")
  }

  @Test func `a field's writes are told with who, when, and what became of each`() throws {
    try place.follow(
      """
      $ eventlog why ada.jsonl read name
      habit/read name
        2026-03-01T08:03:00.000Z  phone-ufryznu4:5   habit.created  Read           replaced
        2026-03-02T10:00:00.000Z  phone-ufryznu4:17  habit.edited   Read a novel   contested  \
      after phone-ufryznu4:5
        2026-03-02T10:05:00.000Z  tablet-i6ofrujo:8  habit.edited   Read 20 pages  shown      \
      after phone-ufryznu4:5
      "Read 20 pages" shows: the latest of 2 writes that did not know of each other. \
      eventlog conflicts ada.jsonl shows how to settle it.
      $ eventlog why ada.jsonl settings allergens
      settings allergens
        2026-03-01T08:02:00.000Z  phone-ufryznu4:4   settings.included  + nuts, shellfish  shown
        2026-03-02T09:30:00.000Z  phone-ufryznu4:16  settings.excluded  - nuts             \
      replaced  after phone-ufryznu4:4
        2026-03-02T09:35:00.000Z  tablet-i6ofrujo:7  settings.included  + nuts             shown
      nuts, shellfish: taken in, and not taken out by anyone who knew it.
      $ eventlog why ada.jsonl habit/water presence
      habit/water presence
        2026-03-01T08:05:00.000Z  phone-ufryznu4:7    habit.created          replaced
        2026-03-02T19:00:00.000Z  phone-ufryznu4:23   habit.deleted          contested  \
      after phone-ufryznu4:7
        2026-03-02T19:05:00.000Z  tablet-i6ofrujo:14  completion.advanced    contested
      It is there although it was deleted: what is contested did not know of each other. \
      eventlog conflicts ada.jsonl shows how to settle it.
      """)
  }

  @Test func `a count is explained by what it was set to and what came after`() throws {
    try place.follow(
      """
      $ eventlog append ada.jsonl completion.recorded run date=2026-04-01 progress=3 > x
      $ eventlog append ada.jsonl completion.advanced run date=2026-04-01 by=2 > x
      $ eventlog why ada.jsonl run@2026-04-01 progress | tail -1 | sed 's/by [^ ,]*/by ID/'
      5 shows: set to 3 by ID, and 1 increment that it had not seen.
      $ eventlog append ada.jsonl completion.recorded run date=2026-04-01 progress=9 > x
      $ eventlog why ada.jsonl run@2026-04-01 progress | tail -1 | sed 's/by [^ ,]*/by ID/'
      9 shows: set to 9 by ID, which had seen 1 increment before it.
      """)
  }

  @Test func `the JSON has the members that are documented`() throws {
    try place.follow(
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

  @Test func `what was never written is named, with what may be meant`() throws {
    try place.follow(
      """
      $ eventlog why ada.jsonl read nmae
      ! Error: Nothing was ever written to the field "nmae" of read.
      ! Hint: Did you mean "name"?
      ? 2
      $ eventlog why ada.jsonl raed name
      ! Error: There is no "raed" in ada.jsonl.
      ! Hint: Did you mean read?
      ? 2
      $ eventlog why ada.jsonl read@2020-01-01 progress
      ! Error: Nothing was ever written to habit/read on 2020-01-01.
      ! Hint: eventlog project shows its days.
      ? 2
      $ eventlog why ada.jsonl read
      ! Error: eventlog why needs an entity and a field.
      ! Hint: eventlog help why shows how it is called.
      ? 2
      """)
  }

  // MARK: - Looking back

  @Test func `a time, an event and a device each show their part`() throws {
    try place.follow(
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
      "Read 20 pages" shows: the last write, and nothing contests it.
      """)
  }

  @Test func `what cannot be looked back at is named`() throws {
    try place.follow(
      """
      $ eventlog project ada.jsonl --at yesterday
      ! Error: --at takes a time or an event ID, and "yesterday" is neither.
      ! Hint: A time has seconds and an offset or Z: 2026-01-28T09:12:33+01:00. An event ID is \
      <device>:<number>.
      ? 2
      $ eventlog project ada.jsonl --as tablet
      ! Error: ada.jsonl holds no event of a device "tablet".
      ! Hint: Did you mean tablet-i6ofrujo?
      ? 2
      $ eventlog replay ada.jsonl --at tablet-i6ofrujo:99
      ! Error: ada.jsonl does not hold the event tablet-i6ofrujo:99.
      ! Hint: The last event of tablet-i6ofrujo here is number 14.
      ? 2
      $ eventlog replay ada.jsonl --at tablet-i6ofrujo:2 --follow
      ! Error: --follow waits for what comes; --at and --as look back at a part.
      ! Hint: Leave one of them out.
      ? 2
      """)
  }

  @Test func `what is deleted shows if asked for`() throws {
    try place.follow(
      """
      $ eventlog append ada.jsonl habit.deleted run > x
      $ eventlog project ada.jsonl habits --json | grep -c '"id":"run"'
      0
      ? 1
      $ eventlog project ada.jsonl habits completions --deleted --json | grep -o '"deleted":true'
      "deleted":true
      $ eventlog project ada.jsonl habits --deleted | grep deleted
        run    Run            5     2/7       never           0       deleted; contested: schedule
      """)
  }
}
