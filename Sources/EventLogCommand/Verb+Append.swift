import EventLog
import EventLogAttachments

extension Verb {
  static let append = Verb(
    name: "append", summary: "write events; they are durable when the command returns",
    usage: [
      "append JOURNAL TYPE [ENTITY] [FIELD=VALUE …]",
      "append JOURNAL TYPE [ENTITY] --data JSON",
      "append JOURNAL - < EVENTS",
    ],
    options: [
      OptionSpec("user", "NAME", "the journal's user; creates the journal if there is none"),
      OptionSpec("device", "NAME", "prefix of a new device ID (default: this machine's name)"),
      OptionSpec("at", "TIME", "when it happened, for example 2026-01-28T09:12:33+01:00"),
      OptionSpec("ref", "TEXT", "skip the event if the journal already contains its ref"),
      OptionSpec("data", "JSON", "the event's complete data, as one JSON object"),
      OptionSpec(
        "force", nil,
        "allow unknown types, fields and enum values, and invisible characters in names"),
      OptionSpec(
        "over", "EVENT-IDS", "replace these events' values although the schema forbids them"),
      OptionSpec("keep-position", nil, "keep the position in attached images and videos"),
      .schema, .json,
    ],
    examples: [
      (
        "eventlog append ada.jsonl --user ada habit.created name=Read goal=20 unit=pages",
        "creates a journal and a habit; generates the habit's key and prints it"
      ),
      (
        "eventlog append ada.jsonl completion.advanced Read by=5",
        "counts 5 pages for today; finds the habit by its name, key or key prefix"
      ),
      (
        "eventlog append ada.jsonl settings.changed theme=dark 'days:=[\"mon\",\"wed\"]'",
        "VALUE is parsed by the field's rule; := takes JSON"
      ),
      (
        "eventlog append ada.jsonl settings.included key=allergens members=nuts,milk",
        "adds members to a set"
      ),
      (
        "eventlog append ada.jsonl food.created oats name=Oats kcal=370",
        "another built-in collection: eventlog types lists them all"
      ),
      (
        "eventlog append ada.jsonl food.included oats tags=breakfast,grain",
        "SET=MEMBER,MEMBER adds members to a declared set"
      ),
      (
        "eventlog append ada.jsonl recipe.created soup title=Soup image=@soup.jpg",
        "attaches a file: it is copied to ada.attachments, without the position of an image"
      ),
      (
        "eventlog append ada.jsonl - < events.jsonl",
        "imports one {\"type\",\"entity\",\"data\",\"at\",\"ref\"} per line: all of them, or none"
      ),
    ],
    notes: [
      "ENTITY is a key, a key prefix or a name that matches exactly one entity; a whole key comes"
        + "\nbefore prefixes and names. A VALUE that links to an entity is read the same way. For a"
        + "\nnew entity, ENTITY is its key; without ENTITY, a key is generated. A date that is left"
        + "\nout is today, or the day of --at: at its offset, or here if it ends with Z. If the"
        + "\nsetting dayStartsAt is a time HH:MM, days begin then instead of at midnight.",
      "VALUE is parsed by the rule of its field. If the field takes any JSON value, numbers, true"
        + "\nand false are parsed as such and everything else as text; FIELD:=null writes null."
        + "\neventlog types TYPE shows a type's fields.",
      "An event is skipped if the journal already contains its ref, whatever its data. An import"
        + "\nwhose lines have refs can be repeated, on the same device or on one that has synced"
        + "\nwith it.",
      "The names of fields, sets, members of sets, and of a new journal's user contain no invisible"
        + "\ncharacters, unless --force is passed. Values may contain them, such as that of name.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "append")
    console.onInterrupt(reporting: "Nothing was written.")
    try arguments.checkNewUser(of: path)
    _ = try arguments.over
    let catalog = try arguments.catalog()
    var input = try AppendInput(arguments, catalog)
    var options = JournalOptions(deviceName: arguments["device"], user: arguments["user"])
    options.fileSystem = console.progress.fileSystem
    console.showReadingProgress([path])
    let store = try await EventStore.open(path: path, options: options, catalog: catalog)
    let device = store.snapshot.deviceID
    let count = input.events.count
    console.progress.begin("writing to \(path)", eventTotal: count > 1 ? Int64(count) : nil)
    console.onInterrupt(
      reporting: "Of the events, each batch of at most 4,096 is written completely, or not at all."
        + " Those that have a ref are skipped if you append them again.")
    let dayStart = DayStart(store.snapshot)
    if let note = dayStart.note { console.note("Note: \(note)") }
    let receipt: AppendReceipt
    do throws(EventLogError) {
      input.addDays(startingAt: dayStart)
      try input.resolveLinks(in: store.snapshot)
      try input.attachFiles(in: store.attachmentFolder)
      receipt = try await store.append(
        input.events, lines: input.lines, over: try arguments.over,
        allowingUnknownTypes: arguments.has("force"))
    } catch {
      // Closing may save a checkpoint, so that the next command doesn't read everything again.
      try? await store.close()
      throw error
    }
    for notice in receipt.notices { console.note("Note: \(notice)") }
    if let day = input.lastDayOfProgress, day.number > dayStart.today.number + 1 {
      console.note("Note: \(day) is after tomorrow: until then, it counts in no streak.")
    }
    console.noteIgnoredDevice(device, requested: arguments["device"], in: path)
    if input.events.isEmpty { console.note("Note: The input contains no events.") }
    let damage = receipt.snapshot.damage.filter(\.isDamage)
    console.warn(ofDamage: damage.first, of: damage.count, in: path)
    try AppendReport([receipt], console: console).printFlushed()
    try? await store.close()
    return .yes
  }
}

extension Arguments {
  /// The events whose values may be replaced although the schema doesn't allow these values.
  fileprivate var over: [EventID] {
    get throws(EventLogError) {
      var events: [EventID] = []
      for text in self["over"]?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
        guard let event = EventID(String(text)) else {
          throw .usage(
            "--over takes event IDs, <device>:<number>; \"\(Visible.text(String(text)))\" is not"
              + " one.", "append", hint: "The message that refused the append contains them.")
        }
        events.append(event)
      }
      return events
    }
  }
}
