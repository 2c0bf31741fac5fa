import EventLog
import Foundation

/// Programs that generate and measure large journals.
///
/// They print counts of their work, so that skipped work is noticed.
@main
enum EventLogBenchmarks {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "generate": try generate(Array(arguments.dropFirst()))
    case "generate-pair": try generatePair(Array(arguments.dropFirst()))
    case "read": try read(Array(arguments.dropFirst()))
    case "open":
      guard let path = arguments.dropFirst().first else { return print("open needs a file") }
      try await OpenStages(path: path).run()
    case "store": try await store(Array(arguments.dropFirst()))
    case "append":
      let ways = arguments.count > 2 ? arguments[2] : ""
      try await AppendCosts(roundCount: max(1, number(arguments, 1) ?? 7), ways: ways).run()
    case "adopt": try await accountCosts(arguments).adopt()
    case "sign-in": try await accountCosts(arguments).signIn()
    case "crash-start": try CrashCosts(roundCount: max(1, number(arguments, 1) ?? 100)).run()
    case "crash-start-one":
      guard arguments.count == 2 else { return print("crash-start-one takes a folder") }
      try CrashCosts.one(arguments[1])
    case "attachments":
      try await AttachmentCosts(count: max(1, number(arguments, 1) ?? 100_000)).run()
    case "attachment-put":
      guard arguments.count >= 3 else {
        return print("attachment-put needs the address of a remote and a file")
      }
      try await AttachmentCosts.put(arguments[2], to: arguments[1])
    case "cloud-costs": try await CloudCosts().run()
    case "cloud-puts":
      guard arguments.count >= 2 else { return print("cloud-puts needs the address of a remote") }
      try await CloudTimes.put(arguments[1], count: number(arguments, 2) ?? 1000)
    case "cloud-silence":
      try await CloudTimes.silence(
        appends: number(arguments, 1) ?? 1000, rounds: number(arguments, 2) ?? 5)
    case "simulate":
      guard try await SimulationRun(seeds: seeds(arguments)).run() else { exit(1) }
    case "simulate-versions":
      guard try await SimulationRun(seeds: seeds(arguments), hasVersions: true).run() else {
        exit(1)
      }
    case "simulate-accounts":
      guard await AccountSimulationRun(seeds: seeds(arguments)).run() else { exit(1) }
    case "hostile": try hostile(Array(arguments.dropFirst()))
    case "hostile-write":
      guard arguments.count == 4, let journal = HostileJournal(rawValue: arguments[1]),
        let size = Int(arguments[2])
      else { return print("hostile-write takes the name of a journal, a size and a file") }
      try Data(journal.bytes(size)).write(to: URL(filePath: arguments[3]))
    case "hostile-one":
      guard arguments.count == 3, let operation = HostileOperation(rawValue: arguments[1]) else {
        return print("hostile-one takes an operation and a file")
      }
      try await HostileRun.one(operation, arguments[2])
    default:
      print(usage)
    }
  }

  private static let usage = """
    usage: EventLogBenchmarks generate FILE [EVENTS] [SEED] [DEVICES]
               writes a journal of three devices, or of DEVICES; the same seed gives the same bytes
           EventLogBenchmarks generate-pair LEFT RIGHT [EVENTS] [SEED]
               writes two journals of one user, which differ in their last hundredth
           EventLogBenchmarks read FILE [STAGE]
               times the stages of reading one by one: lines, ledger, fold, snapshot, json
           EventLogBenchmarks open FILE
               times opening a store with and without a checkpoint, and writing the checkpoint
           EventLogBenchmarks store FILE [APPENDS]
               times appends and snapshots of a large journal, compared with an empty one
           EventLogBenchmarks append [ROUNDS] [WAY]
               times each kind of append, or those whose names begin with WAY, compared with plain
               writes of as many bytes
           EventLogBenchmarks adopt [EVENTS] [ROUNDS]
               times the adoption of a guest, compared with a sync of as many events
           EventLogBenchmarks sign-in [EVENTS] [ROUNDS]
               times the sign-in to an account, compared with opening its journal
           EventLogBenchmarks crash-start [ROUNDS]
               times the start of crash reports, each in a process of its own
           EventLogBenchmarks attachments [COUNT]
               times each step with so many attachments, and with half as many; exits with 1 if
               twice as many cost more than 2.5 times as much, or need more than 100 MiB beside the
               store's state
           EventLogBenchmarks attachment-put ADDRESS FILE
               attaches a file and times sending it to a remote
           EventLogBenchmarks cloud-costs
               counts the requests of three devices in a month to S3, WebDAV and Firestore
           EventLogBenchmarks cloud-puts ADDRESS [OBJECTS]
               times puts of 4 KB objects into a remote, one after the other
           EventLogBenchmarks cloud-silence [APPENDS] [ROUNDS]
               times appends with a remote that never answers, compared with no remote
           EventLogBenchmarks hostile [JOURNAL …] [OPERATION …] [BYTES]
               measures journals that are designed to be expensive; exits with 1 if twice the bytes
               cost more than 2.5 times as much
           EventLogBenchmarks simulate [SEEDS] [FIRST]
               simulates devices that sync; exits with 1 if they don't converge
           EventLogBenchmarks simulate-versions [SEEDS] [FIRST]
               does the same with several versions of a random app, and updates
           EventLogBenchmarks simulate-accounts [SEEDS] [FIRST]
               simulates users, guests and devices; exits with 1 if a user gets another's events
    """

  /// Returns an argument as a whole number, or nil if it is missing or not a number.
  private static func number(_ arguments: [String], _ index: Int) -> Int? {
    arguments.count > index ? Int(arguments[index]) : nil
  }

  /// Returns the seeds of a simulation from its arguments.
  private static func seeds(_ arguments: [String]) -> Range<UInt64> {
    let numbers = arguments.dropFirst().compactMap(UInt64.init)
    guard numbers.count == arguments.count - 1, numbers.count <= 2 else {
      print("\(arguments[0]) takes numbers: [SEEDS] [FIRST]")
      exit(2)
    }
    let first = numbers.dropFirst().first ?? 0
    return first..<(first + (numbers.first ?? 1000))
  }

  private static func accountCosts(_ arguments: [String]) -> AccountCosts {
    let numbers = arguments.dropFirst().compactMap { Int($0) }
    var costs = AccountCosts()
    if let count = numbers.first { costs.eventCount = count }
    if let count = numbers.dropFirst().first { costs.roundCount = max(1, count) }
    return costs
  }

  private static func hostile(_ arguments: [String]) throws {
    var run = HostileRun()
    var (journals, operations) = ([HostileJournal](), [HostileOperation]())
    for argument in arguments {
      if let size = Int(argument) {
        run.size = size
      } else if let operation = HostileOperation(rawValue: argument) {
        operations.append(operation)
      } else if let journal = HostileJournal(rawValue: argument) {
        journals.append(journal)
      } else {
        print("there is no hostile \(argument)")
        exit(2)
      }
    }
    if !operations.isEmpty { run.operations = operations }
    if !journals.isEmpty { run.journals = journals }
    guard try run.run() else { exit(1) }
  }

  private static func generate(_ arguments: [String]) throws {
    guard let path = arguments.first else { return print("generate needs a file") }
    let count = arguments.count > 1 ? Int(arguments[1]) ?? 1_000_000 : 1_000_000
    let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 7 : 7
    var generator = JournalGenerator(
      seed: seed, eventCount: count, deviceCount: number(arguments, 3) ?? 3)
    let bytes = try generator.write(to: path)
    print("\(count) events, \(bytes) bytes, seed \(seed): \(path)")
    for (type, count) in generator.typeCounts.sorted(by: { $0.value > $1.value }) {
      print("  \(type): \(count)")
    }
  }

  private static func generatePair(_ arguments: [String]) throws {
    guard arguments.count >= 2 else { return print("generate-pair needs two files") }
    let count = arguments.count > 2 ? Int(arguments[2]) ?? 1_000_000 : 1_000_000
    let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 7 : 7
    var generator = JournalGenerator(seed: seed, eventCount: count)
    let bytes = try generator.writePair(arguments[0], arguments[1])
    print("\(count) events each, seed \(seed):")
    print("  \(bytes.left) bytes: \(arguments[0])")
    print("  \(bytes.right) bytes: \(arguments[1])")
  }

  private static func read(_ arguments: [String]) throws {
    guard let path = arguments.first else { return print("read needs a file") }
    try ReadStages(path: path, only: arguments.count > 1 ? arguments[1] : nil).run()
  }

  private static func store(_ arguments: [String]) async throws {
    guard let path = arguments.first else { return print("store needs a file") }
    var costs = StoreCosts(path: path)
    if arguments.count > 1 { costs.count = Int(arguments[1]) ?? costs.count }
    try await costs.run()
  }
}
