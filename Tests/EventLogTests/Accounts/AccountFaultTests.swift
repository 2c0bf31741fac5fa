import EventLog
import EventLogAccountSimulation
import EventLogAccounts
import EventLogCollections
import Testing

/// Injected faults. The simulation detects each one, and reports a short list of actions.
@Suite(.tags(.faults)) struct AccountFaultTests {
  private static let catalog = try! SchemaCatalog([.habits])

  /// Returns the first failure among a few seeds.
  private func failure(_ faults: AccountFaults) async throws -> AccountSimulationFailure {
    for seed in 0..<40 as Range<UInt64> {
      do throws(AccountSimulationFailure) {
        try await Self.simulation(seed, faults).check()
      } catch {
        #expect(error.actions.count < error.actionCount, "\(error)")
        #expect(error.description.contains("simulate-accounts 1 \(seed)"))
        return error
      }
    }
    throw NothingFound()
  }

  private static func simulation(
    _ seed: UInt64, _ faults: AccountFaults
  ) -> AccountSimulation {
    AccountSimulation(seed: seed, catalog: catalog, actionCount: 16, faults: faults)
  }

  private struct NothingFound: Error {}

  @Test func `the simulation detects a remote that discards accepted events`() async throws {
    var faults = AccountFaults()
    faults.tamper = { ForgetfulRemote($0) }
    let failure = try await failure(faults)
    #expect(failure.failures.allSatisfy { $0.contains("lacks") || $0.contains("has") })
    #expect(failure.actions.count < 4, "\(failure)")
  }

  @Test func `the simulation detects a guest adopted against the user's choice`() async throws {
    var faults = AccountFaults()
    faults.choose = { _ in .adopt }
    let failure = try await failure(faults)
    #expect(failure.failures.contains { $0.contains(" adopted guest-") }, "\(failure)")
    #expect(failure.failures.contains { $0.contains(" of guest-") }, "\(failure)")
    // Two actions are enough: a guest writes, then signs in.
    #expect(failure.actions.count < 4, "\(failure)")
  }

  @Test func `a simulation that doesn't end is reported with its seed`() async throws {
    var faults = AccountFaults()
    faults.tamper = { SilentRemote(base: $0) }
    // The remote never responds, so the run can't end within any time limit.
    let simulation = AccountSimulation(
      seed: 1, catalog: Self.catalog, actionCount: 16, faults: faults, patience: .seconds(1))
    let failure = await #expect(throws: AccountSimulationFailure.self) {
      try await simulation.check()
    }
    #expect(failure?.failures.count == 1)
    #expect(failure?.failures.first?.hasPrefix("it has not ended within 1.0 seconds") == true)
    #expect(failure?.description.contains("simulate-accounts 1 1") == true)
  }

  @Test func `the simulation detects an undo that changes nothing`() async throws {
    var faults = AccountFaults()
    faults.forgetsUndos = true
    let failure = try await failure(faults)
    #expect(failure.failures.allSatisfy { $0.contains("a second time") }, "\(failure)")
    // Three actions are enough: a guest writes, signs in, and undoes the adoption.
    #expect(failure.actions.count < 5, "\(failure)")
  }

  @Test func `the simulation detects a conflict that isn't shown`() async throws {
    var faults = AccountFaults()
    faults.alter = { lines in lines.filter { !$0.hasPrefix("conflict ") } }
    // One of the first seeds produces a conflict, but with too many actions to minimize here.
    for seed in 7..<40 as Range<UInt64> {
      let failures = await Self.simulation(seed, faults).run().failures
      if failures.isEmpty { continue }
      return #expect(failures.allSatisfy { $0.contains("must show: conflict ") }, "\(failures)")
    }
    throw NothingFound()
  }
}

/// A remote that never responds.
private struct SilentRemote: ReachableRemote {
  let base: any ReachableRemote

  var address: String { base.address }

  func connect(_ request: SyncRequest) async throws(EventLogError) -> any RemoteSession {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    return try await base.connect(request)
  }
}
