import EventLogTesting

/// The operations of rounds, and their interruptions.
extension KillWorld {
  enum Operation: String, CaseIterable {
    case append, batch
    case syncJournals = "sync of two journals"
    case syncFolder = "sync with a folder"
    case syncPipe = "sync through a pipe"
    case servePipe = "serving through a pipe"
    case begin = "a new journal from a folder"
    case repair
    case adopt = "adopting a guest"
    case undo = "undoing an adoption"
    case signIn = "signing in"

    var side: Command.Side { self == .servePipe ? .serve : .other }
  }

  func round() throws {
    let operation = Operation.allCases.randomElement(using: &random)!
    let ending: Command.Ending
    switch operation {
    case .append: ending = try append(operation, count: 1)
    case .batch: ending = try append(operation, count: .random(in: 2...120, using: &random))
    case .syncJournals: ending = try sync(operation, "a.jsonl", "b.jsonl", at: ["b.jsonl"])
    case .syncFolder: ending = try syncFolder()
    case .syncPipe, .servePipe:
      ending = try sync(operation, "a.jsonl", "desk:c.jsonl", at: ["far/c.jsonl"])
    case .begin: ending = try begin()
    case .repair: ending = try repair()
    case .adopt: ending = try adopt()
    case .undo: ending = try undo()
    case .signIn: ending = try signIn()
    }
    let isKilled = ending.isKilled || ending.isStruck
    tally.rounds[operation.rawValue, default: (0, 0)].all += 1
    if isKilled { tally.rounds[operation.rawValue]!.killed += 1 }
    for line in ending.log where line.hasPrefix("count ") {
      let parts = line.split(separator: " ")
      if let number = Int(parts[2]) {
        tally.calls[operation.rawValue, default: [:]][String(parts[1])] = number
      }
    }
  }

  // MARK: - Faults

  /// The kinds of calls that change files or locks.
  private static let changing = [
    "pwrite", "write", "fdatasync", "fsync", "ftruncate", "rename", "mkdir", "remove", "flock",
  ]

  func fault(_ operation: Operation) -> Command.Fault {
    if Int.random(in: 0..<5, using: &random) == 0 {
      return .time(.random(in: 0...100_000, using: &random))
    }
    // A kill by time always hits the started process, never the serving one.
    let known = tally.calls[operation.rawValue, default: [:]]
    let kinds = Self.changing.filter { known[$0] != nil }
    var kind = "any"
    // Prefer writes: a kill within one tears the tail.
    switch Int.random(in: 0..<3, using: &random) {
    case 0: kind = known["pwrite"] == nil ? kind : "pwrite"
    case 1: kind = kinds.randomElement(using: &random) ?? kind
    default: break
    }
    let number = Int.random(in: 1...(known[kind] ?? 150) + 1, using: &random)
    let moments = ["before", "within", "after"] + (kind == "pwrite" ? ["within", "within"] : [])
    let moment = moments.randomElement(using: &random)!
    return .calls(plan: "\(kind):\(number):1:die-\(moment)", side: operation.side)
  }

  // MARK: - Operations

  private func append(_ operation: Operation, count: Int) throws -> Command.Ending {
    let journal = Self.journals.randomElement(using: &random)!
    let ending = try append(count, to: journal, fault(operation))
    try check(journal, after: operation.rawValue)
    return ending
  }

  private func sync(
    _ operation: Operation, _ journal: String, _ remote: String, at others: [String] = []
  ) throws -> Command.Ending {
    // Give each journal events to transfer.
    for name in [journal] + others {
      try append(Int.random(in: 1...30, using: &random), to: name, .none)
    }
    let arguments = ["sync", journal, remote]
    let ending = try run(arguments, fault: fault(operation))
    expectKilledOrSucceeded(ending, operation, arguments)
    for name in [journal] + others { try check(name, after: operation.rawValue) }
    return ending
  }

  private func syncFolder() throws -> Command.Ending {
    let journal = Bool.random(using: &random) ? "a.jsonl" : "b.jsonl"
    let ending = try sync(.syncFolder, journal, "Shared")
    if ending.isKilled { cutOff.insert(journal) } else { cutOff.remove(journal) }
    return ending
  }

  func expectKilledOrSucceeded(
    _ ending: Command.Ending, _ operation: Operation, _ arguments: [String]
  ) {
    if ending.isKilled || ending.code == 0 { return }
    // A client reports that its server is gone.
    if operation == .servePipe, ending.isStruck, ending.code == 2 { return }
    addFinding("exit \(ending.code): \(arguments.joined(separator: " ")): \(ending.errors)")
  }

  private func begin() throws -> Command.Ending {
    let arguments = ["sync", "new.jsonl", "Shared"]
    let ending = try run(arguments, fault: fault(.begin))
    held["new.jsonl"] = []
    // Events that an interrupted sync announced but didn't send are reported until they arrive.
    if cutOff.isEmpty || ending.isKilled || ending.code != 1 {
      expectKilledOrSucceeded(ending, .begin, arguments)
    } else {
      try check("new.jsonl", after: Operation.begin.rawValue)
    }
    for journal in cutOff.sorted() { try expectSuccess(["sync", journal, "Shared"]) }
    cutOff = []
    try expectSuccess(arguments)
    try expectSuccess(["verify", "new.jsonl"])
    try count("new.jsonl", after: Operation.begin.rawValue)
    try sandbox.remove(["new.jsonl", "new.eventlog"])
    return ending
  }

  /// Damages a line that another journal holds as well, and interrupts the repair.
  private func repair() throws -> Command.Ending {
    try append(Int.random(in: 1...30, using: &random), to: "b.jsonl", .none)
    // A torn tail is quarantined only by a write.
    for name in ["a.jsonl", "b.jsonl"] { try append(1, to: name, .none) }
    try expectSuccess(["sync", "a.jsonl", "b.jsonl"])
    try count("a.jsonl", after: "sync")
    let lines = sandbox.lines("a.jsonl")
    // Unacknowledged appends must be there as a whole or not at all, so don't damage their lines.
    let marks = acknowledged.intersection(held["b.jsonl", default: []])
    let candidates = lines.indices.dropFirst(2).dropLast().filter {
      Self.mark(of: lines[$0]).map(marks.contains) ?? false
    }
    let arguments = ["repair", "a.jsonl", "--from", "b.jsonl"]
    guard let victim = candidates.randomElement(using: &random) else {
      return try expectSuccess(arguments)
    }
    let start = lines[..<victim].reduce(0) { $0 + $1.utf8.count + 1 }
    try sandbox.overwrite("a.jsonl", at: start + 30, Array("#?".utf8))
    held["a.jsonl"]?.remove(Self.mark(of: lines[victim])!)
    let ending = try run(arguments, fault: fault(.repair))
    expectKilledOrSucceeded(ending, .repair, arguments)
    let damage: Set<String> = ["gap", "malformed", "checksumMismatch", "invalidJSON"]
    try check("a.jsonl", after: "repair", allowing: damage)
    try expectSuccess(arguments)
    held["a.jsonl"]?.insert(Self.mark(of: lines[victim])!)
    try check("a.jsonl", after: "repair, again")
    return ending
  }
}
