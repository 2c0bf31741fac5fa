import EventLogTesting
import Foundation
import Testing

/// The output of the command when a signal ends it.
@Suite(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")))
struct InterruptTests {
  private let workplace: Workplace

  init() throws { workplace = try Workplace() }

  /// Waits until a process catches SIGTERM.
  private static let untilCaught = """
    caught() { sed -n 's/^SigCgt:.*\\(........\\)$/\\1/p' /proc/$command/status; }
    until [ $((0x$(caught) & 0x4000)) != 0 ]; do sleep 0.02; done
    """

  /// Runs a command that waits for its input, and sends it a signal once it catches signals.
  private func interrupt(_ command: String, by signal: String = "TERM") throws -> Workplace.Run {
    try workplace.shell(
      """
      mkfifo input; sleep 1000 > input & waiting=$!
      \(command) < input & command=$!
      \(Self.untilCaught)
      kill -\(signal) $command; wait $command; code=$?
      kill $waiting; exit $code
      """)
  }

  @Test func `an append interrupted before it writes reports that nothing was written`() throws {
    let run = try interrupt("eventlog append a.jsonl --user ada -")
    #expect(run.code == 143)
    // The shell adds its own message.
    #expect(run.errorText.hasPrefix("Error: The command was interrupted. Nothing was written.\n"))
    #expect(try workplace.shell("ls").text == "input\n")
  }

  @Test func `with --json an interruption is an error object`() throws {
    let run = try interrupt("eventlog append a.jsonl --user ada - --json", by: "HUP")
    #expect(run.code == 129)
    #expect(
      run.errorText.hasPrefix(
        #"{"error":{"code":"canceled","message":"The command was interrupted."#
          + #" Nothing was written."}}"# + "\n"))
  }

  @Test func `a command that ignores hangups continues after one`() throws {
    let run = try workplace.shell(
      """
      mkfifo input; sleep 1000 > input & waiting=$!
      nohup eventlog append a.jsonl --user ada - < input & command=$!
      \(Self.untilCaught)
      kill -HUP $command; kill -TERM $command; wait $command; echo $?
      kill $waiting
      """)
    #expect(run.text.hasSuffix("143\n"))
  }
}
