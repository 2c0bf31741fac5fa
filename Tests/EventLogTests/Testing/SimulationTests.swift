import EventLog
import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@Suite struct SimulationTests {
  @Test func `devices that do anything and sync anyhow come to agree`() async throws {
    var (conflictCount, eventCount, syncCount) = (0, 0, 0)
    for seed in RandomRounds(12) {
      let report = try await Simulation(seed: seed, catalog: .bundled).check()
      conflictCount += report.conflictCount
      eventCount += report.eventCount
      syncCount += report.syncCount
    }
    #expect(eventCount > 12 && syncCount > 12)
  }

  @Test func `an app's own collections can be simulated`() async throws {
    try await expectConvergence(records: Meal.self, seeds: 0..<UInt64(Rounds.of(6)))
  }

  @Test func `the same seed does the same`() async throws {
    var conflictCount = 0
    for seed in 0..<UInt64(Rounds.of(3)) {
      let first = try await Simulation(seed: seed, catalog: .bundled).run()
      let second = try await Simulation(seed: seed, catalog: .bundled).run()
      #expect(first.journals == second.journals)
      #expect(first.conflictCount == second.conflictCount)
      #expect(first.syncCount == second.syncCount)
      conflictCount += first.conflictCount
    }
    #expect(conflictCount > 0)
  }

  @Test func `all that an app's collections allow is done`() async throws {
    let collection = Meal.schema.collection
    let catalog = try SchemaCatalog([collection])
    var missing = Set(collection.events.map(\.type))
    for seed in 0..<4 as Range<UInt64> where missing != [] || Rounds.areComplete {
      let report = try await Simulation(seed: seed, catalog: catalog, actionCount: 150).check()
      missing = missing.filter { type in
        !report.journals[0].contains { $0.contains("\"type\":\"\(type)\"") }
      }
    }
    #expect(missing == [])
  }

  @Test func `a lost line is found out, with a short list of actions`() async throws {
    var found: SimulationFailure?
    for seed in 0..<20 as Range<UInt64> where found == nil {
      do {
        try await Simulation(seed: seed, catalog: .standard, tampering: ForgetfulRemote.around)
          .check()
      } catch let failure as SimulationFailure {
        found = failure
      }
    }
    let failure = try #require(found)
    #expect(failure.actions.count < 6, "\(failure)")
    #expect(failure.actions.count < failure.actionCount)
    #expect(failure.description.contains("seed \(failure.seed)"))
  }

  @Test func `devices are copied and put back, and what comes of it is told apart`() async throws {
    var (forkCount, wholeCount) = (0, 0)
    // In a plain run from a seed where both are soon found.
    let seeds: Range<UInt64> = Rounds.areComplete ? 0..<60 : 9..<60
    for seed in seeds where forkCount == 0 || wholeCount == 0 {
      let report = try await Simulation(seed: seed, catalog: .standard, actionCount: 60).check()
      if report.forkCount > 0 { forkCount += 1 } else { wholeCount += 1 }
    }
    #expect(forkCount > 0 && wholeCount > 0)
  }

  @Test func `a conflict that is not shown is found out, with a short list of actions`()
    async throws
  {
    let catalog = try SchemaCatalog([.food])
    let blind: @Sendable ([String]) -> [String] = { lines in
      lines.filter { !$0.hasPrefix("conflict food/") }
    }
    // What is short already is made shorter sooner.
    let actionCount: Int? = Rounds.areComplete ? nil : 40
    var found: SimulationFailure?
    for seed in 0..<20 as Range<UInt64> where found == nil {
      do {
        try await Simulation(
          seed: seed, catalog: catalog, actionCount: actionCount, altering: blind
        ).check()
      } catch let failure as SimulationFailure {
        found = failure
      }
    }
    let failure = try #require(found)
    #expect(failure.failures.allSatisfy { $0.contains("must show: conflict food/") }, "\(failure)")
    // Two devices that write, and what it takes for both to hold what is written to.
    #expect(failure.actions.count < 9, "\(failure)")
  }
}
