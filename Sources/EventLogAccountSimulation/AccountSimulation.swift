package import EventLog
import EventLogAccounts
import EventLogTesting
import Synchronization

/// Simulates users, guests and devices, whose accounts must stay separate and converge.
///
/// A seed determines the actions on three devices, each with a folder of accounts. Three users and
/// guests write, sign in and out, share devices, adopt, undo and sync, with two providers that fail
/// in several ways. Devices are copied and restored, and crash. After each step,
///
/// - no user's events are in another user's journal or storage, unless that user adopted them,
/// - every acknowledged event is in its journal, or was removed on request,
/// - the state equals that of a simple reference implementation, and
/// - no provider was called while a guest was current.
///
/// In the end, all providers work. Then all devices of a user, and a new one, must hold the same
/// lines and show the same state.
///
/// The same seed always results in the same run.
package struct AccountSimulation: Sendable {
  package let seed: UInt64
  private let catalog: SchemaCatalog
  private let actionCount: Int?
  private let faults: AccountFaults
  private let patience: Duration

  /// - Parameter patience: The time limit of a run, after which it counts as never ending. A run
  ///   usually takes about a second.
  package init(
    seed: UInt64, catalog: SchemaCatalog, actionCount: Int? = nil,
    faults: AccountFaults = AccountFaults(), patience: Duration = .seconds(300)
  ) {
    (self.seed, self.catalog, self.actionCount) = (seed, catalog, actionCount)
    (self.faults, self.patience) = (faults, patience)
  }

  /// The result of a simulation.
  package struct Report: Sendable {
    package var actionCount = 0
    package var eventCount = 0
    package var syncCount = 0
    package var adoptionCount = 0
    package var undoCount = 0
    package var crashCount = 0
    package var removalCount = 0
    package var refusalCount = 0
    package var guestCount = 0
    /// The number of calls of providers while a guest was current.
    package var guestCallCount = 0
    /// The number of started actions if the run didn't finish, or nil.
    package var hangsAfter: Int?
    /// The violated guarantees.
    package var failures: [String] = []
    /// The performed actions and their outcomes.
    package var trace: [String] = []

    package init() {}

    /// Adds the counts of another run.
    package mutating func add(_ other: Report) {
      actionCount += other.actionCount
      eventCount += other.eventCount
      syncCount += other.syncCount
      adoptionCount += other.adoptionCount
      undoCount += other.undoCount
      crashCount += other.crashCount
      removalCount += other.removalCount
      refusalCount += other.refusalCount
      guestCount += other.guestCount
      guestCallCount += other.guestCallCount
    }
  }

  /// Runs the simulation and returns its report with any failures.
  package func run() async -> Report { await run(actions) }

  private var actions: [AccountAction] {
    var generator = AccountActionGenerator(seed: seed, catalog)
    return generator.make(actionCount)
  }

  /// Runs `actions` until they end or `patience` has passed.
  private func run(_ actions: [AccountAction]) async -> Report {
    let progress = Progress()
    let report = await withTaskGroup(of: Report?.self) { group in
      group.addTask { await unlessCancelled { await run(actions, progress) } }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    return report ?? Report(hangingAfter: progress.beginCount, actions, patience)
  }

  private func run(_ actions: [AccountAction], _ progress: Progress) async -> Report {
    do throws(EventLogError) {
      let world = try await AccountWorld(seed: seed, catalog, faults)
      do throws(EventLogError) {
        for action in actions where world.failures.isEmpty && !Task.isCancelled {
          progress.begin()
          try await world.perform(action)
        }
        if world.failures.isEmpty, !Task.isCancelled {
          progress.begin()
          try await world.end()
        }
      } catch {
        world.failures.append("an action threw \(error.code): \(error.message)")
      }
      return Report(world, actions.count)
    } catch {
      var report = Report()
      report.failures = ["the beginning threw \(error.code): \(error.message)"]
      return report
    }
  }

  /// Runs the simulation.
  ///
  /// If it fails, reduces the actions to a short list that still fails.
  ///
  /// - Throws: An ``AccountSimulationFailure``.
  @discardableResult
  package func check() async throws(AccountSimulationFailure) -> Report {
    let actions = actions
    let report = await run(actions)
    if report.failures.isEmpty { return report }
    if let count = report.hangsAfter {
      // Each additional run might take as long.
      throw AccountSimulationFailure(
        seed: seed, failures: report.failures,
        actions: actions.prefix(count).map(\.description), actionCount: actions.count)
    }
    var minimizer = ActionMinimizer(actions, report.failures)
    let least = await minimizer.minimize { actions in
      let report = await run(actions)
      return report.hangsAfter == nil ? report.failures : []
    }
    throw AccountSimulationFailure(
      seed: seed, failures: least.failures, actions: least.actions.map(\.description),
      actionCount: actions.count)
  }
}

extension AccountSimulation.Report {
  fileprivate init(_ world: AccountWorld, _ actionCount: Int) {
    let totals = world.totals
    self.actionCount = actionCount
    (eventCount, syncCount) = (totals.events, totals.syncs)
    (adoptionCount, undoCount) = (totals.adoptions, totals.undos)
    (crashCount, removalCount, refusalCount) = (totals.crashes, totals.removals, totals.refusals)
    (guestCount, guestCallCount) = (totals.guests.count, totals.guestCalls)
    (failures, trace) = (world.failures, world.trace)
  }

  /// - Parameter count: The number of started actions; one more than all if the end hangs.
  fileprivate init(hangingAfter count: Int, _ actions: [AccountAction], _ patience: Duration) {
    (actionCount, hangsAfter) = (actions.count, min(count, actions.count))
    var moment = "at the beginning"
    if count > actions.count {
      moment = "in the end, when all sync"
    } else if count > 0 {
      moment = "in action \(count): \(actions[count - 1])"
    }
    failures = ["it has not ended within \(patience), and hangs \(moment)"]
  }
}

/// The progress of a run.
private final class Progress: Sendable {
  private let count = Mutex(0)

  /// The number of started actions.
  var beginCount: Int { count.withLock { $0 } }

  func begin() { count.withLock { $0 += 1 } }
}

/// The failure of a simulation of accounts.
package struct AccountSimulationFailure: Error, CustomStringConvertible, Sendable {
  package let seed: UInt64
  package let failures: [String]
  /// A short list of actions that leads to the failure.
  package let actions: [String]
  package let actionCount: Int

  package var description: String {
    """
    The simulation of accounts of seed \(seed) fails:
    \(failures.map { "  " + $0 }.joined(separator: "\n"))
    It takes \(actions.count) of its \(actionCount) actions:
    \(actions.map { "  " + $0 }.joined(separator: "\n"))
    Repeat it: swift run EventLogBenchmarks simulate-accounts 1 \(seed)
    """
  }
}
