import EventLog
import EventLogCollections
import EventLogTesting

/// Simulates many seeds, several at a time, until one fails.
struct SimulationRun {
  let seeds: Range<UInt64>
  /// Whether the devices run several versions of a random app.
  var hasVersions = false
  /// Twice the cores of a small machine, because simulations sometimes block on their threads.
  private let width = 4

  private func simulation(_ seed: UInt64) throws -> Simulation {
    guard hasVersions else { return Simulation(seed: seed, catalog: .bundled) }
    var versions = RandomVersions(seed: seed)
    return Simulation(seed: seed, versions: try versions.make(), actionCount: 60)
  }

  /// Runs the simulations and returns whether the devices of all seeds converged.
  func run() async throws -> Bool {
    var totals = (events: 0, syncs: 0, conflicts: 0, actions: 0, forks: 0, losses: 0, erased: 0)
    var failure: SimulationFailure?
    try await withThrowingTaskGroup(of: Result<Simulation.Report, SimulationFailure>.self) {
      group in
      var next = seeds.lowerBound
      func begin() {
        guard next < seeds.upperBound, failure == nil else { return }
        let seed = next
        next += 1
        group.addTask {
          do {
            return .success(try await simulation(seed).check())
          } catch let failure as SimulationFailure {
            return .failure(failure)
          }
        }
      }
      for _ in 0..<width { begin() }
      while let result = try await group.next() {
        switch result {
        case .success(let report):
          totals.events += report.eventCount
          totals.syncs += report.syncCount
          totals.conflicts += report.conflictCount
          totals.actions += report.actionCount
          totals.forks += report.forkCount
          totals.losses += report.lostCount
          totals.erased += report.erasedCount
        case .failure(let found): failure = failure ?? found
        }
        begin()
      }
    }
    if let failure {
      print(failure)
      return false
    }
    print(
      "\(seeds.count) seeds from \(seeds.lowerBound) on: \(totals.actions) actions,"
        + " \(totals.events) events, \(totals.syncs) replications, \(totals.conflicts) conflicts"
        + " open in the end, \(totals.forks) forks, \(totals.losses) events lost,"
        + " \(totals.erased) erased; all came to agree"
    )
    return true
  }
}
