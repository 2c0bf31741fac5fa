import EventLog
import EventLogTesting

/// Three journals of one person, a shared folder, and what is known of them.
final class KillWorld {
  let place: Place
  let command: Command
  var random: SplitMix64
  var tally: KillTally
  let seed: UInt64

  /// The marks of the events that were acknowledged: each must be everywhere in the end.
  var acknowledged: Set<String> = []
  /// The marks of each append that was killed before it had acknowledged anything.
  private var doubted: [[String]] = []
  /// The marks that each journal was seen to hold: they may not vanish.
  var held: [String: Set<String>] = [:]
  /// The journals whose last sync with the folder was killed: it may list what is not there yet.
  var cutOff: Set<String> = []
  private var markCount = 0
  /// The marks that each guest and each account of the folder of accounts has written or adopted.
  var accounts: [String: Set<String>] = [:]

  static let journals = ["a.jsonl", "b.jsonl", "far/c.jsonl"]
  private static let devices = ["phone", "tablet", "desk"]

  init(command: Command, seed: UInt64, tally: KillTally) throws {
    place = try Place()
    self.command = command
    self.seed = seed
    self.tally = tally
    random = SplitMix64(seed: seed)
    self.tally.worldCount += 1
    for journal in Self.journals { try append(1, to: journal, .none) }
    try expectDone(["sync", "a.jsonl", "b.jsonl", "Shared", "desk:c.jsonl"])
  }

  // MARK: - Running

  func run(
    _ words: [String], input: String = "", fault: Command.Fault = .none,
    as program: Command.Program = .eventlog
  ) throws -> Command.Ending {
    let ending = try command.run(words, in: place, input: input, fault: fault, as: program)
    tally.executionCount += 1
    let text = words.joined(separator: " ")
    if ending.isHanging { find("hangs: \(text)") }
    if ending.isTrap { find("trap, signal \(ending.signal): \(text)") }
    if ending.strays > 0 { find("\(ending.strays) processes stay behind: \(text)") }
    return ending
  }

  func find(_ text: String) { tally.find("seed \(seed): \(text)") }

  /// Runs what nothing keeps from coming to its end.
  @discardableResult
  func expectDone(
    _ words: [String], input: String = "", as program: Command.Program = .eventlog
  ) throws -> Command.Ending {
    let ending = try run(words, input: input, as: program)
    if ending.code != 0 {
      find("exit \(ending.code): \(words.joined(separator: " ")): \(ending.errors)")
    }
    return ending
  }

  // MARK: - Appending

  /// Appends so many events at once, which say whose they are by a mark.
  @discardableResult
  func append(_ count: Int, to journal: String, _ fault: Command.Fault) throws -> Command.Ending {
    let marks = newMarks(count)
    let device = Self.devices[Self.journals.firstIndex(of: journal) ?? 0]
    var words = ["append", journal, "--user", "ada", "--device", device]
    var input = ""
    if count == 1 {
      words += ["settings.changed", "mark=\(marks[0])"]
    } else {
      words.append("-")
      let padding = String(repeating: "x", count: Int.random(in: 0...300, using: &random))
      for mark in marks {
        input +=
          #"{"type":"settings.changed","data":{"mark":"\#(mark)","pad":"\#(padding)"}}"# + "\n"
      }
    }
    let ending = try run(words, input: input, fault: fault)
    // What it prints, it prints when all is durable.
    if ending.code == 0 || !ending.output.isEmpty {
      acknowledged.formUnion(marks)
      held[journal, default: []].formUnion(marks)
      tally.acknowledgedCount += count
    } else {
      doubted.append(marks)
      if !ending.isKilled { find("exit \(ending.code): append \(journal): \(ending.errors)") }
    }
    return ending
  }

  /// Marks that no event has.
  func newMarks(_ count: Int) -> [String] {
    markCount += count
    return (markCount - count + 1...markCount).map { "m\($0)" }
  }

  // MARK: - Looking

  /// Looks at a journal that a process was killed at.
  func check(_ journal: String, after operation: String, allowing codes: Set<String> = []) throws {
    // A journal with which anything is wrong is not read without a word.
    guard try !count(journal, after: operation) else { return }
    let verify = try run(["verify", journal, "--json"])
    let problems = Self.problems(verify.output)
    if problems.contains("doubtfulTail") { tally.tornCount += 1 }
    let bad = problems.filter { $0 != "doubtfulTail" && !codes.contains($0) }
    if verify.code != (problems.isEmpty ? 0 : 1) || !bad.isEmpty {
      find("\(operation): verify \(journal): exit \(verify.code) \(bad) \(verify.errors)")
    }
  }

  /// Looks whether all that a journal held is still there, once.
  ///
  /// - Returns: whether it is read without a warning.
  @discardableResult
  func count(_ journal: String, after operation: String) throws -> Bool {
    let replay = try run(["replay", journal, "--json"])
    if replay.code != 0 { find("\(operation): replay \(journal): \(replay.errors)") }
    var counts: [String: Int] = [:]
    for line in replay.output.split(separator: "\n") {
      if let mark = Self.mark(of: line) { counts[mark, default: 0] += 1 }
    }
    for mark in held[journal, default: []] where counts[mark] == nil {
      find("\(operation): \(journal) has lost \(mark)")
    }
    for (mark, count) in counts where count > 1 {
      find("\(operation): \(journal) has \(mark) \(count) times")
    }
    for marks in doubted {
      let found = marks.count { counts[$0] != nil }
      if found != 0 && found != marks.count {
        find("\(operation): \(journal) has \(found) of the \(marks.count) events of an append")
      }
    }
    held[journal] = Set(counts.keys)
    return replay.errors.isEmpty
  }

  /// The codes of the problems that `verify --json` names; notes come before them.
  static func problems(_ output: String) -> Set<String> {
    guard let start = output.firstRange(of: "\"problems\":[") else { return ["noAnswer"] }
    let codes = output[start.upperBound...].matches(of: /"code":"([A-Za-z]+)"/)
    return Set(codes.map { String($0.1) })
  }

  static func mark(of line: Substring) -> String? {
    guard let start = line.firstRange(of: "\"mark\":\"") else { return nil }
    return String(line[start.upperBound...].prefix { $0 != "\"" })
  }

  // MARK: - The end

  /// All sync with all; then each acknowledged event must be everywhere, once.
  func end() throws {
    for journal in Self.journals { try append(1, to: journal, .none) }
    for _ in 0..<2 {
      try expectDone(["sync", "a.jsonl", "b.jsonl", "Shared", "desk:c.jsonl"])
      try expectDone(["sync", "b.jsonl", "Shared", "desk:c.jsonl"])
    }
    for journal in Self.journals {
      held[journal, default: []].formUnion(acknowledged)
      try check(journal, after: "end")
      try expectDone(["verify", journal])
      try expectDone(["diff", "a.jsonl", journal])
    }
    for marks in doubted {
      let isKept = held["a.jsonl", default: []].contains(marks[0])
      if isKept { tally.keptCount += marks.count } else { tally.droppedCount += marks.count }
    }
  }
}
