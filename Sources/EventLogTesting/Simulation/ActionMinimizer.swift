/// Looks for a short list of actions that still fails, by leaving out more and more of them.
///
/// Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002 (ddmin).
struct ActionMinimizer {
  /// After so many runs the shortest list so far has to do.
  private static let runsMax = 300

  private var actions: [SimulatedAction]
  private var runCount = 0

  init(_ actions: [SimulatedAction]) { self.actions = actions }

  /// - Parameter failures: runs a list; empty where it does not fail.
  mutating func minimize(
    _ failures: ([SimulatedAction]) async -> [String]
  ) async -> (actions: [SimulatedAction], failures: [String]) {
    var reasons = await failures(actions)
    var pieces = 2
    while actions.count > 1, runCount < Self.runsMax {
      let size = (actions.count + pieces - 1) / pieces
      var hasShrunk = false
      var start = 0
      while start < actions.count, runCount < Self.runsMax {
        let rest =
          Array(actions[..<start] + actions[min(start + size, actions.count)...])
        runCount += 1
        let found = await failures(rest)
        if found.isEmpty {
          start += size
        } else {
          actions = rest
          reasons = found
          hasShrunk = true
        }
      }
      if !hasShrunk {
        if size == 1 { break }
        pieces = min(pieces * 2, actions.count)
      }
    }
    return (actions, reasons)
  }
}
