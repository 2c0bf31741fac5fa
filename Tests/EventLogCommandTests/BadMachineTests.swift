import EventLog
import Foundation
import Testing

/// Error messages and the state of the journal if another machine can't be reached, doesn't follow
/// the protocol, or fails during a sync.
@Suite struct BadMachineTests {
  private let workplace: Workplace
  private let environment: [String: String]

  init() throws {
    workplace = try Workplace()
    environment = try workplace.writeOtherMachine()
    try workplace.follow(
      "$ eventlog append a.jsonl --user ada --device phone settings.changed theme=dark > id")
  }

  private func sync(
    _ addresses: String..., through ssh: String? = nil, with more: [String: String] = [:]
  ) throws -> Workplace.Run {
    var environment = environment.merging(more) { $1 }
    if let ssh { environment["EVENTLOG_SSH"] = ssh }
    let arguments = addresses.isEmpty ? ["desk:ada.jsonl"] : addresses
    return try workplace.eventlog(["sync", "a.jsonl"] + arguments, environment: environment)
  }

  private func expectFailure(
    _ message: String, hint: String? = nil, through ssh: String? = nil,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try workplace.read("a.jsonl")
    let run = try sync(through: ssh ?? "./ssh")
    #expect(run.code == 2 && run.text.isEmpty, sourceLocation: location)
    let text = "Error: \(message)\n" + (hint.map { "Hint: \($0)\n" } ?? "")
    #expect(run.errorText == text, sourceLocation: location)
    #expect(try workplace.read("a.jsonl") == before, sourceLocation: location)
  }

  @Test func `a machine that can't be reached is reported with the output of ssh`() throws {
    try workplace.script("ssh", "echo 'ssh: Could not resolve hostname desk' >&2; exit 255")
    try expectFailure(
      "\"desk:ada.jsonl\" could not be reached. It said: \"ssh: Could not resolve hostname desk\"."
        + " Nothing was changed.",
      hint: "Check the address, and that ssh can reach the machine.")
  }

  @Test func `a missing eventlog command on the other machine is reported`() throws {
    try workplace.script("ssh", "echo 'sh: eventlog: not found' >&2; exit 127")
    try expectFailure(
      "\"desk:ada.jsonl\" could not be served: the eventlog command was not found there. It said:"
        + " \"sh: eventlog: not found\". Nothing was changed.",
      hint: "Install eventlog there, or set EVENTLOG_REMOTE_COMMAND to its path.")
  }

  @Test func `a missing ssh program is reported`() throws {
    try expectFailure(
      "\"desk:ada.jsonl\" could not be reached: \"./none\" could not be started: No such file or"
        + " directory. Nothing was changed.",
      hint: "Install it, or specify another program.", through: "./none")
  }

  @Test func `a login that prints text is reported as outside the protocol`() throws {
    try workplace.script("ssh", "echo 'Welcome to desk!'; cat > /dev/null")
    try expectFailure(
      "\"desk:ada.jsonl\" sent something that is not the eventlog protocol:"
        + " \"Welcome to desk!\". Nothing was changed.",
      hint: "The program there must serve a journal, and nothing else may print anything: check"
        + " what a login prints.")
  }

  @Test func `a program that doesn't follow the protocol is reported`() throws {
    try expectFailure(
      "\"desk:ada.jsonl\" closed the connection before it answered (exit code 3). Nothing was"
        + " changed.",
      hint: "Check that the command runs there.", through: "sh -c 'exit 3'")
    try expectFailure(
      "\"desk:ada.jsonl\" sent an unexpected \"hello\". Nothing was changed.",
      hint: "The program there must serve a journal, and nothing else may print anything: check"
        + " what a login prints.", through: "sh -c 'exec cat'")
    try expectFailure(
      "\"desk:ada.jsonl\" sent a message longer than the protocol allows. Nothing was changed.",
      hint: "The program there must serve a journal, and nothing else may print anything: check"
        + " what a login prints.", through: "sh -c 'exec cat /dev/zero'")
  }

  @Test func `a machine that sends nothing useful is abandoned after a configurable time`() throws {
    try workplace.script(
      "ssh",
      """
      read hello; echo '{"welcome":{"protocol":1}}'
      while echo '{"wait":{"done":1}}'; do echo busy >&2; done
      """)
    var environment = ["EVENTLOG_SSH": "./ssh", "EVENTLOG_PATIENCE": "1"]
    let run = try workplace.eventlog(
      ["sync", "a.jsonl", "desk:ada.jsonl"], environment: environment)
    #expect(run.code == 2)
    #expect(
      run.errorText == """
        Error: "desk:ada.jsonl" sent nothing useful for 1 s. Nothing was changed.
        Hint: Run it again to continue.

        """)
    for text in ["0", "soon", "-1", "1.5", "86401"] {
      environment["EVENTLOG_PATIENCE"] = text
      for arguments in [["sync", "a.jsonl", "desk:ada.jsonl"], ["serve", "a.jsonl"]] {
        let run = try workplace.eventlog(arguments, environment: environment)
        #expect(run.code == 2)
        #expect(
          run.errorText == """
            Error: EVENTLOG_PATIENCE is "\(text)", which is not a valid number of seconds.
            Hint: Set it to a number of seconds from 1 to 86400.

            """)
      }
    }
  }

  @Test func `an error of the other side is reported unchanged`() throws {
    try workplace.follow("$ mkdir far")
    try workplace.write("far/ada.jsonl", "no journal\n")
    let run = try sync()
    #expect(run.code == 2)
    #expect(
      run.errorText == """
        Error: "desk:ada.jsonl" reports: "ada.jsonl" is not a journal: it contains no events. \
        It was not changed.
        Hint: Check the path.

        """)
    #expect(try workplace.read("far/ada.jsonl") == Array("no journal\n".utf8))
  }

  @Test func `a machine that fails doesn't prevent syncing with others`() throws {
    let run = try sync("desk:none/ada.jsonl", "desk:ada.jsonl")
    #expect(run.code == 2)
    #expect(run.text.contains("pushed  2 events"))
    #expect(run.errorText.contains("Could not sync with desk:none/ada.jsonl"))
  }

  @Test func `a host name is never treated as an option`() throws {
    for word in ["-oProxyCommand=id:a", "ssh://-oProxyCommand=id/a", "$(id):a"] {
      let run = try workplace.shell("eventlog sync a.jsonl -- '\(word)'")
      #expect(run.code == 2 && run.errorText.contains("is not a remote"), "\(word)")
    }
  }

  // MARK: - Interruptions

  @Test func `a signal ends a sync, its child process and the command`() throws {
    // The program reads no input and prints nothing.
    try workplace.script("ssh", "echo $$ > process; exec sleep 1000")
    let run = try workplace.shell(
      """
      eventlog sync a.jsonl desk:ada.jsonl & sync=$!
      until [ -s process ]; do sleep 0.02; done
      kill -TERM $sync; wait $sync; echo $?
      kill -0 $(cat process) 2> errors && echo "is still there"
      """, environment: ["EVENTLOG_SSH": "./ssh"])
    #expect(run.text == "143\n")
    #expect(run.errorText.hasPrefix("Error: The sync was canceled. Nothing was"))
  }
}
