public import EventLog

/// A simulation of devices that write, fail, and sync at random, and must converge in the end.
///
/// A seed determines 2 to 6 devices of one user, and a list of actions:
///
/// - The devices append events of every type in the catalog and resolve conflicts. Forms stay open
///   while others write, several processes use a journal, apps restart, and clocks are wrong by
///   years.
/// - The devices sync in every topology, through journals and shared storage, in one direction or
///   both. Syncs are abandoned, repeated, reordered, and cut off.
/// - In some runs, devices are copied or restored from backups, journals are damaged or lose their
///   last lines, disks fail in the middle of an operation, or devices sync with others that violate
///   the protocol.
/// - In some runs, devices erase entities, past values and events.
///
/// After every action, each journal must still contain its previous bytes, because a journal only
/// grows. Only lines of erased events may have lost their contents.
///
/// In the end, all devices sync. They must then contain the same events, including every event
/// whose append had returned, and show the same state byte for byte. Values, conflicts, and their
/// bases must match a simple reference implementation. Events that were lost everywhere are
/// acknowledged as lost; then no journal may have a problem. Nothing of an erased event may be
/// left. One device resolves all conflicts, all devices sync again, and the conflicts must be
/// resolved everywhere.
///
/// The same seed always results in the same run.
public struct Simulation: Sendable {
  /// The seed that determines the devices and their actions.
  public let seed: UInt64
  /// The collections of each version of the app, the oldest first. The devices begin with them in
  /// turn, and may be updated.
  private let catalogs: [SchemaCatalog]
  private let actionCount: Int?
  private let tamper: @Sendable (any Remote) -> any Remote
  private let alter: @Sendable ([String]) -> [String]

  /// Creates a simulation.
  ///
  /// - Parameters:
  ///   - seed: The seed that determines the devices and their actions.
  ///   - catalog: The collections whose events the devices write.
  ///   - actionCount: The number of actions, or `nil` for a few dozen, determined by the seed.
  public init(seed: UInt64, catalog: SchemaCatalog = SchemaCatalog(), actionCount: Int? = nil) {
    self.init(seed: seed, catalog: catalog, actionCount: actionCount, altering: { $0 })
  }

  /// Creates a simulation with a fault, to check that it is detected.
  ///
  /// - Parameters:
  ///   - seed: The seed that determines the devices and their actions.
  ///   - catalog: The collections whose events the devices write.
  ///   - actionCount: The number of actions.
  ///   - tamper: Wraps each remote of the devices.
  ///   - alter: Changes the lines of a state's report before they are judged.
  package init(
    seed: UInt64, catalog: SchemaCatalog, actionCount: Int? = nil,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote = { $0 },
    altering alter: @escaping @Sendable ([String]) -> [String] = { $0 }
  ) {
    self.init(
      seed: seed, versions: [catalog], actionCount: actionCount, tampering: tamper,
      altering: alter)
  }

  /// Creates a simulation of devices with several versions of an app.
  ///
  /// - Parameter catalogs: The collections of each version, the oldest first.
  package init(
    seed: UInt64, versions catalogs: [SchemaCatalog], actionCount: Int? = nil,
    tampering tamper: @escaping @Sendable (any Remote) -> any Remote = { $0 },
    altering alter: @escaping @Sendable ([String]) -> [String] = { $0 }
  ) {
    self.seed = seed
    self.catalogs = catalogs
    self.actionCount = actionCount
    self.tamper = tamper
    self.alter = alter
  }

  /// The result of a simulation.
  public struct Report: Sendable {
    /// The seed that results in the same run.
    public let seed: UInt64
    /// The number of devices, including copies.
    public let deviceCount: Int
    /// The number of planned actions.
    ///
    /// A run that fails can end before the last one.
    public let actionCount: Int
    /// The number of events after all devices had synced.
    public let eventCount: Int
    /// The number of syncs.
    public let syncCount: Int
    /// The number of open conflicts after all devices had synced.
    public let conflictCount: Int
    /// The number of device IDs under which two copies have written.
    public let forkCount: Int
    /// The number of events that were lost everywhere.
    public let lostCount: Int
    /// The number of events of which something was erased.
    public let erasedCount: Int
    /// The requirements that weren't met.
    ///
    /// Empty if the simulation succeeded.
    public let failures: [String]
    /// The lines of the devices' journals.
    package let journals: [[String]]
  }

  /// Runs the simulation.
  ///
  /// - Returns: The result, which can contain failures.
  /// - Throws: Errors that no action should throw; `invalidSchema` if the catalog is empty.
  public func run() async throws(EventLogError) -> Report {
    guard !catalogs.contains(where: \.collections.isEmpty) else {
      throw EventLogError(
        .invalidSchema, "A simulation needs collections whose events it can write.",
        hint: "Name your records: expectConvergence(records: Food.self, seeds: 0..<100).")
    }
    var generator = ActionGenerator(seed: seed, catalogs)
    return try await run(generator.make(actionCount))
  }

  private func run(_ plan: SimulationPlan) async throws(EventLogError) -> Report {
    let world = try await SimulatedWorld(
      seed: seed, deviceCount: plan.deviceCount, catalogs, tampering: tamper)
    for action in plan.actions {
      try await world.perform(action)
      if !world.failures.isEmpty { break }
    }
    let check = ConvergenceCheck(world: world, altering: alter)
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
    if failures.isEmpty, world.devices.contains(where: { !$0.store.snapshot.conflicts.isEmpty }) {
      for version in catalogs.indices {
        try await world.settleAll(version)
        try await world.syncAll(plan.ending)
      }
      failures = try check.failures() + check.failuresOfSettling()
    }
    if failures.isEmpty, catalogs.count > 1 {
      try await world.updateAll()
      failures = try check.failures()
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
      lostCount: world.lost.count, erasedCount: try world.erasedCount(), failures: failures,
      journals: journals)
  }

  /// Runs the simulation.
  ///
  /// If it fails, reduces the actions to a short list that still fails.
  ///
  /// - Returns: The result of a successful simulation.
  /// - Throws: A ``SimulationFailure`` if the simulation fails.
  @discardableResult
  public func check() async throws -> Report {
    var generator = ActionGenerator(seed: seed, catalogs)
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

  /// Returns the failures of a plan, or an empty array if it succeeds.
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
  /// The number of device IDs with several histories.
  fileprivate var forkedDeviceCount: Int {
    Dictionary(grouping: frontier.tips, by: \.device).count { $0.value.count > 1 }
  }
}
