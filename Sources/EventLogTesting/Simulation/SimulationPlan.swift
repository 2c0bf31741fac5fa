/// What a seed gives: all that a run does follows from it.
struct SimulationPlan: Sendable {
  let deviceCount: Int
  var actions: [SimulatedAction]
  let meeting: Meeting

  /// How all meet in the end, until each holds what any of them held.
  enum Meeting: CaseIterable, Sendable {
    /// One meets all others, then all others again.
    case star
    /// Each meets the next, there and back.
    case chain
    /// Each goes to the shared folder, twice.
    case folder
    case cloud
    /// Each goes to its copy of a folder, of which all are brought to the same.
    case replicatedFolder
  }

  /// The same with other actions.
  func with(_ actions: [SimulatedAction]) -> SimulationPlan {
    SimulationPlan(deviceCount: deviceCount, actions: actions, meeting: meeting)
  }
}
