/// What a seed gives: all that a run does follows from it.
struct SimulationPlan: Sendable {
  let deviceCount: Int
  var actions: [SimulatedAction]
  let ending: Ending

  /// How all sync in the end, until each holds what any of them held.
  enum Ending: CaseIterable, Sendable {
    /// One syncs with all others, then with all others again.
    case star
    /// Each syncs with the next, there and back.
    case chain
    /// Each syncs with each other one.
    case pairs
    /// Each syncs with the shared folder, twice.
    case folder
    case cloud
    /// Each syncs with its copy of a folder, of which all are brought to the same.
    case replicatedFolder
  }

  /// The same with other actions.
  func with(_ actions: [SimulatedAction]) -> SimulationPlan {
    SimulationPlan(deviceCount: deviceCount, actions: actions, ending: ending)
  }
}
