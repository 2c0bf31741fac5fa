import EventLog
import EventLogTesting

/// Three journals of one user, a shared folder, and their expected events.
final class KillWorld {
  let sandbox: Sandbox
  let command: Command
  var random: SplitMix64
  var tally: KillTally
  let seed: UInt64

  /// The marks of acknowledged events, which all journals must contain at the end.
  var acknowledged: Set<String> = []
  /// The marks of each append that was killed before it acknowledged anything.
  private var unacknowledged: [[String]] = []
  /// The marks that each journal has held, which must not vanish.
  var held: [String: Set<String>] = [:]
  /// The journals whose last sync with the folder was killed: it may announce missing events.
  var cutOff: Set<String> = []
  private var markCount = 0
  /// The marks that each account in the folder of accounts has adopted.
  var accounts: [String: Set<String>] = [:]

  static let journals = ["a.jsonl", "b.jsonl", "far/c.jsonl"]
  private static let devices = ["phone", "tablet", "desk"]

  init(command: Command, seed: UInt64, tally: KillTally) throws {
    sandbox = try Sandbox()
    self.command = command
    self.seed = seed
    self.tally = tally
    random = SplitMix64(seed: seed)
    self.tally.worldCount += 1
    for journal in Self.journals { try append(1, to: journal, .none) }
    try expectSuccess(["sync", "a.jsonl", "b.jsonl", "Shared", "desk:c.jsonl"])
  }

  // MARK: - Runs

  func run(
    _ arguments: [String], input: String = "", fault: Command.Fault = .none,
    as program: Command.Program = .eventlog
  ) throws -> Command.Ending {
    let ending = try command.run(arguments, in: sandbox, input: input, fault: fault, as: program)
    tally.executionCount += 1
    let text = arguments.joined(separator: " ")
    if ending.isHanging { addFinding("hangs: \(text)") }
    if ending.isTrap { addFinding("trap, signal \(ending.signal): \(text)") }
    if ending.strays > 0 { addFinding("\(ending.strays) processes remain: \(text)") }
    return ending
  }

  func addFinding(_ text: String) { tally.addFinding("seed \(seed): \(text)") }

  /// Runs the command undisturbed and expects success.
  @discardableResult
  func expectSuccess(
    _ arguments: [String], input: String = "", as program: Command.Program = .eventlog
  ) throws -> Command.Ending {
    let ending = try run(arguments, input: input, as: program)
    if ending.code != 0 {
      addFinding("exit \(ending.code): \(arguments.joined(separator: " ")): \(ending.errors)")
    }
    return ending
  }

  // MARK: - Appends

  /// Appends events with new marks in one call.
  @discardableResult
  func append(_ count: Int, to journal: String, _ fault: Command.Fault) throws -> Command.Ending {
    let marks = newMarks(count)
    let device = Self.devices[Self.journals.firstIndex(of: journal) ?? 0]
    var arguments = ["append", journal, "--user", "ada", "--device", device]
    var input = ""
    if count == 1 {
      arguments += ["settings.changed", "mark=\(marks[0])"]
    } else {
      arguments.append("-")
      let padding = String(repeating: "x", count: Int.random(in: 0...300, using: &random))
      for mark in marks {
        input +=
          #"{"type":"settings.changed","data":{"mark":"\#(mark)","pad":"\#(padding)"}}"# + "\n"
      }
    }
    let ending = try run(arguments, input: input, fault: fault)
    // Output is printed only after all events are durable.
    if ending.code == 0 || !ending.output.isEmpty {
      acknowledged.formUnion(marks)
      held[journal, default: []].formUnion(marks)
      tally.acknowledgedCount += count
    } else {
      unacknowledged.append(marks)
      if !ending.isKilled { addFinding("exit \(ending.code): append \(journal): \(ending.errors)") }
    }
    return ending
  }

  /// Returns new marks.
  func newMarks(_ count: Int) -> [String] {
    markCount += count
    return (markCount - count + 1...markCount).map { "m\($0)" }
  }

  // MARK: - Checks

  /// Checks a journal after a process that used it may have been killed.
  func check(_ journal: String, after operation: String, allowing codes: Set<String> = []) throws {
    // A journal with any problem is read with a warning.
    guard try !count(journal, after: operation) else { return }
    let verify = try run(["verify", journal, "--json"])
    let problems = Self.problems(verify.output)
    if problems.contains("doubtfulTail") { tally.tornCount += 1 }
    let bad = problems.filter { $0 != "doubtfulTail" && !codes.contains($0) }
    if verify.code != (problems.isEmpty ? 0 : 1) || !bad.isEmpty {
      addFinding("\(operation): verify \(journal): exit \(verify.code) \(bad) \(verify.errors)")
    }
  }

  /// Checks that each event that a journal held is still there exactly once.
  ///
  /// - Returns: Whether it was read without a warning.
  @discardableResult
  func count(_ journal: String, after operation: String) throws -> Bool {
    let replay = try run(["replay", journal, "--json"])
    if replay.code != 0 { addFinding("\(operation): replay \(journal): \(replay.errors)") }
    var counts: [String: Int] = [:]
    for line in replay.output.split(separator: "\n") {
      if let mark = Self.mark(of: line) { counts[mark, default: 0] += 1 }
    }
    for mark in held[journal, default: []] where counts[mark] == nil {
      addFinding("\(operation): \(journal) has lost \(mark)")
    }
    for (mark, count) in counts where count > 1 {
      addFinding("\(operation): \(journal) has \(mark) \(count) times")
    }
    for marks in unacknowledged {
      let found = marks.count { counts[$0] != nil }
      if found != 0 && found != marks.count {
        addFinding(
          "\(operation): \(journal) has \(found) of the \(marks.count) events of an append")
      }
    }
    held[journal] = Set(counts.keys)
    return replay.errors.isEmpty
  }

  /// Returns the problem codes in the output of `verify --json`, which follow the notes.
  static func problems(_ output: String) -> Set<String> {
    guard let start = output.firstRange(of: "\"problems\":[") else { return ["noAnswer"] }
    let codes = output[start.upperBound...].matches(of: /"code":"([A-Za-z]+)"/)
    return Set(codes.map { String($0.1) })
  }

  static func mark(of line: Substring) -> String? {
    guard let start = line.firstRange(of: "\"mark\":\"") else { return nil }
    return String(line[start.upperBound...].prefix { $0 != "\"" })
  }

  // MARK: - End

  /// Syncs all journals, and checks that each contains all acknowledged events exactly once.
  func end() throws {
    for journal in Self.journals { try append(1, to: journal, .none) }
    for _ in 0..<2 {
      try expectSuccess(["sync", "a.jsonl", "b.jsonl", "Shared", "desk:c.jsonl"])
      try expectSuccess(["sync", "b.jsonl", "Shared", "desk:c.jsonl"])
    }
    for journal in Self.journals {
      held[journal, default: []].formUnion(acknowledged)
      try check(journal, after: "end")
      try expectSuccess(["verify", journal])
      try expectSuccess(["diff", "a.jsonl", journal])
    }
    for marks in unacknowledged {
      let isKept = held["a.jsonl", default: []].contains(marks[0])
      if isKept { tally.keptCount += marks.count } else { tally.droppedCount += marks.count }
    }
  }
}
