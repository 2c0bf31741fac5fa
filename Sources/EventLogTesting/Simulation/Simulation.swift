public import EventLog

/// Devices of one user that do anything, sync anyhow, and in the end must agree.
///
/// A seed gives 2 to 6 devices and a list of actions: events of every type of the catalog, settling
/// of conflicts, forms that are open while others write, second processes, restarts, clocks that
/// are wrong by years, and syncs in every topology, through journals and shared places, one way and
/// both, abandoned, doubled, reordered and cut. In some runs devices are also copied, put back to
/// earlier states and cut off, journals are damaged, disks fail in the middle of something, or
/// devices sync with others that do not keep to what they should.
///
/// After every action each journal must hold what it held before, byte for byte: it only grows. In
/// the end all sync with all. Then they must hold the same events and show the same state byte for
/// byte: every event whose append had returned, as it was written, and values, conflicts and their
/// bases as a comparison of each event with each other one gives them. What was lost everywhere is
/// acknowledged; then no journal may have a problem. One device settles what is open, all sync once
/// more, and it must be settled everywhere.
///
/// The same seed does the same.
public struct Simulation: Sendable {
  /// What the devices and their actions follow from.
  public let seed: UInt64
  private let catalog: SchemaCatalog
  private let actionCount: Int?
  private let tamper: @Sendable (any Remote) -> any Remote
  private let alter: @Sendable ([String]) -> [String]

  /// - Parameters:
  ///   - catalog: the collections whose events are written.
  ///   - actionCount: nil: some dozens, by the seed.
  public init(seed: UInt64, catalog: SchemaCatalog = SchemaCatalog(), actionCount: Int? = nil) {
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
    /// The seed that gives the same run again.
    public let seed: UInt64
    /// How many devices took part, copies counted.
    public let deviceCount: Int
    /// How many actions were planned; a run that fails may end before the last.
    public let actionCount: Int
    /// How many events there were when all had synced.
    public let eventCount: Int
    /// How many syncs there were.
    public let syncCount: Int
    /// How many conflicts were open when all had synced.
    public let conflictCount: Int
    /// How many device IDs two copies had written under.
    public let forkCount: Int
    /// How many events were destroyed everywhere.
    public let lostCount: Int
    /// What must hold and did not; empty where all is well.
    public let failures: [String]
    /// What stands in the journals of the devices.
    package let journals: [[String]]
  }

  /// Runs it.
  ///
  /// - Throws: what no action should throw; `invalidSchema` for a catalog without collections.
  public func run() async throws(EventLogError) -> Report {
    guard !catalog.collections.isEmpty else {
      throw EventLogError(
        .invalidSchema, "A simulation needs collections whose events it can write.",
        hint: "Name your records: expectConvergence(records: Food.self, seeds: 0..<100).")
    }
    var generator = ActionGenerator(seed: seed, catalog)
    return try await run(generator.make(actionCount))
  }

  private func run(_ plan: SimulationPlan) async throws(EventLogError) -> Report {
    let world = try await SimulatedWorld(
      seed: seed, deviceCount: plan.deviceCount, catalog, tampering: tamper)
    for action in plan.actions {
      try await world.perform(action)
      if !world.failures.isEmpty { break }
    }
    let check = ConvergenceCheck(world: world, catalog: catalog, altering: alter)
    var failures = world.failures
    if failures.isEmpty {
      try await world.syncAll(plan.ending)
      try await world.reopenAll()
      failures = try check.failures()
    }
    let state = world.devices[0].store.snapshot
    if failures.isEmpty, try await world.acceptAllLosses() {
      try await world.syncAll(plan.ending)
      failures = try check.failures() + check.failuresOfAcceptedLosses()
    }
    if failures.isEmpty, !state.conflicts.isEmpty {
      try await world.settleAll()
      try await world.syncAll(plan.ending)
      failures = try check.failures() + check.failuresOfSettling()
    }
    if failures.isEmpty { failures = try check.failures(with: try await world.latecomers()) }
    return try report(of: world, plan, state, failures)
  }

  private func report(
    of world: SimulatedWorld, _ plan: SimulationPlan, _ state: Snapshot, _ failures: [String]
  ) throws(EventLogError) -> Report {
    var journals: [[String]] = []
    for device in world.devices { journals.append(try device.store.lines()) }
    return Report(
      seed: seed, deviceCount: world.numbered.count, actionCount: plan.actions.count,
      eventCount: state.eventCount, syncCount: world.syncCount,
      conflictCount: state.conflicts.count, forkCount: state.forkedDeviceCount,
      lostCount: world.lost.count, failures: failures, journals: journals)
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
      actionCount: plan.actions.count, ending: "\(plan.ending)")
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

extension Snapshot {
  /// How many device IDs have several histories.
  fileprivate var forkedDeviceCount: Int {
    Dictionary(grouping: frontier.tips, by: \.device).count { $0.value.count > 1 }
  }
}
