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
