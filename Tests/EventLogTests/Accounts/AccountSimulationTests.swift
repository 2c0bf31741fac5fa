import EventLogAccountSimulation
import EventLogCollections
import Testing

/// People, guests and devices that do anything: everybody's events stay their own.
@Suite struct AccountSimulationTests {
  @Test func `accounts stay apart, and come together in the end`() async throws {
    var totals = AccountSimulation.Report()
    for seed in RandomRounds(4, atLeast: 1) {
      let simulation = AccountSimulation(
        seed: seed, catalog: .standard, actionCount: Rounds.areComplete ? nil : 8)
      totals.add(try await simulation.check())
    }
    #expect(totals.guestCount > 0 && totals.guestCallCount == 0)
  }

  @Test func `the same seed does the same`() async throws {
    for seed in 0..<UInt64(Rounds.of(8)) {
      let simulation = AccountSimulation(
        seed: seed, catalog: .standard, actionCount: Rounds.areComplete ? nil : 8)
      let (first, second) = (await simulation.run(), await simulation.run())
      #expect(first.trace == second.trace && !first.trace.isEmpty)
      #expect(first.failures == second.failures)
    }
  }
}
