import EventLog
import EventLogAccounts

extension Verb {
  static let resolve = Verb(
    name: "resolve", summary: "resolve a conflict",
    usage: [
      "resolve JOURNAL ID --take EVENT-ID [--over EVENT-ID,…] [--plan]",
      "resolve JOURNAL ID --value JSON [--over EVENT-ID,…] [--plan]",
      "resolve JOURNAL --all --prefer SIDE [--plan]",
    ],
    options: [
      OptionSpec("take", "EVENT-ID", "the candidate to keep"),
      OptionSpec("value", "JSON", "another value to write"),
      OptionSpec(
        "over", "EVENT-ID,…", "the other candidates that you saw; refuse if there are more"),
      OptionSpec("all", nil, "resolve every open conflict"),
      OptionSpec("prefer", "SIDE", "with --all: account, guest or latest"),
      OptionSpec("plan", nil, "only print what would be resolved, and with which value"),
      OptionSpec("device", "NAME", "prefix of a new device ID (default: this machine's name)"),
      .user, .schema, .json,
    ],
    operandsMax: 2,
    examples: [
      (
        "eventlog resolve ada.jsonl habit/read#name --take phone-ufryznu4:17",
        "keeps what that event wrote; eventlog conflicts prints this command for each candidate"
      ),
      (
        #"eventlog resolve ada.jsonl habit/read#name --value '"Read daily"'"#,
        "writes another value; JSON text needs quotes"
      ),
      (
        "eventlog resolve ada.jsonl --all --prefer latest",
        "for scripts: keeps every value that is shown"
      ),
      (
        "eventlog resolve ada.jsonl --all --prefer account",
        "after an adoption: keeps what the account had"
      ),
      (
        "eventlog resolve ada.jsonl --all --prefer latest --plan",
        "which value each conflict would end with, and which would stay open"
      ),
    ],
    notes: [
      "The choice is written as an event that has seen all candidates, so it replicates."
        + "\nA counter is set to the candidate's total. If one device deleted an entity that"
        + "\nanother used, taking the deletion deletes it; taking the other event restores it.",
      "With --over, the command is refused if there is a further candidate by now, which the error"
        + "\nreports. Without --over, it resolves the conflict as it is now.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "resolve")
    var options = JournalOptions(
      deviceName: arguments["device"],
      // This verb creates no journal.
      user: Terminal.isMissing(path) ? nil : arguments["user"])
    options.fileSystem = console.progress.fileSystem
    console.showReadingProgress([path])
    let store = try await EventStore.open(
      path: path, options: options, catalog: try arguments.catalog())
    if arguments.has("plan") {
      try ResolvePlan(
        plannedResolutions(by: arguments, in: store), path: path,
        unknownNames: store.snapshot.unknownNames, console: console
      ).print()
      try? await store.close()
      return .yes
    }
    let device = store.snapshot.deviceID
    let (receipts, remaining) = try await resolveConflicts(by: arguments, in: store)
    for notice in receipts.first?.notices ?? [] { console.note("Note: \(notice)") }
    console.noteIgnoredDevice(device, requested: arguments["device"], in: path)
    let damage = store.snapshot.damage.filter(\.isDamage)
    console.warn(ofDamage: damage.first, of: damage.count, in: path)
    let unknown = store.snapshot.unknownNames
    if receipts.isEmpty {
      let what = Console.noConflicts(exceptIn: unknown)
      console.note("Note: \(path) has \(what).")
    }
    if !remaining.isEmpty {
      console.note(
        "Note: \(plural(remaining.count, "conflict")) stayed open: all candidates are of one side,"
          + " and --prefer=latest would resolve them, too."
          + " eventlog conflicts \(ShellWord.path(path))\(ShellWord.contextOptions(console))"
          + " lists what is open.")
    }
    console.note(undeclared: unknown, in: path)
    let open = store.snapshot.conflicts.map { JSONValue.string($0.id) }
    try AppendReport(
      receipts, adding: [.init(name: "open", value: .array(open))], console: console
    ).printFlushed()
    try? await store.close()
    return .yes
  }

  private static func resolveConflicts(
    by arguments: Arguments, in store: EventStore
  ) async throws(EventLogError) -> (receipts: [AppendReceipt], remaining: [Conflict]) {
    guard let preference = try preference(arguments) else {
      let choice = try ConflictChoice(arguments)
      let conflict = try choice.conflict(in: store.snapshot)
      switch choice.kind {
      case .take(let event): return ([try await store.resolve(conflict, taking: event)], [])
      case .value(let value):
        try check(value, for: conflict, arguments)
        return ([try await store.resolve(conflict, with: value)], [])
      }
    }
    let conflicts = store.snapshot.conflicts
    if conflicts.isEmpty { return ([], []) }
    let (receipt, remaining) = try await store.resolve(conflicts, preferring: preference)
    return ([receipt], remaining)
  }

  /// Returns the choices that ``resolveConflicts(by:in:)`` would make, and the conflicts left open.
  private static func plannedResolutions(
    by arguments: Arguments, in store: EventStore
  ) throws(EventLogError) -> (resolutions: [ResolvePlan.Resolution], remaining: [Conflict]) {
    let snapshot = store.snapshot
    guard let preference = try preference(arguments) else {
      let choice = try ConflictChoice(arguments)
      let conflict = try choice.conflict(in: snapshot)
      if case .value(let value) = choice.kind {
        try check(value, for: conflict, arguments)
        try snapshot.checkResolving(conflict, with: value)
      }
      return (
        [try choice.resolution(conflict)],
        snapshot.conflicts.filter { !$0.id.hasBytes(of: conflict.id) }
      )
    }
    let (choices, remaining) = snapshot.choices(in: snapshot.conflicts, preferring: preference)
    return (
      choices.map { choice in
        let taken = choice.conflict.candidates.first { $0.isMeant(by: choice.event) }
        return ResolvePlan.Resolution(
          conflict: choice.conflict, event: taken?.event ?? choice.event,
          value: taken?.value ?? .null)
      }, remaining
    )
  }

  /// - Throws: `invalidEvent` for an undeclared enum case, unless a candidate has it.
  private static func check(
    _ value: JSONValue, for conflict: Conflict, _ arguments: Arguments
  ) throws(EventLogError) {
    let kind = String(conflict.id.prefix { !"/#".contains($0) })
    let collection = (try? arguments.catalog())?.collection(kind: kind)
    let field = collection?.field(conflict.field) ?? collection?.field(conflict.field, ofDay: true)
    guard let field, let (phrase, hint) = field.refusal(of: value),
      !conflict.candidates.contains(where: { $0.value == value })
    else { return }
    throw EventLogError(
      .invalidEvent,
      "The value was refused: \"\(field.name)\" must be \(phrase). Nothing was written.",
      hint: hint)
  }

  /// Returns the side preferred for all conflicts, or nil if the arguments name one conflict.
  private static func preference(
    _ arguments: Arguments
  ) throws(EventLogError) -> ConflictPreference? {
    guard arguments.has("all") || arguments.has("prefer") else { return nil }
    guard arguments.operands.count == 1, !["take", "value", "over"].contains(where: arguments.has)
    else {
      throw .usage(
        "--all resolves all conflicts: it takes no ID, --take, --value or --over.", "resolve")
    }
    let sides = ConflictPreference.allCases.map(\.rawValue).joined(separator: ", ")
    guard arguments.has("all"), let text = arguments["prefer"] else {
      throw .usage(
        "--all needs --prefer SIDE, and --prefer needs --all.", "resolve",
        hint: "SIDE is one of \(sides).")
    }
    guard let preference = ConflictPreference(rawValue: text) else {
      throw .usage(
        "There is no side \"\(Visible.text(text))\".", "resolve", hint: "SIDE is one of \(sides).")
    }
    return preference
  }
}
