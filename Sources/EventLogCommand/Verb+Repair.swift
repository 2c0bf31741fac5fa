import EventLog

extension Verb {
  static let repair = Verb(
    name: "repair", summary: "fetch what is missing from another copy, or accept its loss",
    usage: ["repair JOURNAL", "repair JOURNAL --from OTHER", "repair JOURNAL --accept-loss"],
    options: [
      OptionSpec(
        "from", "OTHER", "another copy: a journal, a folder, or a journal on another machine"),
      OptionSpec(
        "accept-loss", nil, "give up what is missing: it no longer counts as a problem"),
      OptionSpec("attachments", "WHICH", "fetch all files (default), none, or a number of bytes"),
      .acceptDevices, .user, .schema, .json,
    ],
    operandsMax: 1,
    examples: [
      ("eventlog repair ada.jsonl --from stick/ada.jsonl", "fetches what is missing from a copy"),
      ("eventlog repair ada.jsonl", "from all remotes of the journal"),
      ("eventlog repair ada.jsonl --accept-loss", "gives up what no copy has any more"),
    ],
    notes: [
      "Fetched events are appended. Damaged bytes stay where they are, and no byte of the journal"
        + "\nchanges, except that a damaged end is moved to the quarantine folder. A sync fetches"
        + "\nthe same events; a repair also asks again as long as that helps, and pushes nothing.",
      "Photos and files whose content is missing or damaged here are fetched, too, from folders,"
        + "\nclouds and other journals. One that can't be fetched is reported, and doesn't end"
        + "\nthe repair of the others.",
      "--accept-loss writes an event that tells all devices to stop expecting the missing events."
        + "\nIf one of them turns up after all, it is accepted like any other.",
      "All remotes are asked, even if one cannot be reached; then the exit code is 2. Otherwise it"
        + "\nis 1 if something is still missing.",
    ]
  ) { arguments, console in
    try await RepairRun(arguments, console).perform()
  }
}
