import EventLog

/// Adds erasures to the actions of a third of the runs.
///
/// It has random numbers of its own, so that the other runs stay as they were.
struct ErasureGenerator {
  private var random: SplitMix64

  init(seed: UInt64) {
    // Neighboring seeds of the other generator must not repeat its numbers.
    random = SplitMix64(seed: seed ^ 0xE2A5_ED00_0000_0000)
  }

  mutating func added(
    to actions: [SimulatedAction], _ deviceCount: Int, _ troubles: Set<ActionGenerator.Trouble>
  ) -> [SimulatedAction] {
    guard Int.random(in: 0..<3, using: &random) == 0, !actions.isEmpty else {
      return actions
    }
    var actions = actions
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let (device, seed) = (Int.random(in: 0..<deviceCount, using: &random), random.next())
      var action = SimulatedAction.erase(device: device, seed: seed)
      if troubles.contains(.crashes), Bool.random(using: &random) {
        let count = Int.random(in: 0..<24, using: &random)
        action = .crash(device: device, .erase(seed: seed), afterChanges: count)
      }
      actions.insert(action, at: Int.random(in: 0...actions.count, using: &random))
    }
    return actions
  }
}
