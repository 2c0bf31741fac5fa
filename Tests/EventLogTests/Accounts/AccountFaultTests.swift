import EventLog
import EventLogAccountSimulation
import EventLogAccounts
import EventLogCollections
import Testing

/// Accounts that do something wrong: the simulation finds it out, with a short list of actions.
@Suite struct AccountFaultTests {
  private static let catalog = try! SchemaCatalog([.habits])

  /// The first failure of a few seeds.
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

  @Test func `a place that throws away what it has taken is found out`() async throws {
    var faults = AccountFaults()
    faults.tamper = { ForgetfulRemote($0) }
    let failure = try await failure(faults)
    #expect(failure.failures.allSatisfy { $0.contains("lacks") || $0.contains("has") })
    #expect(failure.actions.count < 4, "\(failure)")
  }

  @Test func `a guest who is adopted though the person said no is found out`() async throws {
    var faults = AccountFaults()
    faults.choose = { _ in .adopt }
    let failure = try await failure(faults)
    #expect(failure.failures.contains { $0.contains(" adopted guest-") }, "\(failure)")
    #expect(failure.failures.contains { $0.contains(" of guest-") }, "\(failure)")
    // Somebody writes as a guest, and signs in.
    #expect(failure.actions.count < 4, "\(failure)")
  }

  @Test func `a run that never ends is told with its seed`() async throws {
    var faults = AccountFaults()
    faults.tamper = { SilentRemote(base: $0) }
    // However far it comes meanwhile: it cannot come to its end.
    let simulation = AccountSimulation(
      seed: 1, catalog: Self.catalog, actionCount: 16, faults: faults, patience: .seconds(1))
    let failure = await #expect(throws: AccountSimulationFailure.self) {
      try await simulation.check()
    }
    #expect(failure?.failures.count == 1)
    #expect(failure?.failures.first?.hasPrefix("it has not ended within 1.0 seconds") == true)
    #expect(failure?.description.contains("simulate-accounts 1 1") == true)
  }

  @Test func `an undo that changes nothing is found out`() async throws {
    var faults = AccountFaults()
    faults.forgetsUndos = true
    let failure = try await failure(faults)
    #expect(failure.failures.allSatisfy { $0.contains("a second time") }, "\(failure)")
    // Somebody writes as a guest, signs in, and thinks better of it.
    #expect(failure.actions.count < 5, "\(failure)")
  }

  @Test func `a conflict that is not shown is found out`() async throws {
    var faults = AccountFaults()
    faults.alter = { lines in lines.filter { !$0.hasPrefix("conflict ") } }
    // One of the first seeds comes to a conflict. The actions that it takes are many to try out.
    for seed in 7..<40 as Range<UInt64> {
      let failures = await Self.simulation(seed, faults).run().failures
      if failures.isEmpty { continue }
      return #expect(failures.allSatisfy { $0.contains("must show: conflict ") }, "\(failures)")
    }
    throw NothingFound()
  }
}

/// A remote that never answers.
private struct SilentRemote: ReachableRemote {
  let base: any ReachableRemote

  var address: String { base.address }

  func connect(_ visit: RemoteVisit) async throws(EventLogError) -> any RemoteSession {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    return try await base.connect(visit)
  }
}
