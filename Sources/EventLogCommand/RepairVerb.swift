import EventLog

extension Verb {
  static let repair = Verb(
    name: "repair", summary: "refill what is missing from another copy, settle forks",
    usage: ["repair JOURNAL", "repair JOURNAL --from OTHER", "repair JOURNAL --abandon"],
    options: [
      OptionSpec("from", "OTHER", "another copy: a journal, a folder, a machine"),
      OptionSpec(
        "abandon", nil,
        "give up what no copy can give back; all that is left is kept under fresh IDs"),
      OptionSpec("user", "NAME", "whose journal it is, where the line that says so is damaged"),
      .json,
    ],
    wordsMax: 1,
    examples: [
      ("eventlog repair ada.jsonl --from stick/ada.jsonl", "takes what is missing from a copy"),
      ("eventlog repair ada.jsonl --abandon", "goes on without what nobody has any more"),
    ],
    notes: [
      "Without an option, it uses the remotes that the journal is synced with, and puts in order"
        + "\nwhat needs no other copy. Nothing is thrown away: what is taken out of the journal is"
        + "\nput in its quarantine.",
      "A fork is one ID for two events: two copies went on under one device ID. The event with the"
        + "\nsmaller crc keeps it, and what follows it; the others are written again under a fresh"
        + "\ndevice ID. So both are kept, on every device alike, whoever repairs first.",
      "Each remote is asked, even if another cannot be reached; the exit code is 2 then, and 1 if"
        + "\nsomething is left to repair.",
    ]
  ) { arguments, console in
    try await RepairRun(arguments, console).perform()
  }
}
