import EventLog
import EventLogAttachments

extension Verb {
  static let attachments = Verb(
    name: "attachments", summary: "list photos and files, check them, and fetch missing ones",
    usage: ["attachments JOURNAL [REMOTE …]", "attachments JOURNAL [REMOTE …] --release [--plan]"],
    options: [
      OptionSpec("fetch", nil, "fetch what is missing or damaged from the remotes"),
      OptionSpec("restore", nil, "read what is at the remotes, and replace what is damaged there"),
      OptionSpec("check", nil, "check the bytes of each file against its SHA-256"),
      OptionSpec("release", nil, "remove what nothing names any more, here and at the remotes"),
      OptionSpec("plan", nil, "only print what --release would do"),
      .user, .schema, .json,
    ],
    examples: [
      ("eventlog attachments ada.jsonl", "the files that the state names, the newest first"),
      ("eventlog attachments ada.jsonl --check", "exits with 1 if one is damaged or missing"),
      ("eventlog attachments ada.jsonl --release --plan", "what is no longer needed"),
    ],
    notes: [
      "A file is in the folder NAME.attachments beside NAME.jsonl, named by the SHA-256 of its"
        + "\nbytes. Values of deleted entities, and all values of conflicts, are listed, too.",
      "eventlog sync sends files to folders, clouds and other journals, and fetches them from"
        + "\nthere. --fetch asks the REMOTEs, or else those that eventlog sync remembers.",
      "--release appends an event for each file that no value names any more, and removes a file"
        + "\nonce each device has written an event after seeing that. Devices that have written"
        + "\nnothing for a year don't count. Sync before and after it.",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "attachments")
    if arguments.has("release") {
      return try await AttachmentTransfer.release(arguments, path, console)
    }
    if arguments.has("plan") {
      throw EventLogError.usage("--plan needs --release.", "attachments")
    }
    if arguments.operands.count > 1, !arguments.has("fetch"), !arguments.has("restore") {
      throw EventLogError.usage("A REMOTE needs --fetch or --restore.", "attachments")
    }
    let state = try Verb.state(of: path, arguments, console, "attachments")
    var list = AttachmentList(
      uses: state.attachmentUses,
      folder: AttachmentFolder(beside: path, fileSystem: console.progress.fileSystem))
    if arguments.has("check") { try list.check() }
    if arguments.has("fetch") || arguments.has("restore") {
      let transfer = try AttachmentTransfer(arguments, path, console)
      if arguments.has("restore") { try await transfer.restore() }
      if arguments.has("fetch") { try await transfer.fetch(for: &list) }
    }
    console.progress.end()
    try list.print(beside: path, console)
    let mustBeWhole = arguments.has("check") || arguments.has("fetch")
    if !mustBeWhole { return .yes }
    if !list.isWhole { return .no }
    if list.folder.mayBeNamed(in: path) {
      try Console.refuse(
        unknown: state.unknownNames, in: path, "attachments", "All others are here.")
    }
    return .yes
  }
}
