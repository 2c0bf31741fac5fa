import EventLog
import EventLogCollections
import EventLogTesting
import Synchronization
import Testing

@Suite(.tags(.random)) struct SimulationTests {
  @Test func `devices with random actions and syncs converge`() async throws {
    var (conflictCount, eventCount, syncCount) = (0, 0, 0)
    for seed in RandomRounds(12) {
      let report = try await Simulation(seed: seed, catalog: .bundled).check()
      conflictCount += report.conflictCount
      eventCount += report.eventCount
      syncCount += report.syncCount
    }
    #expect(eventCount > 12 && syncCount > 12)
  }

  @Test func `devices with an app's collections converge`() async throws {
    try await expectConvergence(records: Meal.self, seeds: 0..<UInt64(Rounds.of(6)))
  }

  @Test func `the same seed produces the same journals and counts`() async throws {
    var conflictCount = 0
    for seed in 0..<6 as Range<UInt64> where seed < Rounds.of(3) || conflictCount == 0 {
      let first = try await Simulation(seed: seed, catalog: .bundled).run()
      let second = try await Simulation(seed: seed, catalog: .bundled).run()
      #expect(first.journals == second.journals)
      #expect(first.conflictCount == second.conflictCount)
      #expect(first.syncCount == second.syncCount)
      conflictCount += first.conflictCount
    }
    #expect(conflictCount > 0)
  }

  @Test func `a simulation writes every event type of a collection`() async throws {
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

  @Test
  func `the simulation detects a lost line and reports a short list of actions`() async throws {
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

  @Test func `the simulation erases events`() async throws {
    var erasedCount = 0
    for seed in 0..<60 as Range<UInt64> where erasedCount == 0 {
      erasedCount += try await Simulation(seed: seed, catalog: .standard).check().erasedCount
    }
    #expect(erasedCount > 0)
  }

  @Test func `the simulation copies and restores devices, with and without forks`() async throws {
    var (forkCount, wholeCount) = (0, 0)
    // A plain run starts at a seed that soon leads to both.
    let seeds: Range<UInt64> = Rounds.areComplete ? 0..<60 : 9..<60
    for seed in seeds where forkCount == 0 || wholeCount == 0 {
      let report = try await Simulation(seed: seed, catalog: .standard, actionCount: 60).check()
      if report.forkCount > 0 { forkCount += 1 } else { wholeCount += 1 }
    }
    #expect(forkCount > 0 && wholeCount > 0)
  }

  @Test func `the simulation detects a conflict that isn't shown`() async throws {
    let catalog = try SchemaCatalog([.food])
    let blind: @Sendable ([String]) -> [String] = { lines in
      lines.filter { !$0.hasPrefix("conflict food/") }
    }
    // A shorter list of actions is minimized faster.
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
    // The minimum: two conflicting writes, and the events that each of them depends on.
    #expect(failure.actions.count < 9, "\(failure)")
  }
}
