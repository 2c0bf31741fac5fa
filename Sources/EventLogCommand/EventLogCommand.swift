import EventLog

/// The command `eventlog`.
@main
enum EventLogCommand {
  static func main() {
    Terminal.reserveClosedStreams()
    Terminal.ignoreBrokenPipes()
    // Check first: with lower limits, system libraries trap or hang.
    guard Terminal.hasEnoughMemory else { Terminal.exitForLackOfMemory() }
    if !Terminal.canOpenEnoughFiles { exitForLack(of: "open files", allowing: "ulimit -n 64") }
    if !Terminal.canStartEnoughThreads { exitForLack(of: "threads", allowing: "ulimit -u 4096") }
    Terminal.run { await start(Console()) }
  }

  private static func exitForLack(of what: String, allowing hint: String) -> Never {
    let console = Console()
    console.isJSON = CommandLine.arguments.contains("--json")
    console.report(
      EventLogError(
        .inputOutput, "The system allows this process too few \(what). Nothing was done.",
        hint: "Raise the limit: \(hint)"))
    Terminal.exit(2)
  }

  /// Checks the encoding of the arguments, runs the verb, and returns the exit code.
  private static func start(_ console: Console) async -> Int32 {
    if let position = Terminal.invalidArgument {
      console.report(
        EventLogError(
          usage: "Argument \(position) is not valid UTF-8. Nothing was done.",
          hint: "Convert data in other encodings first, for example with iconv."))
      return 2
    }
    return await run(Array(CommandLine.arguments.dropFirst()), console)
  }

  /// Runs one verb, and returns 0 for success, 1 for a negative answer, or 2 for failure.
  static func run(_ words: [String], _ console: Console) async -> Int32 {
    // Skip a `--` before the verb, where no options are allowed.
    let arguments = words.first == "--" ? Array(words.dropFirst()) : words
    console.isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    console.isQuiet = arguments.prefix { $0 != "--" }.contains("--quiet")
    defer { console.progress.end() }
    do {
      let status = try await dispatch(arguments, console)
      try console.flush()
      return status.rawValue
    } catch let error as EventLogError {
      try? console.flush()
      console.report(error)
      if error.code == .canceled { Terminal.endByInterruption() }
      return 2
    } catch Terminal.WriteFailure.brokenPipe {
      return 0
    } catch let error as Terminal.ReadFailure {
      console.report(
        EventLogError(.inputOutput, "Could not read standard input: \(error.reason)."))
      return 2
    } catch Terminal.WriteFailure.other(let reason) {
      console.report(EventLogError(.inputOutput, "Could not write the result: \(reason)."))
      return 2
    } catch {
      console.report(EventLogError(.inputOutput, "\(error)"))
      return 2
    }
  }

  private static func dispatch(
    _ arguments: [String], _ console: Console
  ) async throws -> Verb.ExitStatus {
    guard let first = arguments.first else {
      try Help.overview(console)
      return .yes
    }
    if ["--help", "-h"].contains(first) {
      try Help.overview(console)
      return .yes
    }
    // These are spellings from other commands; `version` isn't a verb.
    if ["--version", "-V", "version"].contains(first) {
      try console.print(
        console.isJSON
          ? JSONValue.sorted([
            .init(name: "format", value: .count(1)),
            .init(name: "version", value: .string(version)),
          ]).text : "eventlog \(version), journal format 1")
      return .yes
    }
    guard let verb = Verb.all.first(where: { $0.name == first }) else {
      let near = Suggestion.nearest(to: first, among: Verb.all.map(\.name))
      throw EventLogError(
        usage: "Unknown verb \"\(first)\".",
        hint: near.map { "Did you mean eventlog \($0)?" } ?? "eventlog help lists the verbs.")
    }
    if arguments.dropFirst().prefix(while: { $0 != "--" }).contains(where: {
      $0 == "--help" || $0 == "-h"
    }) {
      try Help.page(verb, console)
      return .yes
    }
    let parsed = try Arguments(arguments.dropFirst(), for: verb)
    if let most = verb.operandsMax, parsed.operands.count > most {
      throw EventLogError.usage(
        "Unexpected word \"\(parsed.operands[most])\".", verb.name)
    }
    console.context = parsed.context
    defer { if let note = parsed.schemaNotes.text { console.note(note) } }
    do { return try await verb.run(parsed, console) } catch let error as EventLogError {
      throw error.advised(verb.name, parsed)
    }
  }

  static let version = "0.1.0"
}
