public import EventLog

/// An error that reports a simulation whose devices didn't converge.
public struct SimulationFailure: Error, CustomStringConvertible, Sendable {
  /// The seed that results in the same failure.
  public let seed: UInt64
  /// The requirements that weren't met.
  public let failures: [String]
  /// A short list of actions that leads to the failure.
  public let actions: [String]
  /// The number of actions in the original simulation.
  public let actionCount: Int
  /// The pattern of the final syncs.
  let ending: String

  /// The seed, the failures, and the actions that lead to them.
  public var description: String {
    """
    The simulation of seed \(seed) fails:
    \(failures.map { "  " + $0 }.joined(separator: "\n"))
    It takes \(actions.count) of its \(actionCount) actions (ending: \(ending)):
    \(actions.map { "  " + $0 }.joined(separator: "\n"))
    """
  }
}

/// Simulates devices that use your app's collections and throws an error for the first seed for
/// which they don't converge.
///
/// ```swift
/// @Test func `our collections converge`() async throws {
///   try await expectConvergence(records: Food.self, seeds: 0..<100)
/// }
/// ```
///
/// With `alongside`, every other device has a later version of your app. Devices of both versions
/// sync, and each version must show the same state on all of its devices.
///
/// - Parameters:
///   - records: Your app's record types.
///   - later: The record types of a later version of your app, or none.
///   - catalog: Additional collections.
///   - seeds: The seeds of the simulations to run. The default takes some seconds in a debug build.
/// - Throws: A ``SimulationFailure`` with the seed and a short list of actions; `invalidSchema` if
///   the declarations are invalid or contradict each other.
public func expectConvergence(
  records: any Record.Type..., alongside later: any Record.Type...,
  catalog: SchemaCatalog = SchemaCatalog(), seeds: Range<UInt64> = 0..<8
) async throws {
  var versions = [try catalog.adding(records)]
  if !later.isEmpty { versions.append(try catalog.adding(later)) }
  for seed in seeds { try await Simulation(seed: seed, versions: versions).check() }
}
