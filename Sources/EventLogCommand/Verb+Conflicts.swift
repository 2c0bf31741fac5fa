import EventLog
import EventLogAccounts

extension Verb {
  static let conflicts = Verb(
    name: "conflicts", summary: "list the conflicts, and how to resolve them",
    usage: ["conflicts JOURNAL"],
    options: [
      .cutAt, .cutAs,
      OptionSpec(
        "check", nil, "exit with 1 if there is a conflict, with 2 if --schema is missing"),
      .user, .schema, .json,
    ],
    wordsMax: 1,
    examples: [
      ("eventlog conflicts ada.jsonl", "each with its candidates, and the commands to choose one"),
      ("eventlog conflicts ada.jsonl --check", "for scripts"),
    ],
    notes: [
      "A conflict consists of concurrent writes by several devices. The latest one is shown until"
        + "\nthe conflict is resolved. Resolving loses nothing, and a later choice replaces it.",
      "\"was\" shows the value before the candidates diverged.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "conflicts")
    let snapshot = try Verb.state(of: path, arguments, console, "conflicts")
    let (conflicts, unknown) = (snapshot.conflicts, snapshot.unknownNames)
    // Scripts must not mistake unchecked collections for ones without conflicts.
    if arguments.has("check"), conflicts.isEmpty {
      try Console.refuse(unknown: unknown, in: path)
    }
    if console.isJSON {
      try console.print(writing: { snapshot.writeJSON(sections: ["conflicts"], to: $0) })
    } else if conflicts.isEmpty {
      try console.print("\(path): \(Console.noConflicts(besidesThoseOf: unknown)).")
    } else {
      for conflict in conflicts {
        // A past conflict may be resolved by now, so print no commands for it.
        try ConflictReport(conflict: conflict, console: console)
          .print(
            settlingIn: try arguments.cut("conflicts") == nil ? path : nil,
            side: snapshot.sideOfUsers)
      }
    }
    return arguments.has("check") && !conflicts.isEmpty ? .no : .yes
  }

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
    wordsMax: 2,
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
    console.beginReading([path])
    let store = try await EventStore.open(
      path: path, options: options, catalog: try arguments.catalog())
    if arguments.has("plan") {
      try ResolvePlan(
        settling(by: arguments, in: store), path: path,
        unknownNames: store.snapshot.unknownNames, console: console
      ).print()
      try? await store.close()
      return .yes
    }
    let device = store.snapshot.deviceID
    let (receipts, left) = try await settle(by: arguments, in: store)
    for notice in receipts.first?.notices ?? [] { console.note("Note: \(notice)") }
    console.note(ofDevice: device, besides: arguments["device"], in: path)
    let damage = store.snapshot.damage.filter(\.isDamage)
    console.warn(ofDamage: damage.first, of: damage.count, in: path)
    let unknown = store.snapshot.unknownNames
    if receipts.isEmpty {
      let what = Console.noConflicts(besidesThoseOf: unknown)
      console.note("Note: \(path) has \(what).")
    }
    if !left.isEmpty {
      console.note(
        "Note: \(plural(left.count, "conflict")) stayed open: all candidates are of one side, and"
          + " --prefer=latest would resolve them, too. eventlog conflicts \(ShellWord.path(path))"
          + "\(ShellWord.given(console)) lists what is open.")
    }
    console.note(ofUnknown: unknown, in: path)
    let open = store.snapshot.conflicts.map { JSONValue.string($0.id) }
    try AppendReport(
      receipts, adding: [.init(name: "open", value: .array(open))], console: console
    ).printFlushed()
    try? await store.close()
    return .yes
  }

  private static func settle(
    by arguments: Arguments, in store: EventStore
  ) async throws(EventLogError) -> (receipts: [AppendReceipt], left: [Conflict]) {
    guard let preference = try preference(arguments) else {
      let choice = try Choice(arguments)
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
    let (receipt, left) = try await store.resolve(conflicts, preferring: preference)
    return ([receipt], left)
  }

  /// Returns the choices that `settle` would make, and the conflicts left open.
  private static func settling(
    by arguments: Arguments, in store: EventStore
  ) throws(EventLogError) -> (settled: [ResolvePlan.Settled], left: [Conflict]) {
    let snapshot = store.snapshot
    guard let preference = try preference(arguments) else {
      let choice = try Choice(arguments)
      let conflict = try choice.conflict(in: snapshot)
      if case .value(let value) = choice.kind {
        try check(value, for: conflict, arguments)
        try snapshot.checkResolving(conflict, with: value)
      }
      return (
        [try choice.settled(conflict)],
        snapshot.conflicts.filter { !$0.id.hasBytes(of: conflict.id) }
      )
    }
    let (choices, left) = snapshot.choices(in: snapshot.conflicts, preferring: preference)
    return (
      choices.map { choice in
        let taken = choice.conflict.candidates.first { $0.isMeant(by: choice.event) }
        return ResolvePlan.Settled(
          conflict: choice.conflict, event: taken?.event ?? choice.event,
          value: taken?.value ?? .null)
      }, left
    )
  }

  /// - Throws: `invalidEvent` for a text that is no case of an enum, unless a candidate has it.
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
    guard arguments.words.count == 1, !["take", "value", "over"].contains(where: arguments.has)
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

/// The choice for one conflict, from the command line.
private struct Choice {
  enum Kind {
    case take(EventID)
    case value(JSONValue)
  }

  let id: String
  let kind: Kind
  private let over: [EventID]?

  init(_ arguments: Arguments) throws(EventLogError) {
    guard arguments.words.count > 1 else {
      throw .usage(
        "eventlog resolve needs the ID of a conflict.", "resolve",
        hint: "eventlog conflicts \(Self.journal(arguments)) lists them.")
    }
    id = arguments.words[1]
    switch (arguments["take"], arguments["value"]) {
    case (let text?, nil): kind = .take(try Self.event(text, "take", arguments))
    case (nil, let text?):
      guard let value = try? JSONValue(parsing: text.utf8) else {
        throw EventLogError(
          invalidInput: "--value is not JSON. Nothing was written.",
          hint: "JSON text needs quotes: --value '\"text\"'.")
      }
      kind = .value(value)
    default:
      throw .usage(
        "eventlog resolve takes either --take EVENT-ID or --value JSON.", "resolve")
    }
    var events: [EventID] = []
    for text in arguments["over"]?.split(separator: ",") ?? [] {
      events.append(try Self.event(String(text), "over", arguments))
    }
    over = arguments.has("over") ? events : nil
  }

  /// Returns the value that would resolve the conflict.
  func settled(_ conflict: Conflict) throws(EventLogError) -> ResolvePlan.Settled {
    switch kind {
    case .value(let value): return .init(conflict: conflict, event: nil, value: value)
    case .take(let event):
      guard let candidate = conflict.candidates.first(where: { $0.isMeant(by: event) }) else {
        throw EventLogError(
          .noConflict, "\(event) is not a candidate of \"\(id)\". Nothing was written.",
          hint: "Its candidates are "
            + conflict.candidates.map(\.event.description).joined(separator: ", ") + ".")
      }
      return .init(conflict: conflict, event: candidate.event, value: candidate.value)
    }
  }

  private static func journal(_ arguments: Arguments) -> String {
    (arguments.words.first.map(ShellWord.path) ?? "JOURNAL") + ShellWord.given(arguments)
  }

  private static func event(
    _ text: String, _ option: String, _ arguments: Arguments
  ) throws(EventLogError) -> EventID {
    guard let event = EventID(text) else {
      throw .usage(
        "--\(option) takes an event ID, <device>:<number>; \"\(Visible.text(text))\" is not one.",
        "resolve",
        hint: "eventlog conflicts \(journal(arguments)) shows the event IDs of the candidates.")
    }
    return event
  }

  /// Returns the conflict, with only the candidates that the user has seen if `--over` is given.
  func conflict(in snapshot: Snapshot) throws(EventLogError) -> Conflict {
    let conflict = snapshot.conflicts.first { $0.id.hasBytes(of: id) }
    guard let conflict else {
      try checkIsDeclared(in: snapshot)
      // If the ID's field exists, it's no typo, and a suggestion could make the user resolve the
      // wrong conflict.
      let near =
        snapshot.holds(id)
        ? nil : Suggestion.nearest(to: id, among: snapshot.conflicts.map(\.id))
      throw EventLogError(
        .noConflict,
        "There is no conflict \"\(id)\"; it may be resolved already. Nothing was written.",
        hint: near.map { "Did you mean \($0)?" })
    }
    var named = over ?? []
    if case .take(let event) = kind { named.append(event) }
    for event in named { try check(event, in: conflict) }
    return over == nil ? conflict : conflict.among(Set(named))
  }

  /// - Throws: `noConflict` if the conflict's collection isn't declared.
  private func checkIsDeclared(in snapshot: Snapshot) throws(EventLogError) {
    let kind = String(id.prefix { !"/@#".contains($0) })
    guard snapshot.unknownNames.contains(kind) else { return }
    throw EventLogError(
      .noConflict,
      "eventlog does not know the collection \"\(kind)\", so it cannot tell whether there is a"
        + " conflict \"\(id)\". Nothing was written.",
      hint: "Pass --schema FILE, which declares it.")
  }

  /// - Throws: `noConflict` if an ID matches two candidates.
  private func check(_ event: EventID, in conflict: Conflict) throws(EventLogError) {
    let meant = conflict.candidates.filter { $0.isMeant(by: event) }.map(\.fullID.description)
    guard meant.count > 1 else { return }
    throw EventLogError(
      .noConflict,
      "\(event) refers to \(meant.count) candidates of \"\(id)\". Nothing was written.",
      hint: "Use one of \(meant.joined(separator: ", ")).")
  }
}

extension Snapshot {
  /// Returns "account" or "guest" for the writer of an event; nil if the journal adopted no guest.
  var sideOfUsers: ((FullEventID) -> String)? {
    adoptedUsers.isEmpty ? nil : { isAdopted($0) ? "guest" : "account" }
  }

  /// Whether the field in a conflict's ID exists.
  fileprivate func holds(_ conflict: String) -> Bool {
    let parts = conflict.split(separator: "#", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return false }
    let (place, field) = (parts[0].prefix { $0 != "@" }, parts[1])
    guard let id = EntityID(String(place)) else {
      return singleton(String(place)).contains { $0.name.hasBytes(of: field) }
    }
    guard let entity = entity(id) else { return false }
    let fields = entity.fields.map(\.name) + entity.days.flatMap { $0.fields.map(\.name) }
    return field == "presence" || fields.contains { $0.hasBytes(of: field) }
  }
}
