import Foundation

/// Programs that run the command on real files, disturb it, and count losses.
@main
enum EventLogTorture {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "accounts", arguments.count > 2 {
      exit(await AccountsProgram.run(Array(arguments.dropFirst())))
    }
    if arguments.first == "writer", arguments.count == 3, let count = Int(arguments[2]) {
      exit(await ReaderRounds.write(to: arguments[1], count: count))
    }
    do { try run() } catch {
      print("EventLogTorture cannot continue: \(error)")
      exit(3)
    }
  }

  private static func run() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let numbers = arguments.dropFirst().prefix { UInt64($0) != nil }.compactMap(UInt64.init)
    let rest = arguments.dropFirst(1 + numbers.count)
    switch arguments.first {
    case "kills" where numbers.count <= 2 && rest.count <= 1:
      let library = try FaultLibrary()
      let command = try command(rest.first, library)
      let rounds = KillRounds(
        command: command, roundCount: Int(numbers.first ?? 5000),
        seed: numbers.dropFirst().first ?? 1)
      guard try rounds.run() else { exit(1) }
    case "pairs" where numbers.count <= 2 && rest.isEmpty:
      let library = try FaultLibrary()
      let own = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
      let pairs = AccountPairs(
        program: own.path, faults: library.path, seedCount: Int(numbers.first ?? 300),
        seed: numbers.dropFirst().first ?? 1)
      guard try pairs.run() else { exit(1) }
    case "readers" where numbers.count <= 2 && rest.count <= 1:
      let own = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
      let rounds = ReaderRounds(
        eventlog: try command(rest.first).program, own: own.path,
        roundCount: Int(numbers.first ?? 1000), seed: numbers.dropFirst().first ?? 1)
      guard try rounds.run() else { exit(1) }
    case "failures" where numbers.count <= 3 && rest.count <= 1:
      let library = try FaultLibrary()
      let command = try command(rest.first, library)
      let caseCount = Int(numbers.first ?? 0)
      let failures = FailureRun(
        command: command, seed: numbers.dropFirst().first ?? 1,
        caseCountMax: caseCount == 0 ? nil : caseCount,
        firstCase: Int(numbers.dropFirst(2).first ?? 0))
      guard try failures.run() else { exit(1) }
    case "signals" where numbers.count <= 2 && rest.count <= 1:
      let rounds = SignalRounds(
        command: try command(rest.first), roundCount: Int(numbers.first ?? 500),
        seed: numbers.dropFirst().first ?? 1)
      guard try rounds.run() else { exit(1) }
    case "failure" where arguments.count == 3 || arguments.count == 4:
      let library = try FaultLibrary()
      let named = arguments.dropFirst(3).first
      let command = try command(named, library)
      let failures = FailureRun(command: command, seed: 1, caseCountMax: nil)
      guard try failures.show(arguments[1], arguments[2]) else { exit(1) }
    default:
      print(
        """
        usage: EventLogTorture kills [ROUNDS] [SEED] [EVENTLOG]
                   kills the command while it writes, and checks that no acknowledged event is lost
               EventLogTorture failures [CASES] [SEED] [FIRST] [EVENTLOG]
                   makes each of its system calls fail with each error; if CASES is 0, runs all;
                   skips the first FIRST cases, to continue an earlier run
               EventLogTorture signals [ROUNDS] [SEED] [EVENTLOG]
                   sends it signals while it starts another program, and checks that none remains
               EventLogTorture failure OPERATION KIND:FIRST:COUNT:ERROR [EVENTLOG]
                   shows a single case, by the name of its operation and the number of its error
               EventLogTorture pairs [SEEDS] [SEED]
                   runs two processes at once on one folder of accounts, and kills some of them
               EventLogTorture readers [ROUNDS] [SEED] [EVENTLOG]
                   runs verify, status and repair while four processes write to the journal
               EventLogTorture writer JOURNAL COUNT
                   one of these writers: appends COUNT events to a store that stays open
               EventLogTorture \(AccountsProgram.usage)
                   uses accounts like an app; other programs here run it
        """)
      exit(2)
    }
  }

  /// Returns the command with the given path, or the one in the folder of this program.
  private static func command(
    _ named: String?, _ library: FaultLibrary? = nil
  ) throws -> Command {
    let own = URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
    let path =
      named.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
      ?? own.deletingLastPathComponent().appendingPathComponent("eventlog").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw TortureError("\(path) is not there: build the product eventlog")
    }
    return Command(program: path, accountsProgram: own.path, faults: library?.path ?? "")
  }
}
