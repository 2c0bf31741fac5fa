import EventLog

extension Verb {
  static let serve = Verb(
    name: "serve", summary: "hand a journal out to eventlog on another machine",
    usage: ["serve JOURNAL"], options: [.acceptDevices, .user], wordsMax: 1,
    examples: [
      ("eventlog serve ada.jsonl < /dev/null", "whether it can be started: prints nothing"),
      ("eventlog sync ada.jsonl desk:ada.jsonl", "runs eventlog serve ada.jsonl on desk"),
    ],
    notes: [
      "It is started by eventlog sync through ssh, speaks to it on standard input and output"
        + "\n(Docs/Internals/Protocol.md), and ends with it. It writes the journal under its lock, as any"
        + "\nother process does; where there is none yet, one is made of what comes.",
      "An initiator that brings nothing useful for 10 minutes is left; EVENTLOG_PATIENCE is a tenth"
        + "\nof that, in seconds.",
      "Whoever may log in may read and write the journal. To allow no more than that, put a"
        + "\ncommand before the key in authorized_keys:"
        + "\n  restrict,command=\"eventlog serve ada.jsonl\"",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "serve")
    guard !Terminal.isTerminal(0), !Terminal.isTerminal(1) else {
      throw EventLogError.usage(
        "eventlog serve speaks with another eventlog, not with a person.", "serve",
        hint: "On the other machine: eventlog sync JOURNAL HOST:\(ShellWord.quoted(path))")
    }
    let limits = try PipeLimits.ofEnvironment("serve")
    let channel: DescriptorChannel
    do throws(Errno) {
      channel = try DescriptorChannel(
        reading: FileDescriptor(rawValue: 0), writing: FileDescriptor(rawValue: 1))
    } catch {
      throw EventLogError(.inputOutput, "Could not serve: \(error).", cause: error)
    }
    let options = JournalOptions(user: arguments["user"], devicesMax: arguments.devicesMax)
    try await PipeServer(path: path, options: options, limits: limits).serve(channel)
    return .yes
  }
}
