import EventLog
import EventLogAttachments
import EventLogPipe

extension Verb {
  static let serve = Verb(
    name: "serve", summary: "serve a journal to eventlog on another machine",
    usage: ["serve JOURNAL"], options: [.acceptDevices, .user], operandsMax: 1,
    examples: [
      ("eventlog serve ada.jsonl < /dev/null", "checks that it can start; prints nothing"),
      ("eventlog sync ada.jsonl desk:ada.jsonl", "runs eventlog serve ada.jsonl on desk"),
    ],
    notes: [
      "eventlog sync starts it through ssh, talks to it on standard input and output"
        + "\n(Docs/Internals/Protocol.md), and ends it. Like any other process, it writes the"
        + "\njournal under its lock. If there is none yet, the received events create one.",
      "It also serves the photos and files beside the journal.",
      "It disconnects an initiator that sends nothing useful for 10 minutes, or for 10 times"
        + "\nEVENTLOG_PATIENCE seconds.",
      "Anyone who can log in can read and write the journal. To allow nothing else, put a command"
        + "\nbefore the key in authorized_keys:"
        + "\n  restrict,command=\"eventlog serve ada.jsonl\"",
    ]
  ) { arguments, console in
    let path = try Verb.journal(arguments, "serve")
    guard !Terminal.isTerminal(0), !Terminal.isTerminal(1) else {
      throw EventLogError.usage(
        "eventlog serve talks to another eventlog, not to a person.", "serve",
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
    let server = PipeServer(path: path, options: options, limits: limits) { options in
      JournalContents(beside: path, options: options)
    }
    try await server.serve(channel)
    return .yes
  }
}
