public import EventLog

/// Devices of one user that do anything, meet anyhow, and in the end must agree.
///
/// A seed gives 2 to 6 devices and a list of actions: events of every type of the catalog, settling
/// of conflicts, forms that are open while others write, second processes, restarts, clocks that
/// are wrong by years, and replications in every topology, through journals and a shared folder,
/// one way and both, abandoned, doubled, reordered and cut. Then all meet, and must hold the same
/// events and show the same state byte for byte: every event whose append had returned, and values,
/// conflicts and their bases as a comparison of each event with each other one gives them. One
/// device settles what is open, all meet once more, and it must be settled everywhere.
///
/// In every third run devices are also copied, put back to earlier states, and cut off. Then a
/// number may stand for two events only where nothing could tell, each fork must be reported by
/// those who hold its branches, whoever was shown must write under that ID no more, and all that
/// has seen no fork must be everywhere. In some runs lines are damaged, or devices meet others that
/// do not keep to what they should; journals are repaired on the way. In the end all are repaired:
/// then no fork and no damage may be left, and of either branch nothing may be missing.
///
/// The same seed does the same.
public struct Simulation: Sendable {
  public let seed: UInt64
  private let catalog: SchemaCatalog
  private let actionCount: Int?
  private let tamper: @Sendable (any Remote) -> any Remote
  private let alter: @Sendable ([String]) -> [String]

  /// - Parameters:
  ///   - catalog: the collections whose events are written.
  ///   - actionCount: nil: some dozens, by the seed.
  public init(seed: UInt64, catalog: SchemaCatalog = .standard, actionCount: Int? = nil) {
    self.init(seed: seed, catalog: catalog, actionCount: actionCount, altering: { $0 })
  }

  /// A simulation with a fault, to see that it is found out.
  ///
  /// - Parameters:
  ///   - tamper: puts something between the devices and each remote.
  ///   - alter: puts something between the lines of a ``EventLog/Snapshot/report`` and who judges
  ///     them.
  package init(
    seed: UInt64, catalog: SchemaCatalog, actionCount: Int? = nil,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote = { $0 },
    altering alter: @escaping @Sendable ([String]) -> [String] = { $0 }
  ) {
    self.seed = seed
    self.catalog = catalog
    self.actionCount = actionCount
    self.tamper = tamper
    self.alter = alter
  }

  /// What a run found.
  public struct Report: Sendable {
    public let seed: UInt64
    public let deviceCount: Int
    public let actionCount: Int
    /// How many events there were when all had met.
    public let eventCount: Int
    /// How many replications there were before all met.
    public let syncCount: Int
    /// How many conflicts were open when all had met.
    public let conflictCount: Int
    /// Whether devices were copied or put back to earlier states, or met what is not so.
    public let hasPasts: Bool
    /// Whether two events had one number when all had met, because a device had been copied, or put
    /// back to an earlier state, and nothing told it so.
    public let hasForks: Bool
    /// What must hold and did not; empty where all is well.
    public let failures: [String]
    /// What stands in the journals of the devices.
    package let journals: [[String]]
  }

  /// Runs it.
  ///
  /// - Throws: what no action should throw.
  public func run() async throws(EventLogError) -> Report {
    var generator = ActionGenerator(seed: seed, catalog)
    return try await run(generator.make(actionCount))
  }

  private func run(_ plan: SimulationPlan) async throws(EventLogError) -> Report {
    let world = try await SimulatedWorld(
      seed: seed, deviceCount: plan.deviceCount, catalog, tampering: tamper)
    for action in plan.actions { try await world.perform(action) }
    try await world.meetAll(plan.meeting)
    try await world.reopenAll()
    let check = ConvergenceCheck(world: world, catalog: catalog, altering: alter)
    let hasForks = try !world.held().forks.isEmpty
    var failures = try await check.failures()
    if failures.isEmpty, hasForks || world.numbers.hasDamage || world.numbers.hasReissues {
      failures = try await world.repairAll()
      try await world.meetAll(plan.meeting)
      failures += try await check.failuresOfAgreeing()
    }
    let state = world.devices[0].snapshot
    if failures.isEmpty, !state.conflicts.isEmpty {
      try await world.settleAll()
      try await world.meetAll(plan.meeting)
      failures = try await check.failuresOfAgreeing() + check.failuresOfSettling()
    }
    var journals: [[String]] = []
    for device in world.devices { journals.append(try device.lines()) }
    return Report(
      seed: seed, deviceCount: plan.deviceCount, actionCount: plan.actions.count,
      eventCount: state.eventCount, syncCount: world.syncCount,
      conflictCount: state.conflicts.count, hasPasts: world.numbers.hasPasts,
      hasForks: hasForks, failures: failures,
      journals: journals)
  }

  /// Runs it, and where it fails looks for a short list of actions that fails too.
  ///
  /// - Throws: ``SimulationFailure``.
  @discardableResult
  public func check() async throws -> Report {
    var generator = ActionGenerator(seed: seed, catalog)
    let plan = generator.make(actionCount)
    let reasons: [String]
    do throws(EventLogError) {
      let report = try await run(plan)
      if report.failures.isEmpty { return report }
      reasons = report.failures
    } catch {
      reasons = Self.failures(error)
    }
    var minimizer = ActionMinimizer(plan.actions, reasons)
    let least = await minimizer.minimize { actions in await failures(plan.with(actions)) }
    throw SimulationFailure(
      seed: seed, failures: least.failures, actions: least.actions.map(\.description),
      actionCount: plan.actions.count)
  }

  /// What fails with these actions; empty where nothing does.
  private func failures(_ plan: SimulationPlan) async -> [String] {
    do throws(EventLogError) { return try await run(plan).failures } catch {
      return Self.failures(error)
    }
  }

  private static func failures(_ error: EventLogError) -> [String] {
    ["an action threw: \(error.message)"]
  }
}

/// A simulation whose devices did not come to agree.
public struct SimulationFailure: Error, CustomStringConvertible, Sendable {
  public let seed: UInt64
  /// What did not hold.
  public let failures: [String]
  /// A short list of actions after which it does not hold.
  public let actions: [String]
  /// How many actions the seed gives.
  public let actionCount: Int

  public var description: String {
    """
    The simulation of seed \(seed) fails:
    \(failures.map { "  " + $0 }.joined(separator: "\n"))
    It takes \(actions.count) of its \(actionCount) actions:
    \(actions.map { "  " + $0 }.joined(separator: "\n"))
    """
  }
}

/// Simulates devices with the collections of an app, and throws for the first seed whose devices do
/// not come to agree.
///
/// ```swift
/// @Test func `our collections converge`() async throws {
///   try await expectConvergence(records: Food.self, seeds: 0..<100)
/// }
/// ```
///
/// - Throws: ``SimulationFailure``, which names the seed and a short list of actions;
///   `invalidSchema` for declarations that cannot be.
public func expectConvergence(
  records: any Record.Type..., catalog: SchemaCatalog = .standard, seeds: Range<UInt64>
) async throws {
  let catalog = try catalog.adding(records)
  for seed in seeds { try await Simulation(seed: seed, catalog: catalog).check() }
}
