import EventLog
import Foundation
import Testing

@testable import EventLogCommand

/// The help of the command, whose examples are all run.
@Suite struct HelpTests {
  @Test func `the bare command lists its ten most common verbs in groups`() throws {
    let workplace = try Workplace()
    let run = try workplace.eventlog()
    #expect(run.code == 0 && run.errors.isEmpty)
    let lines = run.text.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("  eventlog ") }.count == 10)
    #expect(
      lines.filter { ["Write", "Read", "Devices", "Health"].contains($0) }.count == 4)
    for arguments in [["help"], ["--help"], ["-h"]] {
      try #expect(workplace.eventlog(arguments).text == run.text)
    }
  }

  @Test(arguments: Verb.all.map(\.name))
  func `every way of asking for a verb's help prints its usage and examples`(name: String) throws {
    let workplace = try Workplace()
    let run = try workplace.eventlog("help", name)
    #expect(run.code == 0 && run.errors.isEmpty)
    #expect(run.text.contains("\nUsage\n  eventlog \(name)"))
    #expect(run.text.contains("\nExamples\n  eventlog \(name)"))
    for line in run.text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    try #expect(workplace.eventlog(name, "--help").text == run.text)
    try #expect(workplace.eventlog(name, "-h").text == run.text)
  }

  @Test func `every example in the help runs`() throws {
    let workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
    let overview = try workplace.eventlog().text.split(separator: "\n")
      .filter { $0.hasPrefix("  eventlog ") }
      .compactMap { $0.dropFirst(2).split(separator: #/ {2,}/#).first.map(String.init) }
    let conflicting = Array(
      try Data(
        contentsOf: BuiltProduct.repository
          .appendingPathComponent("SampleLogs/two-devices.jsonl")))
    // The other machine is a folder of this one.
    try workplace.writeOtherMachine()
    let firebase = try FirebaseServer()
    defer { firebase.stop() }
    let environment = firebase.environment.merging([
      "EVENTLOG_SSH": "sh '\(workplace.file("ssh.sh"))'", "FIREBASE_PASSWORD": "pass-word",
    ]) { $1 }
    let examples = Verb.all.flatMap { $0.examples.map(\.command) }
    #expect(overview.count == 10 && examples.count > 12)
    // Run the examples in the order of the help, because the first one creates the journal. Each
    // group starts with empty folders, because a repeated name would be ambiguous.
    for group in [examples, overview] {
      _ = try workplace.shell(
        "rm -rf *.jsonl *.eventlog *.attachments stick Shared Accounts shared"
          + "; mkdir stick Shared Accounts shared"
      )
      try workplace.write(
        "events.jsonl", "{\"type\":\"settings.changed\",\"data\":{\"theme\":\"light\"}}\n")
      try workplace.write("soup.jpg", "a photo")
      _ = try workplace.shell("eventlog append ben.jsonl --user ben profile.updated firstName=Ben")
      _ = try workplace.shell(
        "eventlog append guest.jsonl --user guest-4k7m2x profile.updated firstName=Ben")
      for example in group {
        // The program after the pipe may be missing.
        var command = String(example.split(separator: " | ")[0])
        if command.hasPrefix("eventlog resolve") {
          // Without the record, this counts as another journal instead of one with a torn tail.
          _ = try workplace.shell("rm -f ada.eventlog/device.json")
          try workplace.write("ada.jsonl", conflicting)
        }
        if command.contains("--follow") || command.contains("--watch") {
          // The command doesn't end by itself, so only check its first output.
          command +=
            " > out & for i in $(seq 1 400); do test -s out && break; sleep 0.05; done\n"
            + "kill $! && test -s out"
        }
        let run = try workplace.shell(command, environment: environment)
        #expect(run.code == 0, "\(example)\n\(run.errorText)")
      }
    }
  }

  @Test func `the version is printed with the journal format`() throws {
    let workplace = try Workplace()
    for word in ["--version", "-V", "version"] {
      let run = try workplace.eventlog(word)
      #expect(
        run.code == 0 && run.text == "eventlog \(EventLogCommand.version), journal format 1\n")
    }
    try #expect(workplace.eventlog("help").text.contains("eventlog --version"))
  }
}
