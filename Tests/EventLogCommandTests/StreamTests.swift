import EventLog
import Foundation
import Testing

/// Results on standard output, everything else on standard error, and reliable exit codes.
@Suite struct StreamTests {
  private let workplace: Workplace

  init() throws {
    workplace = try Workplace()
    try workplace.copy(folder: "SampleLogs")
  }

  // MARK: - Pipes and closed streams

  @Test func `a reader that closes the pipe causes no error`() throws {
    for arguments in ["replay", "replay --json", "project --json", "project", "verify", "status"] {
      let verb = arguments.split(separator: " ")[0]
      let rest = arguments.dropFirst(verb.count)
      let run = try workplace.shell(
        "(eventlog \(verb) SampleLogs/ada.jsonl\(rest); echo $? > code) | head -c 1; cat code")
      #expect(run.text.hasSuffix("0\n") && run.errors.isEmpty, "\(arguments): \(run.errorText)")
    }
  }

  @Test func `a replay longer than a pipe's buffer stops with its reader`() throws {
    let lines = (0..<3000).map { "{\"type\":\"settings.changed\",\"data\":{\"note\":\($0)}}\n" }
    try workplace.write("many", lines.joined())
    let run = try workplace.shell(
      """
      eventlog append big.jsonl --user ada --device laptop - < many > appended
      (eventlog replay big.jsonl; echo $? > code) | head -n 1 | cut -d ' ' -f 5
      cat code
      """)
    #expect(run.text == "device.joined\n0\n" && run.errors.isEmpty, "\(run.text)\(run.errorText)")
  }

  @Test func `a nonblocking pipe receives the complete output`() throws {
    let text = String(repeating: "note ", count: 100)
    let lines = (0..<1000).map {
      #"{"type":"settings.changed","data":{"n\#($0)":"\#(text)"}}"# + "\n"
    }
    try workplace.write("many", lines.joined())
    let run = try workplace.shell("eventlog append big.jsonl --user ada --device d - < many > ids")
    try #require(run.code == 0)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(BuiltProduct.path))
    process.arguments = ["replay", workplace.file("big.jsonl"), "--json"]
    let output = Pipe()
    let writing = output.fileHandleForWriting.fileDescriptor
    try #require(fcntl(writing, F_SETFL, fcntl(writing, F_GETFL) | O_NONBLOCK) == 0)
    process.standardOutput = output
    try process.run()
    // Let the pipe fill before reading from it.
    Thread.sleep(forTimeInterval: 0.2)
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    #expect(process.reap().code == 0)
    #expect(Array(bytes) == (try workplace.read("big.jsonl")))
  }

  @Test func `a closed stream is reported and never written to a journal`() throws {
    try workplace.follow(
      """
      $ eventlog append ada.jsonl --user ada --device laptop habit.created read >&-
      ! Error: 1 event (laptop-aaaaaaa2:2) was appended and is durable; only the output could not \
      be written: Bad file descriptor.
      ! Hint: Do not run it again, or it will be written twice.
      ? 2
      $ eventlog append ada.jsonl habit.edited read name=x <&- >&- 2>&-
      ? 2
      $ eventlog append ada.jsonl - <&-
      ! Error: Could not read standard input: Bad file descriptor.
      ? 2
      $ eventlog verify ada.jsonl | grep -c sound
      1
      """)
  }

  // MARK: - Exit codes

  @Test func `verify of several files exits with 1 if one is damaged`() throws {
    try workplace.follow(
      """
      $ cd SampleLogs && eventlog verify ada.jsonl loop.jsonl | cut -d , -f 1
      ada.jsonl: sound
      loop.jsonl: sound
      $ cd SampleLogs && eventlog verify ada.jsonl damaged.jsonl > /dev/null
      ? 1
      $ cd SampleLogs && eventlog verify damaged.jsonl missing.jsonl > /dev/null
      ! Error: There is no journal at "missing.jsonl".
      ! Hint: Check the path, or create a journal: append with --user NAME.
      ? 2
      """)
  }

  @Test func `misspelled verbs, types, options and sections get suggestions`() throws {
    try workplace.follow(
      """
      $ eventlog porject SampleLogs/ada.jsonl
      ! Error: Unknown verb "porject".
      ! Hint: Did you mean eventlog project?
      ? 2
      $ eventlog frobnicate
      ! Error: Unknown verb "frobnicate".
      ! Hint: eventlog help lists the verbs.
      ? 2
      $ eventlog help apend
      ! Error: Unknown verb "apend".
      ! Hint: Did you mean eventlog help append?
      ? 2
      $ eventlog project SampleLogs/ada.jsonl habbits
      ! Error: Unknown section "habbits".
      ! Hint: Did you mean habits?
      ? 2
      $ eventlog project SampleLogs/ada.jsonl garden
      ! Error: Unknown section "garden".
      ! Hint: The sections are profile, settings, habits, completions, foods, weights, \
      useByItems, hydration, fastingPlans, fasts, reactions, favourites, allergens, recipes, \
      conflicts; --schema FILE declares those of an app.
      ? 2
      $ eventlog types completion.record
      ! Error: Unknown type "completion.record".
      ! Hint: Did you mean completion.recorded?
      ? 2
      $ eventlog replay SampleLogs/ada.jsonl --lsat 3
      ! Error: eventlog replay has no option --lsat.
      ! Hint: Did you mean --last?
      ? 2
      $ eventlog replay SampleLogs/ada.jsonl --last many
      ! Error: --last takes a whole number from 0 to 9223372036854775807.
      ! Hint: eventlog help replay shows its usage.
      ? 2
      $ eventlog replay SampleLogs/ada.jsonl --last 99999999999999999999
      ! Error: --last takes a whole number from 0 to 9223372036854775807.
      ! Hint: eventlog help replay shows its usage.
      ? 2
      $ eventlog replay SampleLogs/ada.jsonl --last 1 --last 2
      ! Error: --last is given twice.
      ! Hint: eventlog help replay shows its usage.
      ? 2
      $ eventlog status SampleLogs/ada.jsonl SampleLogs/loop.jsonl
      ! Error: Unexpected word "SampleLogs/loop.jsonl".
      ! Hint: eventlog help status shows its usage.
      ? 2
      $ eventlog replay SampleLogs/ada.jsonl --type habit.renamed
      ! Note: No event in SampleLogs/ada.jsonl has the type habit.renamed. Did you mean \
      habit.created?
      $ eventlog replay SampleLogs/ada.jsonl --type 'habt.*'
      ! Note: No event in SampleLogs/ada.jsonl has the type habt.*. Did you mean habit.*?
      """)
  }

  // MARK: - Color

  @Test func `output to a file or pipe has no color`() throws {
    for arguments in ["project", "replay", "status", "verify"] {
      let run = try workplace.eventlog(arguments, "SampleLogs/two-devices.jsonl")
      #expect(run.code == 0 && !run.output.contains(0x1B) && !run.errors.contains(0x1B))
    }
  }

  @Test(.enabled(if: Machine.hasTerminal, "no terminal can be made here"))
  func `output to a terminal has color unless disabled`() throws {
    func run(_ settings: String) throws -> String {
      try workplace.shell(
        "\(settings) script -qec 'eventlog project SampleLogs/two-devices.jsonl' /dev/null"
      ).text
    }
    let colored = try run("TERM=xterm")
    #expect(colored.contains("\u{1B}[1mHabits\u{1B}[0m"))
    #expect(try !run("TERM=xterm NO_COLOR=1").contains("\u{1B}["))
    #expect(try !run("TERM=dumb").contains("\u{1B}["))
    // Color doesn't change the columns.
    let plain = try run("TERM=dumb")
    #expect(colored.replacing(#/\u{1B}\[[0-9]+m/#, with: "") == plain)
  }
}
