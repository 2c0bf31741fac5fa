/// The devices, actions and final syncs of a simulation, all determined by its seed.
struct SimulationPlan: Sendable {
  let deviceCount: Int
  var actions: [SimulatedAction]
  let ending: Ending

  /// The pattern of the final syncs, after which each device holds every event.
  enum Ending: CaseIterable, Sendable {
    /// One device syncs with all others, twice.
    case star
    /// Each device syncs with the next one, forward and backward.
    case chain
    /// Each device syncs with each other one.
    case pairs
    /// Each device syncs with the shared folder, twice.
    case folder
    case cloud
    /// Each device syncs with its copy of a folder, and all copies are made equal.
    case replicatedFolder
  }

  func with(_ actions: [SimulatedAction]) -> SimulationPlan {
    SimulationPlan(deviceCount: deviceCount, actions: actions, ending: ending)
  }
}
