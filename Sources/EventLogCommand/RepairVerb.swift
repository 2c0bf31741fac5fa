import EventLog

extension Verb {
  static let repair = Verb(
    name: "repair", summary: "take what is missing from another copy, or accept its loss",
    usage: ["repair JOURNAL", "repair JOURNAL --from OTHER", "repair JOURNAL --accept-loss"],
    options: [
      OptionSpec("from", "OTHER", "another copy: a journal, a folder, a machine"),
      OptionSpec(
        "accept-loss", nil, "say that nobody has what is missing: it is a problem no more"),
      .acceptDevices, .user, .json,
    ],
    wordsMax: 1,
    examples: [
      ("eventlog repair ada.jsonl --from stick/ada.jsonl", "takes what is missing from a copy"),
      ("eventlog repair ada.jsonl", "from all that the journal is synced with"),
      ("eventlog repair ada.jsonl --accept-loss", "goes on without what nobody has any more"),
    ],
    notes: [
      "What comes is appended: damaged bytes stay where they are, and no byte of the journal is"
        + "\nchanged, except that a torn end is put aside. A sync brings the same; a repair also"
        + "\nasks again as long as that helps, and gives nothing.",
      "--accept-loss writes an event that tells all devices not to expect the missing events any"
        + "\nmore. Should one of them turn up after all, it is taken like any other.",
      "Each remote is asked, even if another cannot be reached; the exit code is 2 then, and else 1"
        + "\nif something is still missing.",
    ]
  ) { arguments, console in
    try await RepairRun(arguments, console).perform()
  }
}
