import EventLog

extension Verb {
  static let sync = Verb(
    name: "sync", summary: "replicate with another place, both ways",
    usage: ["sync JOURNAL [REMOTE …]"],
    options: [
      OptionSpec("plan", nil, "say what would be done, and do none of it"),
      OptionSpec(
        "check", nil, "with --plan: answer by the exit code, 1 if there is something to do"),
      OptionSpec("pull", nil, "only take"), OptionSpec("push", nil, "only give"),
      OptionSpec("watch", nil, "go on: sync again whenever something changes"),
      OptionSpec("forget", nil, "forget the remotes instead"),
      .acceptDevices,
      .user, .schema, .json,
    ],
    examples: [
      ("eventlog sync ada.jsonl stick/ada.jsonl", "with another copy of the journal"),
      ("eventlog sync ada.jsonl Shared", "with a folder that several devices share"),
      ("eventlog sync ada.jsonl desk:ada.jsonl", "with a journal on another machine, by ssh"),
      ("eventlog sync ada.jsonl", "with all remotes that it was synced with"),
      ("eventlog sync new.jsonl Shared", "begins a journal on a second device"),
      ("eventlog sync ada.jsonl --plan", "what would cross, and which conflicts would arise"),
      ("eventlog sync ada.jsonl --watch", "keeps the remotes in sync until it is interrupted"),
    ],
    notes: [
      "REMOTE is a journal (a path that ends in .jsonl), a folder (any other path), or a journal on"
        + "\nanother machine: host:path from the home folder there, or ssh://user@host:port/path."
        + "\nOne letter before a colon is a drive, and no host: ssh://h/~/path for a host h."
        + "\nIt is remembered; --forget forgets it.",
      "Another machine is reached by ssh, and needs eventlog too. EVENTLOG_SSH names another"
        + "\nprogram, with arguments; EVENTLOG_REMOTE_COMMAND says where eventlog is there. A run"
        + "\nends when nothing useful comes from there for EVENTLOG_PATIENCE seconds (60).",
      "Each side takes the events that it lacks, of all devices, as they stand, and checks them"
        + "\ncompletely first. Running it again, or twice at once, changes nothing; what an"
        + "\ninterrupted run has taken stays.",
      "--watch syncs after each append, when a folder or journal that is a remote changes, and once"
        + "\na minute. A remote that fails is tried again, after up to 5 minutes.",
      "Edits that did not know of each other become conflicts: nothing is overwritten."
        + "\nThe exit code is 1 if something was left out because one side would not take it.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "sync")
    if arguments.has("forget") { return try SyncForgetting.run(arguments, path: path, console) }
    if arguments.has("watch") { return try await SyncWatch(arguments, path, console).perform() }
    return try await SyncRun(arguments, path: path, console).perform()
  }
}
