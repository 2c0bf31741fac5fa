import EventLog
import EventLogTesting
import Foundation
import Testing

/// Input that `append` refuses: one sentence on standard error, exit code 2, no change to the
/// journal.
@Suite struct BadInputTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada --device laptop --at 2026-01-01T08:00:00Z \\
      > habit.created read name=Read goal=20 unit=pages
      laptop-aaaaaaa2:2  habit/read
      $ eventlog append ada.jsonl habit.created write name=Write && \\
      > eventlog append ada.jsonl habit.created gone name=Gone && \\
      > eventlog append ada.jsonl habit.deleted gone
      …
      """)
  }

  /// Follows a transcript, and expects that the journal doesn't change.
  private func expectRefused(
    _ transcript: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try workplace.read("ada.jsonl")
    try workplace.follow(transcript, location)
    try #expect(
      workplace.read("ada.jsonl") == before, "the journal changed", sourceLocation: location)
  }

  // MARK: - Types and fields

  @Test func `an unknown type is refused with a suggestion`() throws {
    try expectRefused(
      """
      $ eventlog append ada.jsonl habit.creatd name=Run
      ! Error: Unknown type "habit.creatd". Nothing was written.
      ! Hint: Did you mean habit.created?
      ? 2
      $ eventlog append ada.jsonl trip.planned to=Rome
      ! Error: Unknown type "trip.planned". Nothing was written.
      ! Hint: eventlog types lists the types; --schema FILE declares more, and --force writes an \
      unknown one.
      ? 2
      $ eventlog append ada.jsonl routine.created name=Run
      ! Error: Unknown type "routine.created". Nothing was written.
      ! Hint: eventlog types lists the types; --schema FILE declares more, and --force writes an \
      unknown one.
      ? 2
      $ eventlog append ada.jsonl Habit.Created name=Run
      ! Error: "Habit.Created" is not an event type: a type is <kind>.<verb>, 3 to 64 characters \
      of a-z 0-9 . _ -. Nothing was written.
      ! Hint: eventlog types lists the types.
      ? 2
      $ eventlog append ada.jsonl device.joined user=ada name=x
      ! Error: device.joined is written only by the store and cannot be appended. Nothing was \
      written.
      ! Hint: Leave it out: the store writes it by itself.
      ? 2
      """)
  }

  @Test func `a field with an invalid value is refused with its name`() throws {
    try expectRefused(
      """
      $ eventlog append ada.jsonl habit.edited read goal=many
      ! Error: habit.edited was refused: "goal" must be a number from 0 to 1000000000 with at \
      most 6 digits after the point. Nothing was written.
      ! Hint: Use a number, such as 2.5.
      ? 2
      $ eventlog append ada.jsonl habit.edited read goal=0.0000001
      ! Error: habit.edited was refused: "goal" must be a number from 0 to 1000000000 with at \
      most 6 digits after the point. Nothing was written.
      ! Hint: Use a number, such as 2.5.
      ? 2
      $ eventlog append ada.jsonl habit.edited read name:=3
      ! Error: habit.edited was refused: "name" must be text. Nothing was written.
      ! Hint: Use a string, such as "text".
      ? 2
      $ eventlog append ada.jsonl habit.edited read schedule=8/7
      ! Error: habit.edited was refused: "schedule" must be <times>/<days>, for example 3/7, with \
      days up to 366. Nothing was written.
      ! Hint: For three times in seven days, use 3/7.
      ? 2
      $ eventlog append ada.jsonl completion.recorded read date=2026-02-30 progress=1
      ! Error: completion.recorded was refused: "date" must be a valid date YYYY-MM-DD. Nothing \
      was written.
      ! Hint: Use a real date, such as 2026-01-28.
      ? 2
      $ eventlog append ada.jsonl completion.recorded read progress=-1
      ! Error: completion.recorded was refused: "progress" must be a number from 0 to \
      1000000000 with at most 6 digits after the point. Nothing was written.
      ! Hint: Use a number, such as 2.5.
      ? 2
      $ eventlog append ada.jsonl completion.advanced read by=1e3
      ! Error: completion.advanced was refused: "by" must be a number from -1000000000 to \
      1000000000 with at most 6 digits after the point. Nothing was written.
      ! Hint: Use a number, such as 2.5.
      ? 2
      $ eventlog append ada.jsonl completion.recorded read date:=null progress=1
      ! Error: completion.recorded was refused: "date" must be a valid date YYYY-MM-DD, not null. \
      Nothing was written.
      ! Hint: Use a real date, such as 2026-01-28.
      ? 2
      $ eventlog append ada.jsonl settings.included key=allergens 'members:=[1]'
      ! Error: settings.included was refused: "members" must be an array of text values. \
      Nothing was written.
      ! Hint: Use a JSON array, such as ["text"].
      ? 2
      $ eventlog append ada.jsonl profile.updated dob=1990-13-01
      ! Error: profile.updated was refused: "dob" must be a valid date YYYY-MM-DD. Nothing was \
      written.
      ! Hint: Use a real date, such as 2026-01-28.
      ? 2
      """)
  }

  @Test func `an unknown or missing field is refused with its name`() throws {
    try expectRefused(
      """
      $ eventlog append ada.jsonl completion.recorded read progres=1
      ! Error: completion.recorded was refused: it has no field "progres". Nothing was written.
      ! Hint: Did you mean "progress"?
      ? 2
      $ eventlog append ada.jsonl completion.recorded read progress=1 weather=fine
      ! Error: completion.recorded was refused: it has no field "weather". Nothing was written.
      ! Hint: It takes date, progress.
      ? 2
      $ eventlog append ada.jsonl completion.skipped read
      ! Error: completion.skipped was refused: it needs the field "reason". Nothing was written.
      ! Hint: Add "reason" with any text.
      ? 2
      $ eventlog append ada.jsonl habit.edited read archived=true
      ! Error: habit.edited was refused: "archived" is a reserved name and cannot be a field. \
      Nothing was written.
      ! Hint: Choose another name for the field.
      ? 2
      $ eventlog append ada.jsonl habit.edited read progress=3
      ! Error: habit.edited was refused: "progress" is a reserved name and cannot be a field. \
      Nothing was written.
      ! Hint: Choose another name for the field.
      ? 2
      """)
  }

  @Test func `a set change without members, or with an empty one, is refused with its name`() throws
  {
    try expectRefused(
      """
      $ eventlog append ada.jsonl food.included oats tags=
      ! Error: food.included needs a value for "tags".
      ! Hint: eventlog help append shows its usage.
      ? 2
      $ eventlog append ada.jsonl food.included oats key=tags members=
      ! Error: food.included needs a value for "members".
      ! Hint: eventlog help append shows its usage.
      ? 2
      $ eventlog append ada.jsonl food.included oats tags=a,,b
      ! Error: The members of "tags" have a comma too many, or one of them is empty.
      ! Hint: Leave the comma out, or write the members as JSON: tags:=["a",""].
      ? 2
      """)
  }

  // MARK: - Entities

  @Test func `an unknown, deleted or malformed entity is refused`() throws {
    try expectRefused(
      """
      $ eventlog append ada.jsonl completion.recorded raed progress=1
      ! Error: "habit/raed" does not exist. Nothing was written.
      ! Hint: Did you mean habit/read?
      ? 2
      $ eventlog append ada.jsonl completion.recorded READ progress=1
      ! Error: "habit/READ" does not exist. Nothing was written.
      ! Hint: Did you mean habit/read?
      ? 2
      $ eventlog append ada.jsonl completion.recorded Raed progress=1
      ! Error: "habit/Raed" does not exist. Nothing was written.
      ! Hint: Did you mean habit/read?
      ? 2
      $ eventlog append ada.jsonl completion.recorded habit/swimming progress=1
      ! Error: "habit/swimming" does not exist. Nothing was written.
      ! Hint: habit.created creates a new one.
      ? 2
      $ eventlog append ada.jsonl completion.recorded progress=1
      ! Error: completion.recorded was refused: it needs an entity, habit/<key>. Nothing was \
      written.
      ! Hint: Add the ID of the habit that it is about.
      ? 2
      $ eventlog append ada.jsonl completion.recorded Gone progress=1
      ! Error: "habit/gone" is deleted. Nothing was written.
      ! Hint: habit.restored restores it with all its data.
      ? 2
      $ eventlog append ada.jsonl habit.created gone name=Again
      ! Error: "habit/gone" already exists. Nothing was written.
      ! Hint: It is deleted: habit.restored restores it.
      ? 2
      $ eventlog append ada.jsonl habit.created read name=Again
      ! Error: "habit/read" already exists. Nothing was written.
      ! Hint: Use habit.edited to change it, or choose another key.
      ? 2
      $ eventlog append ada.jsonl habit.created 'two words' name=Again
      ! Error: "two words" is not a valid habit key: a key has 1 to 128 characters of A-Z a-z \
      0-9 . _ ~ -. Nothing was written.
      ? 2
      $ eventlog append ada.jsonl completion.recorded 'two words' progress=1
      ! Error: No habit has that key or name, and it is not a valid key: a key has 1 to 128 \
      characters of A-Z a-z 0-9 . _ ~ -. Nothing was written.
      ! Hint: eventlog project ada.jsonl shows what exists.
      ? 2
      $ eventlog append ada.jsonl habit.created food/oats name=Oats
      ! Error: habit.created was refused: its entity must be a habit, but "food/oats" is not \
      one. Nothing was written.
      ! Hint: Use the ID of a habit, habit/<key>.
      ? 2
      $ eventlog append ada.jsonl profile.updated read firstName=Ada
      ! Error: Unexpected word "read": profile.updated takes no entity, because there is only one \
      profile. Nothing was written.
      ! Hint: Write fields as FIELD=VALUE.
      ? 2
      $ eventlog append ada.jsonl profile.updated habit/read firstName=Ada
      ! Error: Unexpected word "habit/read": profile.updated takes no entity, because there is \
      only one profile. Nothing was written.
      ! Hint: Write fields as FIELD=VALUE.
      ? 2
      """)
  }

  // MARK: - Times, data and options

  @Test func `malformed times, JSON and options are refused`() throws {
    try expectRefused(
      """
      $ eventlog append ada.jsonl habit.edited read name=x --at yesterday
      ! Error: --at needs a valid time with seconds and an offset or Z.
      ! Hint: For example: 2026-01-28T09:12:33Z or 2026-01-28T10:12:33+01:00.
      ? 2
      $ eventlog append ada.jsonl habit.edited read name=x --at 2026-01-28
      ! Error: --at needs a valid time with seconds and an offset or Z.
      ! Hint: For noon of that day in UTC, use --at 2026-01-28T12:00:00Z.
      ? 2
      $ eventlog append ada.jsonl habit.edited read name=x --at 2026-02-30T10:00:00Z
      ! Error: --at needs a valid time with seconds and an offset or Z.
      ! Hint: 2026-02-30 is not a date. For example: 2026-01-28T09:12:33Z or \
      2026-01-28T10:12:33+01:00.
      ? 2
      $ eventlog append ada.jsonl habit.edited read --data '{"name":'
      ! Error: --data ends before its JSON is complete (byte 8). Nothing was written.
      ? 2
      $ eventlog append ada.jsonl habit.edited read --data '[1]'
      ! Error: --data must be a JSON object. Nothing was written.
      ? 2
      $ eventlog append ada.jsonl habit.edited read --data '{"name":"a","name":"b"}'
      ! Error: --data contains a member twice in one object (byte 12). Nothing was written.
      ? 2
      $ eventlog append ada.jsonl habit.edited read --data '{}' name=x
      ! Error: --data and FIELD=VALUE cannot be combined.
      ! Hint: eventlog help append shows its usage.
      ? 2
      $ eventlog append ada.jsonl habit.edited read 'icon:={'
      ! Error: The value of "icon" ends before its JSON is complete (byte 1). Nothing was written.
      ? 2
      $ eventlog append ada.jsonl habit.edited read icon=a icon=b
      ! Error: The field "icon" is given twice.
      ! Hint: eventlog help append shows its usage.
      ? 2
      $ eventlog append ada.jsonl habit.edited read write icon=a
      ! Error: Unexpected word "write": it is not FIELD=VALUE, and the entity is "read".
      ! Hint: eventlog help append shows its usage.
      ? 2
      $ eventlog append ada.jsonl habit.edited read name=x --ref ''
      ! Error: habit.edited was refused: its ref must have 1 to 128 characters. Nothing was \
      written.
      ! Hint: Use 1 to 128 characters, such as a UUID.
      ? 2
      $ eventlog append ada.jsonl habit.edited read --vorce
      ! Error: eventlog append has no option --vorce.
      ! Hint: Did you mean --force?
      ? 2
      $ eventlog append ada.jsonl habit.edited read --at
      ! Error: --at needs a value: --at TIME.
      ! Hint: eventlog help append shows its usage.
      ? 2
      $ eventlog append ada.jsonl
      ! Error: append needs an event type, or - to read events from standard input.
      ! Hint: eventlog help append shows its usage.
      ? 2
      """)
  }

  @Test func `a journal of another user is refused`() throws {
    try expectRefused(
      """
      $ eventlog append ada.jsonl --user ben habit.edited read name=x
      ! Error: "ada.jsonl" belongs to the user "ada", not to "ben". Nothing was changed.
      ! Hint: A journal contains one user's events: use another file, or the right user.
      ? 2
      $ eventlog project ada.jsonl --user ben
      ! Error: "ada.jsonl" belongs to the user "ada", not to "ben". Nothing was changed.
      ! Hint: A journal contains one user's events: use another file, or the right user.
      ? 2
      """)
  }

  @Test func `a refused append without a valid user or event creates no journal`() throws {
    try workplace.follow(
      """
      $ eventlog append new.jsonl habit.created name=Read
      ! Error: There is no journal at "new.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      $ eventlog append new.jsonl --user "$(printf 'a\\tb')" habit.created name=Read
      ! Error: A user name has 1 to 128 bytes and no control characters. Nothing was written.
      ! Hint: Use a name on one line, such as ada.
      ? 2
      $ eventlog append new.jsonl --user ada habit.created name=Read goal=-1
      ! Error: habit.created was refused: "goal" must be a number from 0 to \
      1000000000 with at most 6 digits after the point. Nothing was written.
      ! Hint: Use a number, such as 2.5.
      ? 2
      $ eventlog append new.jsonl --user ada completion.recorded read progress=1
      ! Error: "habit/read" does not exist. Nothing was written.
      ! Hint: habit.created creates a new one.
      ? 2
      $ ls
      ada.eventlog
      ada.jsonl
      """)
  }

  // MARK: - Size and depth

  @Test func `input that is too long or nested too deeply is refused`() throws {
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    try workplace.write("deep", "{\"type\":\"settings.changed\",\"data\":{\"a\":\(deep)}}\n")
    let long = String(repeating: "x", count: 10_000_000)
    try workplace.write("long", "{\"type\":\"settings.changed\",\"data\":{\"a\":\"\(long)\"}}\n")
    // The input line is within the limit, but the event's line with ID, time and checksum isn't.
    let near = String(repeating: "x", count: 1_048_500)
    try workplace.write("near", "{\"type\":\"settings.changed\",\"data\":{\"a\":\"\(near)\"}}\n")
    try expectRefused(
      """
      $ eventlog append ada.jsonl - < long
      ! Error: Line 1 of the input: it is longer than 1048576 bytes. Nothing was written.
      ? 2
      $ eventlog append ada.jsonl - < deep
      ! Error: Line 1 of the input: it is nested deeper than 64 levels (byte 101). Nothing was \
      written.
      ? 2
      """)
    let run = try workplace.shell("eventlog append ada.jsonl - < near")
    #expect(run.code == 2)
    #expect(
      run.errorText.hasPrefix("Error: Line 1 of the input: The event would be a line of 10486"))
  }
}
