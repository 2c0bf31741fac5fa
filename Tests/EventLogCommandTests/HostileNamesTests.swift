import Testing

/// Names that contain a command or terminal controls.
///
/// All output must be visible, and no line may begin with the name's command.
@Suite struct HostileNamesTests {
  private static let attack = "eventlog append phone.jsonl settings.changed hacked"
  /// Clears a terminal, breaks the line, and begins the next one with a command.
  private static let name = "\u{1B}[2Jsum\n\(attack)\u{1B}[31m\u{202E}\u{200B}"

  private let workplace: Workplace

  /// Makes two devices with a conflict about a field with such a name, as a peer could send it.
  init() throws {
    workplace = try Workplace()
    try workplace.follow(
      """
      $ eventlog append phone.jsonl --user ada --device phone settings.changed theme=dark > out
      $ eventlog sync tablet.jsonl phone.jsonl > out 2> err
      """)
    for device in ["phone", "tablet"] {
      let made = try workplace.eventlog(
        "append", "\(device).jsonl", "--device", device, "--force", "settings.changed",
        "\(Self.name)=\(device)\(Self.name)")
      #expect(made.code == 0)
    }
  }

  /// Expects that all output of a run is visible, and that no line is the attacker's.
  private func check(_ run: Workplace.Run, _ arguments: [String]) {
    for (name, bytes) in [("output", run.output), ("errors", run.errors)] {
      let text = String(decoding: bytes, as: UTF8.self)
      for line in text.split(separator: "\n") {
        #expect(
          !line.drop { $0 == " " }.hasPrefix(Self.attack),
          "\(arguments) began a line of its \(name)")
      }
      let hidden = text.unicodeScalars.first { scalar in
        scalar != "\n"
          && (scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || scalar.properties.isDefaultIgnorableCodePoint)
      }
      #expect(hidden == nil, "\(arguments) wrote \(hidden.debugDescription) to its \(name)")
    }
  }

  @Test func `no verb prints invisible characters of a name`() throws {
    let name = Self.name
    let runs: [[String]] = [
      ["sync", "phone.jsonl", "tablet.jsonl", "--plan"], ["diff", "phone.jsonl", "tablet.jsonl"],
      ["diff", "phone.jsonl", "tablet.jsonl", "--events"],
      ["sync", "phone.jsonl", "tablet.jsonl"], ["conflicts", "phone.jsonl"],
      ["project", "phone.jsonl"], ["project", "phone.jsonl", "settings"],
      ["replay", "phone.jsonl"], ["replay", "phone.jsonl", "--clocks"],
      ["why", "phone.jsonl", "settings", name], ["status", "phone.jsonl"],
      ["verify", "phone.jsonl"], ["resolve", "phone.jsonl", "settings#\(name)", "--take", name],
      ["resolve", "phone.jsonl", name, "--value", "1"], ["project", "phone.jsonl", name],
      ["why", "phone.jsonl", name, name], ["append", "phone.jsonl", name],
      ["append", "phone.jsonl", "settings.changed", "\(name)=1"],
      ["append", "phone.jsonl", "habit.created", name],
      ["append", name, "settings.changed", "a=1"],
      ["status", name], ["sync", "phone.jsonl", name], ["sync", name, "phone.jsonl"],
      ["sync", "phone.jsonl", "ssh://\(name)"], ["types", name], ["help", name], [name],
      ["repair", "phone.jsonl", "--from", name], ["project", "phone.jsonl", "--\(name)"],
      ["replay", "phone.jsonl", "--at", name], ["project", "phone.jsonl", "--schema", name],
      ["append", "new.jsonl", "--user", name, "settings.changed", "a=1"],
      ["append", "phone.jsonl", "--device", name, "settings.changed", "a=1"],
    ]
    for arguments in runs { check(try workplace.eventlog(arguments), arguments) }
  }

  @Test func `no verb prints invisible characters of a journal's path`() throws {
    try workplace.write(Self.name + ".jsonl", try workplace.read("phone.jsonl"))
    let path = Self.name + ".jsonl"
    for arguments in [
      ["sync", path, "tablet.jsonl"], ["conflicts", path], ["verify", path],
      ["diff", path, "tablet.jsonl"], ["project", path], ["status", path], ["replay", path],
      ["repair", path, "--from", "tablet.jsonl"],
    ] {
      check(try workplace.eventlog(arguments), arguments)
    }
  }

  @Test func `types prints no invisible characters of a schema file`() throws {
    let name = #"\u001b[2J\n\#(Self.attack)\u202e"#
    try workplace.write(
      "schema.json",
      #"{"collections":[{"kind":"trip","fields":{"\#(name)":"text"},"summary":"\#(name)"}]}"#)
    for arguments in [
      ["types", "--schema", "schema.json"], ["types", "trip", "--schema", "schema.json"],
      ["types", "trip.created", "--schema", "schema.json"],
    ] {
      check(try workplace.eventlog(arguments), arguments)
    }
  }

  @Test func `conflicts of invisible names are resolved by --all and not by ID`() throws {
    try workplace.follow(
      """
      $ eventlog sync phone.jsonl tablet.jsonl | grep -c 'resolve phone.jsonl --all --prefer=latest'
      1
      $ eventlog conflicts phone.jsonl | grep -c -e --take
      0
      ? 1
      $ eventlog resolve phone.jsonl --all --prefer latest | grep -c phone
      1
      $ eventlog conflicts phone.jsonl
      phone.jsonl: no conflicts.
      $ eventlog resolve phone.jsonl --all --prefer latest
      ! Note: phone.jsonl has no conflicts.
      $ eventlog resolve phone.jsonl --all --prefer latest --json
      {"appended":[],"open":[],"skippedCount":0}
      ! Note: phone.jsonl has no conflicts.
      $ eventlog resolve phone.jsonl settings#theme --all --prefer latest
      ! Error: --all resolves all conflicts: it takes no ID, --take, --value or --over.
      ! Hint: eventlog help resolve shows its usage.
      ? 2
      """)
  }

  @Test func `an append refuses names with invisible characters without --force`() throws {
    try workplace.follow(
      #"""
      $ eventlog append phone.jsonl settings.changed "$(printf 'a\033b')=1"
      ! Error: settings.changed was refused: the name "a\u001bb" \#
      contains invisible characters. Nothing was written.
      ! Hint: --force writes it anyway.
      ? 2
      $ eventlog append phone.jsonl settings.included "key=$(printf 'a\nb')" members=x
      ! Error: settings.included was refused: the name "a\nb" \#
      contains invisible characters. Nothing was written.
      ! Hint: --force writes it anyway.
      ? 2
      $ echo '{"type":"settings.included","data":{"key":"a","members":["b\u202ec"]}}' > lines
      $ eventlog append phone.jsonl - < lines
      ! Error: Line 1 of the input: settings.included was refused: the name "b\u202ec" \#
      contains invisible characters. Nothing was written.
      ! Hint: --force writes it anyway.
      ? 2
      $ eventlog append phone.jsonl --force - < lines > out
      $ eventlog append phone.jsonl settings.changed "note=$(printf 'a value\nof two lines')" > out
      """#)
  }

  @Test func `a journal for a user with an invisible name is created only with --force`() throws {
    try workplace.follow(
      #"""
      $ eventlog append new.jsonl --user "$(printf 'a\342\200\213da')" settings.changed a=1
      ! Error: The user's name "a\u200bda" contains invisible characters. Nothing was written.
      ! Hint: Type the name again. If it really is this one, append with --force creates the \#
      journal.
      ? 2
      $ printf '{}' > app.json
      $ eventlog import new.jsonl app.json --map settings --user "$(printf 'a\342\200\213da')" \
      > 2>&1 | head -n 1
      Error: The user's name "a\u200bda" contains invisible characters. Nothing was written.
      $ eventlog adopt new.jsonl phone.jsonl --user "$(printf 'a\342\200\213da')" 2>&1 | head -n 1
      Error: The user's name "a\u200bda" contains invisible characters. Nothing was written.
      $ ls | grep -c new
      0
      ? 1
      $ eventlog append new.jsonl --user "$(printf 'a\342\200\213da')" settings.changed a=1 \
      > --force > out
      $ eventlog append new.jsonl --user "$(printf 'a\342\200\213da')" settings.changed a=2 > out
      $ eventlog append new.jsonl settings.changed a=3 > out
      """#)
  }

  @Test func `resolve with --all and latest resolves all conflicts and keeps values`() throws {
    try workplace.copy(folder: "SampleLogs")
    try workplace.follow(
      """
      $ cp SampleLogs/two-devices.jsonl ada.jsonl
      $ eventlog project ada.jsonl habits | sed 's/;* *contested:.*//' > before
      $ eventlog conflicts ada.jsonl | grep -c '^  [a-z].*#'
      8
      $ eventlog resolve ada.jsonl --all --prefer latest > out
      $ eventlog project ada.jsonl habits | sed 's/;* *contested:.*//' | diff before -
      $ eventlog conflicts ada.jsonl
      ada.jsonl: no conflicts.
      """)
  }
}
