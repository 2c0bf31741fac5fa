import EventLogTesting
import Foundation

/// Kills the command at random moments and checks that no acknowledged event is lost or repeated.
struct KillRounds {
  let command: Command
  let roundCount: Int
  let seed: UInt64
  /// The number of rounds that share journals, which are then synced and compared.
  private let worldRounds = 40

  /// Runs the rounds and returns whether there were no findings.
  func run() throws -> Bool {
    var tally = KillTally()
    var done = 0
    var worldSeed = seed
    while done < roundCount {
      let count = min(worldRounds, roundCount - done)
      let world = try KillWorld(command: command, seed: worldSeed, tally: tally)
      for _ in 0..<count { try world.round() }
      try world.end()
      tally = world.tally
      done += count
      worldSeed += 1
      if done.isMultiple(of: 1000) {
        print("\(done) of \(roundCount), \(tally.findings.count) findings")
        fflush(nil)
      }
      if tally.findings.count > 20 { break }
    }
    tally.report(roundCount: done, seed: seed)
    return tally.findings.isEmpty
  }
}

/// The counts and findings of the rounds.
struct KillTally {
  /// For each operation, the number of rounds, and of those in which the process was killed.
  var rounds: [String: (all: Int, killed: Int)] = [:]
  var executionCount = 0
  var acknowledgedCount = 0
  /// Events of appends that were killed before the acknowledgment: kept as a whole, or not at all.
  var keptCount = 0
  var droppedCount = 0
  var tornCount = 0
  var worldCount = 0
  var strayCount = 0
  var findings: [String] = []
  /// The number of calls by operation and kind, as seen in runs that weren't killed.
  var calls: [String: [String: Int]] = [:]

  mutating func find(_ text: String) {
    findings.append(text)
    print("FOUND: \(text)")
    // Findings appear at once, even in a file.
    fflush(nil)
  }

  func report(roundCount: Int, seed: UInt64) {
    let killed = rounds.values.reduce(0) { $0 + $1.killed }
    print("\(roundCount) rounds from seed \(seed) on, in \(worldCount) sets of journals:")
    for (name, count) in rounds.sorted(by: { $0.key < $1.key }) {
      print("  \(name): \(count.all), killed \(count.killed)")
    }
    print("  \(executionCount) processes, \(killed) of them killed, \(tornCount) torn ends")
    print(
      "  \(acknowledgedCount) events acknowledged; of appends that were killed before,"
        + " \(keptCount) events kept and \(droppedCount) not")
    print(findings.isEmpty ? "nothing lost, nothing doubled" : "\(findings.count) findings")
  }
}
