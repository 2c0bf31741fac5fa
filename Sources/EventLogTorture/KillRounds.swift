import EventLogTesting
import Foundation

/// Kills the command in the middle of what it does, again and again, and looks whether anything
/// that it had acknowledged is gone or there twice.
struct KillRounds {
  let command: Command
  let roundCount: Int
  let seed: UInt64
  /// So many rounds share their journals; then all of these sync, and are compared.
  private let worldRounds = 40

  /// - Returns: whether all was found as it should be.
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

/// What the rounds have met with.
struct KillTally {
  /// How many rounds of each operation there were, and in how many of them the process was killed.
  var rounds: [String: (all: Int, killed: Int)] = [:]
  var executionCount = 0
  var acknowledgedCount = 0
  /// Events of appends that were killed before they acknowledged them: there whole, or not at all.
  var keptCount = 0
  var droppedCount = 0
  var tornCount = 0
  var worldCount = 0
  var strayCount = 0
  var findings: [String] = []
  /// How many calls the command makes, by operation and kind, as far as a run showed it.
  var calls: [String: [String: Int]] = [:]

  mutating func find(_ text: String) {
    findings.append(text)
    print("FOUND: \(text)")
    // Whoever reads along in a file sees it now.
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
