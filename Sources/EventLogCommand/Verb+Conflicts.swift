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
    operandsMax: 1,
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
      try Console.refuse(unknown: unknown, in: path, "conflicts", "It found no others.")
    }
    if console.isJSON {
      try console.print(writing: { snapshot.writeJSON(sections: ["conflicts"], to: $0) })
    } else if conflicts.isEmpty {
      try console.print("\(path): \(Console.noConflicts(exceptIn: unknown)).")
    } else {
      for conflict in conflicts {
        // A past conflict may be resolved by now, so print no commands for it.
        try ConflictReport(conflict: conflict, console: console)
          .print(
            resolvingIn: try arguments.cut("conflicts") == nil ? path : nil,
            side: snapshot.sideOfUsers)
      }
    }
    return arguments.has("check") && !conflicts.isEmpty ? .no : .yes
  }
}

extension Snapshot {
  /// Returns "account" or "guest" for the writer of an event; nil if the journal adopted no guest.
  var sideOfUsers: ((FullEventID) -> String)? {
    adoptedUsers.isEmpty ? nil : { isAdopted($0) ? "guest" : "account" }
  }
}
