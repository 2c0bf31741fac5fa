public import EventLog

/// A simulation whose devices did not come to agree.
public struct SimulationFailure: Error, CustomStringConvertible, Sendable {
  /// The seed that gives the same failure again.
  public let seed: UInt64
  /// What did not hold.
  public let failures: [String]
  /// A short list of actions after which it does not hold.
  public let actions: [String]
  /// How many actions the seed gives.
  public let actionCount: Int
  /// How all sync in the end.
  let ending: String

  /// Several lines for a person: the seed, what did not hold, and the actions that lead to it.
  public var description: String {
    """
    The simulation of seed \(seed) fails:
    \(failures.map { "  " + $0 }.joined(separator: "\n"))
    It takes \(actions.count) of its \(actionCount) actions (ending: \(ending)):
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
  records: any Record.Type..., catalog: SchemaCatalog = SchemaCatalog(), seeds: Range<UInt64>
) async throws {
  let catalog = try catalog.adding(records)
  for seed in seeds { try await Simulation(seed: seed, catalog: catalog).check() }
}
