import EventLog
import EventLogAccounts
import EventLogTesting
import Foundation

/// One folder of accounts, the processes that use it, and their acknowledged events.
final class AccountPair {
  private let program: String
  private let faults: String
  private let temporary: TemporaryFolder
  private var random: SplitMix64
  private var markCount = 0
  private(set) var findings: [String] = []
  private(set) var killedCount = 0
  private(set) var processCount = 0
  /// The writer of each acknowledged event, by its mark.
  private(set) var written: [String: String] = [:]

  /// The time before each acknowledged append, by the event's mark.
  private var writeTimes: [String: UInt64] = [:]
  /// The time just after the first choice that keeps the undecided account on its device.
  private var choiceTime: UInt64?

  /// The account whose events stay on the device.
  private static let local = "bea"
  /// The account that one process keeps on the device while the other one syncs it.
  private static let undecided = "cem"
  private static let users = ["ada", "bea"]

  init(program: String, faults: String, seed: UInt64) throws {
    (self.program, self.faults) = (program, faults)
    temporary = try TemporaryFolder()
    random = SplitMix64(seed: seed)
  }

  private var folder: String { temporary.file("Accounts") }

  func run() throws {
    try FileManager.default.createDirectory(
      atPath: AccountPairs.remotesFolder(of: folder), withIntermediateDirectories: true)
    try runAlone(["write", newMark()])
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      try runAtOnce([script(), script()])
      // The next opening completes unfinished work, without harm to either process.
      try runAlone(["current"])
      try checkJournals()
    }
    try chooseDuringSyncs()
    // If a process missed an adoption, its events arrive with the next opening.
    for user in Self.users { try runAlone(["sign-in", user] + choice(user) + ["sync"]) }
    try check()
  }

  /// Lets one process keep an account on its device while another one writes to it and syncs it.
  private func chooseDuringSyncs() throws {
    func writes(_ count: ClosedRange<Int>, _ further: [String] = []) -> [String] {
      (0..<Int.random(in: count, using: &random)).flatMap { _ in ["write", newMark()] + further }
    }
    let signIn = ["sign-in", Self.undecided]
    try runAlone(signIn + ["automatic"] + writes(1...1, ["sync"]))
    let syncing = signIn + writes(2...6, ["sync"])
    let choosing = signIn + writes(0...2) + ["choose", "local"] + writes(1...3) + ["sync"]
    try runAtOnce([syncing, choosing])
    // The choice still holds, because neither process has changed it.
    try runAlone(signIn + writes(1...1) + ["sync"])
  }

  /// The marks of the undecided account's events that were appended after the choice to keep them.
  var keptBack: [String] {
    guard let choiceTime else { return [] }
    return written.keys.filter { written[$0] == Self.undecided && writeTimes[$0]! > choiceTime }
  }

  // MARK: - Processes

  private func newMark() -> String {
    markCount += 1
    return "m\(markCount)"
  }

  private func choice(_ user: String) -> [String] {
    [user == Self.local ? "local" : "automatic"]
  }

  private func script() -> [String] {
    var steps: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3: steps += ["write", newMark()]
      case 3..<6:
        let user = Self.users.randomElement(using: &random)!
        steps += ["sign-in", user] + choice(user)
      case 6: steps += [Bool.random(using: &random) ? "sign-out" : "remove"]
      default: steps += ["sync"]
      }
    }
    return steps
  }

  private func fault() -> String {
    let moment = ["before", "within", "after"].randomElement(using: &random)!
    let kind = ["any", "any", "pwrite", "rename", "flock", "fsync"].randomElement(using: &random)!
    let number = Int.random(in: 1...(kind == "any" ? 400 : 12), using: &random)
    return "\(kind):\(number):1:die-\(moment)"
  }

  private func file(_ name: String, _ number: Int) -> String { temporary.file("\(name)-\(number)") }

  private func start(_ steps: [String], number: Int, fault: String?) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["accounts", folder] + steps
    var environment = ["HOME": temporary.path, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
    if let fault { (environment["LD_PRELOAD"], environment["EVENTLOG_FAULT"]) = (faults, fault) }
    process.environment = environment
    for (name, join) in [("out", \Process.standardOutput), ("err", \Process.standardError)] {
      let path = file(name, number)
      try Data().write(to: URL(fileURLWithPath: path))
      process[keyPath: join] = FileHandle(forWritingAtPath: path)
    }
    process.standardInput = FileHandle.nullDevice
    try process.run()
    processCount += 1
    return process
  }

  private func end(_ process: Process, _ steps: [String], number: Int, mayBeKilled: Bool) {
    let text = steps.joined(separator: " ")
    // The machine may be busy, but no process may hang.
    let deadline = Date().addingTimeInterval(60)
    while process.isRunning, Date() < deadline { usleep(2000) }
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      findings.append("hangs: \(text)")
    }
    process.waitUntilExit()
    for line in read("out", number).split(separator: "\n") {
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count == 4, let time = UInt64(fields[3]) else { continue }
      switch fields[0] {
      case "wrote": (written[fields[1]], writeTimes[fields[1]]) = (fields[2], time)
      case "chose": choiceTime = min(choiceTime ?? time, time)
      default: break
      }
    }
    let isKilled =
      process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    if isKilled { killedCount += 1 }
    if isKilled ? !mayBeKilled : process.terminationStatus != 0 {
      findings.append("exit \(process.terminationStatus): \(text): \(read("err", number))")
    }
  }

  /// Runs two processes at the same time, some of which are killed.
  private func runAtOnce(_ scripts: [[String]]) throws {
    let both = scripts.enumerated().map { index, steps in
      (index + 1, steps, Bool.random(using: &random) ? fault() : nil)
    }
    let processes = try both.map { try start($1, number: $0, fault: $2) }
    for (process, (number, steps, fault)) in zip(processes, both) {
      end(process, steps, number: number, mayBeKilled: fault != nil)
    }
  }

  private func runAlone(_ steps: [String]) throws {
    end(try start(steps, number: 0, fault: nil), steps, number: 0, mayBeKilled: false)
  }

  private func read(_ name: String, _ number: Int) -> String {
    let bytes = FileManager.default.contents(atPath: file(name, number)) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: - Checks

  @discardableResult
  private func checkJournals() throws -> [AccountsOverview.Row] {
    let overview = try AccountsOverview(ofFolder: folder)
    if overview.isUnfinished { findings.append("something is unfinished after an opening") }
    var users: [String: Int] = [:]
    for row in overview.rows {
      // A journal that was written during its removal is merged into a new one.
      if row.adoptedBy != row.user { users[row.user, default: 0] += 1 }
      if let error = row.error { findings.append("\(row.path): \(error.message)") }
    }
    for (user, count) in users where count > 1 { findings.append("\(user) has \(count) journals") }
    return overview.rows
  }

  private func check() throws {
    let rows = try checkJournals()
    // The accounts, and the guests that no account has adopted.
    var owners: [String: [String]] = [:]
    for row in rows where row.adoptedBy == nil {
      let marks = marks(inFile: row.path)
      if Set(marks).count < marks.count { findings.append("\(row.path) has an event twice") }
      for mark in Set(marks) { owners[mark, default: []].append(row.user) }
    }
    for (mark, users) in owners where users.count > 1 {
      findings.append("\(mark) is of \(users.sorted().joined(separator: " and "))")
    }
    for (mark, user) in written {
      if owners[mark] == nil { findings.append("\(mark) of \(user) is in no account") }
      if !user.hasPrefix("guest-"), owners[mark] != [user] {
        findings.append("\(mark) of \(user) is of \(owners[mark] ?? [])")
      }
    }
    for (mark, user) in marksInRemotes() where owners[mark] != [user] || user == Self.local {
      findings.append("\(mark) of \(owners[mark] ?? []) is in the place of \(user)")
    }
    let kept = marksInRemotes()
    for mark in keptBack where kept[mark] != nil {
      findings.append("\(mark) was written after its account was kept here, and is in a place")
    }
    for (mark, users) in owners where users == ["ada"] && kept[mark] == nil {
      findings.append("\(mark) of ada is in no place")
    }
  }

  /// Returns the marks of the events in a file.
  private func marks(inFile path: String) -> [String] {
    let text = String(
      decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").compactMap { KillWorld.mark(of: $0) }
  }

  /// Returns the users whose remotes contain events, by the events' marks.
  private func marksInRemotes() -> [String: String] {
    var found: [String: String] = [:]
    let root = AccountPairs.remotesFolder(of: folder)
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    for name in names where name.hasSuffix(".jsonl") {
      let user = String(name.prefix { $0 != "/" })
      for mark in marks(inFile: Path.join(root, name)) { found[mark] = user }
    }
    return found
  }
}
