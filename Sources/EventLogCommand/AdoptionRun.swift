import EventLog
import EventLogAccounts
import EventLogInspection
import EventLogUndo

/// One call of `eventlog adopt`.
struct AdoptionRun {
  private let path: String
  private let store: EventStore
  private let isDryRun: Bool
  private let devicesMax: Int
  private let console: Console

  init(_ path: String, _ store: EventStore, _ arguments: Arguments, _ console: Console) {
    self.path = path
    self.store = store
    self.console = console
    isDryRun = arguments.has("plan")
    devicesMax = arguments.devicesMax
  }

  func perform(_ word: String) async throws -> Verb.ExitStatus {
    let other = try journal(word)
    let remote = JournalRemote(path: other, options: JournalOptions(devicesMax: devicesMax))
    let report =
      isDryRun
      ? try await store.dryRunAdoption(of: remote) : try await store.adopt(remote)
    let hidden = try await hiddenUser(report, in: other)
    do {
      try print(report, of: word)
      if let hidden, !console.isJSON {
        let rest = hidden.isWhole ? "" : ", but what was chosen since"
        try console.print(
          "Nothing of \(Visible.text(hidden.user)) shows here\(rest): all of it was replaced since."
            + " \(Visible.text(word)) still has all of it: look there, and"
            + " write what you want back.")
      }
      try console.flush()
    } catch Terminal.WriteFailure.other(let reason) where !isDryRun {
      throw EventLogError(
        writtenUnsaid: "The adoption is complete; only its report could not be written: \(reason).",
        hint: "It is safe to run it again.")
    }
    try? await store.close()
    return report.sync.refused.isEmpty ? .yes : .no
  }

  /// Returns the user of `other` if all their events are here but no value of theirs is shown.
  private func hiddenUser(
    _ report: AdoptionReport, in other: String
  ) async throws -> (user: String, isWhole: Bool)? {
    guard report.users.isEmpty, report.sync.pulled.isEmpty, report.restored == nil,
      let user = try? Journal(path: other).status().user,
      let undo = try? await store.dryRunUndoOfAdoption(of: user),
      undo.changes.isEmpty, undo.resolved.isEmpty, undo.kept.isEmpty
    else { return nil }
    return (user, undo.keptFields.isEmpty)
  }

  /// Returns the path of the other journal, which must be a file on this machine.
  private func journal(_ word: String) throws -> String {
    let address = SyncTarget.canonical(.journal(path: word))
    guard !SyncTarget.isJournal(address, path) else {
      throw EventLogError.usage("\"\(Visible.text(word))\" is the journal itself.", "adopt")
    }
    if Terminal.isFolder(word) {
      throw EventLogError.usage(
        "\"\(Visible.text(word))\" is a folder, and only a journal can be adopted.", "adopt",
        hint: "Adopt the journal that was synced with it; the folder needs nothing else.")
    }
    if Terminal.isMissing(word) {
      throw EventLogError(
        .noJournal, "There is no journal at \"\(Visible.text(word))\". Nothing was changed.",
        hint: "Check the path.")
    }
    return word
  }

  // MARK: - The report

  private func print(_ report: AdoptionReport, of word: String) throws {
    if console.isJSON { return try console.print(json(report).text) }
    let other = Visible.text(word)
    let outcome = SyncOutcome(address: word, report: report.sync)
    let list = SyncOutcomeReport(
      path: path, outcomes: [outcome], isDryRun: isDryRun, directions: .pull, isNew: false,
      console: console, sides: ("account", "guest"))
    if report.users.isEmpty && report.sync.pulled.isEmpty {
      if report.restored == nil {
        try console.print(
          "\(Visible.text(path)) already contains the events of \(other). Nothing was changed.")
      }
    } else {
      try printEvents(report, other)
    }
    for user in report.users where !JournalUsers.isGuest(user) { warn(of: user) }
    try printRestored(report)
    list.printNotes(outcome)
    console.warn(ofDamage: report.sync.damage, in: path)
    try list.printConflicts()
    let command = ShellWord.command(
      ["eventlog", "resolve", ShellWord.nonOption(path), "--all", "--prefer=account"]
        + console.context)
    if !isDryRun, report.sync.newConflicts.count > 1, let command {
      try console.print("To resolve all of them: \(command) (or guest, or latest).")
    }
    try printSameNames(report)
  }

  private func printEvents(_ report: AdoptionReport, _ other: String) throws {
    let users = report.users.map(Visible.text).joined(separator: ", ")
    let count = plural(Int(report.sync.pulledCount), "event")
    if users.isEmpty {
      return try console.print(
        isDryRun
          ? "\(Visible.text(path)) would receive \(count) from \(other)."
          : "\(Visible.text(path)) received \(count) from \(other).")
    }
    try console.print(
      isDryRun
        ? "\(Visible.text(path)) would adopt \(users), with \(count) from \(other)."
        : "\(Visible.text(path)) adopted \(users), with \(count) from \(other).")
  }

  /// Warns that an adopted user who isn't a guest may be another person.
  private func warn(of user: String) {
    let name = Visible.text(user)
    let command = ShellWord.command(
      ["eventlog", "adopt", ShellWord.nonOption(path), "--undo=\(user)"] + console.context)
    let verb = isDryRun ? "would" : "will"
    console.note(
      "Warning: \(name) is not a guest. Everything that \(name) wrote \(verb) be in this journal,"
        + " and in every remote that it syncs with.")
    if !isDryRun, let command { console.note("Hint: To hide it again: \(command)") }
  }

  private func printRestored(_ report: AdoptionReport) throws {
    guard let restored = report.restored, let user = report.adoptedUser else { return }
    let (path, name) = (Visible.text(path), Visible.text(user))
    let count = plural(restored.changes.count, "value")
    try console.print(
      isDryRun
        ? "\(path): bringing back \(name), which was undone, would change \(count)."
        : "\(path): brought back \(name), which was undone; this changed \(count).")
    try restored.changes.print(console)
  }

  private func printSameNames(_ report: AdoptionReport) throws {
    if report.sameNames.isEmpty { return }
    try console.print()
    try console.print("Entities of the same name, which stay separate:")
    var table = Table()
    for same in report.sameNames.prefix(20) {
      table.add([
        "\(same.kind) \(EntityTable.text(.string(same.name)))",
        (same.others + same.adopted).map(\.description).joined(separator: ", "),
      ])
    }
    for line in table.lines(console) { try console.print(line) }
    if report.sameNames.count > 20 {
      try console.print("  … and \(report.sameNames.count - 20) more; --json lists them all")
    }
  }

  private func json(_ report: AdoptionReport) -> JSONValue {
    func ids(_ entities: [EntityID]) -> JSONValue {
      .array(entities.map { .string($0.description) })
    }
    var members: [JSONObject.Member] = [
      .init(name: "adopted", value: .array(report.users.map { .string($0) })),
      .init(name: "pulled", value: .array(report.sync.pulled.map(\.json))),
      .init(name: "pulledCount", value: .count(Int(report.sync.pulledCount))),
      .init(name: "refused", value: .array(report.sync.refused.map(\.json))),
      .init(
        name: "conflicts",
        value: .array(
          report.sync.newConflicts.map { conflict in
            conflict.json { report.sync.wasThere($0) ? "guest" : "account" }
          })),
      .init(name: "notices", value: .array(report.sync.notices.map { .string($0) })),
      .init(
        name: "sameNames",
        value: .array(
          report.sameNames.map {
            .sorted([
              .init(name: "kind", value: .string($0.kind)),
              .init(name: "name", value: .string($0.name)),
              .init(name: "account", value: ids($0.others)),
              .init(name: "guest", value: ids($0.adopted)),
            ])
          })),
    ]
    if let restored = report.restored {
      members.append(.init(name: "restored", value: restored.changes.json))
    }
    if isDryRun { members.append(.init(name: "plan", value: .bool(true))) }
    return .sorted(members)
  }
}
