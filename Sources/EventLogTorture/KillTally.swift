import EventLogTesting
import Foundation

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

  mutating func addFinding(_ text: String) {
    findings.append(text)
    print("FOUND: \(text)")
    // Flush, so that findings appear at once even in a file.
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
    print(findings.isEmpty ? "nothing lost, nothing repeated" : "\(findings.count) findings")
  }
}
