import EventLogAccountSimulation
import EventLogCollections

/// Simulates the accounts of many seeds, several at a time, until one fails.
struct AccountSimulationRun {
  let seeds: Range<UInt64>
  /// Twice the cores of a small machine, because simulations sometimes block on their threads.
  private let width = 4

  /// Runs the simulations and returns whether all of them succeeded.
  func run() async -> Bool {
    var totals = AccountSimulation.Report()
    var failure: AccountSimulationFailure?
    await withTaskGroup(of: Result<AccountSimulation.Report, AccountSimulationFailure>.self) {
      group in
      var next = seeds.lowerBound
      func begin() {
        guard next < seeds.upperBound, failure == nil else { return }
        let seed = next
        next += 1
        group.addTask {
          do throws(AccountSimulationFailure) {
            return .success(try await AccountSimulation(seed: seed, catalog: .bundled).check())
          } catch {
            return .failure(error)
          }
        }
      }
      for _ in 0..<width { begin() }
      while let result = await group.next() {
        switch result {
        case .success(let report): totals.add(report)
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
      "\(seeds.count) seeds of accounts from \(seeds.lowerBound) on: \(totals.actionCount) actions,"
        + " \(totals.eventCount) events, \(totals.syncCount) syncs, \(totals.adoptionCount)"
        + " adoptions, \(totals.undoCount) undos, \(totals.crashCount) crashes,"
        + " \(totals.removalCount) removals and \(totals.refusalCount) refused;"
        + " \(totals.guestCount) guests opened \(totals.guestCallCount) connections")
    return true
  }
}
