import EventLog

extension Verb {
  static let sync = Verb(
    name: "sync", summary: "replicate with another copy, in both directions",
    usage: ["sync JOURNAL [REMOTE …]"],
    options: [
      OptionSpec("plan", nil, "only print what a sync would do"),
      OptionSpec(
        "check", nil, "with --plan: exit with 1 if there is something to do"),
      OptionSpec("pull", nil, "only pull events"), OptionSpec("push", nil, "only push events"),
      OptionSpec("watch", nil, "keep running: sync again whenever something changes"),
      OptionSpec("attachments", "WHICH", "fetch all files (default), none, or a number of bytes"),
      OptionSpec("forget", nil, "forget the remotes instead of syncing"),
      .acceptDevices,
      .user, .schema, .json,
    ],
    examples: [
      ("eventlog sync ada.jsonl stick/ada.jsonl", "with another copy of the journal"),
      ("eventlog sync ada.jsonl Shared", "with a folder that several devices share"),
      ("eventlog sync ada.jsonl desk:ada.jsonl", "with a journal on another machine, over ssh"),
      ("eventlog sync ada.jsonl", "with all remembered remotes"),
      ("eventlog sync new.jsonl Shared", "creates the journal on a second device"),
      (
        "eventlog sync ada.jsonl --plan",
        "what would be transferred, and which conflicts would arise"
      ),
      ("eventlog sync ada.jsonl --watch", "keeps the remotes in sync until it is interrupted"),
    ],
    notes: [
      "REMOTE is a journal (a file, or a new path that ends in .jsonl), a folder (any other path),"
        + "\nor a journal on another machine: host:path, from the home folder there, or"
        + "\nssh://user@host:port/path."
        + "\nOne letter before a colon is a drive, not a host; for a host h, use ssh://h/~/path."
        + "\nThe remote is remembered until --forget.",
      "Another machine is reached over ssh, and needs eventlog too. EVENTLOG_SSH sets another"
        + "\nprogram, with its arguments, and EVENTLOG_REMOTE_COMMAND the path of eventlog there."
        + "\nA sync gives up after EVENTLOG_PATIENCE seconds (default 60) without anything useful.",
      "In a cloud, it is s3://BUCKET/PREFIX, firestore://PROJECT/USER, davs://HOST/PATH or"
        + "\ncloudkit://CONTAINER/ENVIRONMENT. Secrets come from where the cloud's own tools look:"
        + "\nAWS variables and ~/.aws, or ~/.netrc. For Firestore, eventlog login keeps a sign-in.",
      "Each side receives the events that it is missing, of all devices, byte for byte, and checks"
        + "\nthem completely first. Running it again, or twice at once, changes nothing. Events"
        + "\nreceived before an interruption are kept.",
      "--watch syncs after each append, when a remote folder or journal changes, and once a minute."
        + "\nA remote that fails is retried, after at most 5 minutes.",
      "Photos and files follow the events; over ssh, with a second login. --attachments BYTES"
        + "\nfetches the newest ones as long as those here have at most so many bytes together, and"
        + "\nremoves the least recently used ones here, if a folder or cloud has proved to have"
        + "\nthem; --attachments none neither sends nor fetches.",
      "Concurrent edits become conflicts; nothing is overwritten."
        + "\nThe exit code is 1 if one side refused some of the events, or if files failed.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "sync")
    if arguments.has("forget") { return try SyncForgetting.run(arguments, path: path, console) }
    if arguments.has("watch") { return try await SyncWatch(arguments, path, console).perform() }
    return try await SyncRun(arguments, path: path, console).perform()
  }
}
