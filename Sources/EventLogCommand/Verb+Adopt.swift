import EventLog
import EventLogAccounts

extension Verb {
  static let adopt = Verb(
    name: "adopt", summary: "take over another user's events, such as a guest's",
    usage: ["adopt JOURNAL OTHER-JOURNAL", "adopt JOURNAL --undo USER"],
    options: [
      OptionSpec("plan", nil, "only print what would be done"),
      OptionSpec("undo", "USER", "hide what an adopted user wrote"),
      OptionSpec("device", "NAME", "prefix of a new device ID (default: this machine's name)"),
      .acceptDevices, .user, .schema, .json,
    ],
    operandsMax: 2,
    examples: [
      ("eventlog adopt ada.jsonl guest.jsonl --plan", "which conflicts would arise"),
      (
        "eventlog adopt ada.jsonl guest.jsonl",
        "the guest's events are ada's, too; guest.jsonl is only read"
      ),
      ("eventlog adopt ada.jsonl --undo guest-4k7m2x --plan", "what an undo would change"),
    ],
    notes: [
      "The events keep their devices and times. Nothing is overwritten: where both users wrote"
        + "\ndifferent values, a conflict lists both. Entities of one name stay separate, and are"
        + "\nlisted. Adopting again fetches what is missing, brings back what an undo has hidden,"
        + "\nand otherwise changes nothing.",
      "If JOURNAL doesn't exist, --user NAME creates it.",
      "--undo appends events that bring the state to what it is without the adopted user. What"
        + "\nothers wrote since stays, and so do entities of that user that others have written to."
        + "\nIt hides, and does not erase: every event stays in the journal and its remotes.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "adopt")
    try arguments.checkNewUser(of: path)
    let store = EventStore.unread(
      path: path,
      options: JournalOptions(
        deviceName: arguments["device"], user: arguments["user"],
        devicesMax: arguments.devicesMax),
      catalog: try arguments.catalog())
    if let user = arguments["undo"] {
      guard arguments.operands.count == 1 else {
        throw EventLogError.usage("--undo takes a user, and no second journal.", "adopt")
      }
      return try await DeviceUndoRun(
        path: path, store: store, isDryRun: arguments.has("plan"), console: console
      ).perform(user, keptTitle: UndoOutput.keptByAdoption) { isDryRun in
        isDryRun
          ? try await store.dryRunUndoOfAdoption(of: user)
          : try await store.undoAdoption(of: user)
      }
    }
    guard arguments.operands.count == 2 else {
      throw EventLogError.usage(
        "eventlog adopt needs the journal of the user to adopt.", "adopt")
    }
    return try await AdoptionRun(path, store, arguments, console)
      .perform(arguments.operands[1])
  }
}
