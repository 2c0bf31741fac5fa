import EventLogAccountSimulation
import EventLogCollections
import Testing

/// Users, guests and devices that act at random. No event reaches another user.
@Suite(.tags(.random)) struct AccountSimulationTests {
  @Test func `random users stay separate, and their devices converge`() async throws {
    var totals = AccountSimulation.Report()
    for seed in RandomRounds(4, atLeast: 1) {
      let simulation = AccountSimulation(
        seed: seed, catalog: .standard, actionCount: Rounds.areComplete ? nil : 8)
      totals.add(try await simulation.check())
    }
    #expect(totals.guestCount > 0 && totals.guestCallCount == 0)
  }

  @Test func `the same seed produces the same trace and failures`() async throws {
    for seed in 0..<UInt64(Rounds.of(8)) {
      let simulation = AccountSimulation(
        seed: seed, catalog: .standard, actionCount: Rounds.areComplete ? nil : 8)
      let (first, second) = (await simulation.run(), await simulation.run())
      #expect(first.trace == second.trace && !first.trace.isEmpty)
      #expect(first.failures == second.failures)
    }
  }
}
