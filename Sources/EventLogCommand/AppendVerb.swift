import EventLog

extension Verb {
  static let append = Verb(
    name: "append", summary: "write events, durable when the command returns",
    usage: [
      "append JOURNAL TYPE [ENTITY] [FIELD=VALUE …]",
      "append JOURNAL TYPE [ENTITY] --data JSON",
      "append JOURNAL - < EVENTS",
    ],
    options: [
      OptionSpec("user", "NAME", "whose journal it is; creates it where there is none"),
      OptionSpec("device", "NAME", "what a fresh device ID begins with (else this machine's name)"),
      OptionSpec("at", "TIME", "when it happened, for example 2026-01-28T09:12:33+01:00"),
      OptionSpec("ref", "TEXT", "skip the event if the journal holds one with this ref"),
      OptionSpec("data", "JSON", "all of the event's data as one object"),
      OptionSpec(
        "force", nil,
        "write an unknown type, a further field of a built-in one, a name that does not show"),
      .schema, .json,
    ],
    examples: [
      (
        "eventlog append ada.jsonl --user ada habit.created name=Read goal=20 unit=pages",
        "begins a journal and a habit; its key is minted and printed"
      ),
      (
        "eventlog append ada.jsonl completion.advanced Read by=5",
        "5 pages today; the habit is found by its name, its key, or the beginning of its key"
      ),
      (
        "eventlog append ada.jsonl settings.changed theme=dark 'days:=[\"mon\",\"wed\"]'",
        "VALUE is read by the field's rule, := takes JSON"
      ),
      (
        "eventlog append ada.jsonl settings.included key=allergens members=nuts,milk",
        "takes members into a set"
      ),
      (
        "eventlog append ada.jsonl food.created oats name=Oats kcal=370",
        "a collection beyond the core: eventlog types lists them"
      ),
      (
        "eventlog append ada.jsonl food.included oats tags=breakfast,grain",
        "SET=MEMBER,MEMBER names a declared set"
      ),
      (
        "eventlog append ada.jsonl - < events.jsonl",
        "imports a line of {\"type\",\"entity\",\"data\",\"at\",\"ref\"} each: all, or none"
      ),
    ],
    notes: [
      "ENTITY is a whole key, or the beginning of one, or a name, if only one fits. A new entity's"
        + "\nkey is ENTITY as it is given; without ENTITY it is minted. A date left out is today.",
      "VALUE is read by the rule of its field. Where any JSON value may stand, numbers, true and"
        + "\nfalse are read as such and all else as text; FIELD:=null writes null."
        + "\neventlog types TYPE shows a type's fields.",
      "An event whose ref the journal holds is skipped: an import whose lines have a ref can be run"
        + "\nagain, on the same device or one that has synced with it.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "append")
    let catalog = try arguments.catalog()
    let input = try AppendInput(arguments, catalog)
    let store = try await EventStore.open(
      path: path,
      options: JournalOptions(
        deviceName: arguments["device"] ?? Terminal.hostName, user: arguments["user"]),
      catalog: catalog)
    let receipt: AppendReceipt
    do throws(EventLogError) {
      receipt = try await store.append(
        input.events, lines: input.lines, allowingUnknownTypes: arguments.has("force"))
    } catch {
      // What was read for it need not be read again by the next one.
      try? await store.close()
      throw error
    }
    for notice in receipt.notices { console.note("Note: \(notice)") }
    if input.events.isEmpty { console.note("Note: The input held no event.") }
    let damage = receipt.snapshot.damage.filter(\.isDamage)
    console.warn(ofDamage: damage.first, of: damage.count, in: path)
    try AppendReport([receipt], console: console).printFlushed()
    try? await store.close()
    return .yes
  }
}
