import Foundation

/// Programs that disturb the command, as a real process on real files, and count losses.
@main
enum EventLogTorture {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    if words.first == "accounts", words.count > 2 {
      exit(await AccountsProgram.run(Array(words.dropFirst())))
    }
    if words.first == "writer", words.count == 3, let count = Int(words[2]) {
      exit(await ReaderRounds.write(to: words[1], count: count))
    }
    do { try run() } catch {
      print("EventLogTorture cannot go on: \(error)")
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
                   kills the command while it writes; looks whether anything acknowledged is gone
               EventLogTorture failures [CASES] [SEED] [FIRST] [EVENTLOG]
                   fails its system calls, each with each error; 0 CASES are all that there are;
                   FIRST passes over so many, to go on where another run was ended
               EventLogTorture signals [ROUNDS] [SEED] [EVENTLOG]
                   sends it signals while it starts another program; looks what stays
               EventLogTorture failure OPERATION KIND:FIRST:COUNT:ERROR [EVENTLOG]
                   shows one of them, by its operation's name and the error's number
               EventLogTorture pairs [SEEDS] [SEED]
                   two processes at once use one folder of accounts, and some of them are killed
               EventLogTorture readers [ROUNDS] [SEED] [EVENTLOG]
                   verifies a journal, and prints its status, while four processes write to it
               EventLogTorture writer JOURNAL COUNT
                   one of these: appends so many events to a store that stays open
               EventLogTorture \(AccountsProgram.usage)
                   what an app does with its accounts; the others run it
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
      throw Trouble("\(path) is not there: build the product eventlog")
    }
    return Command(program: path, accountsProgram: own.path, faults: library?.path ?? "")
  }
}
