/// Searches for a short list of actions that still fails, by omitting more and more of them.
///
/// Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002 (ddmin).
package struct ActionMinimizer<Action> {
  /// The maximum number of runs.
  private static var runsMax: Int { 300 }

  private var actions: [Action]
  private var reasons: [String]
  private var runCount = 0

  /// Starts with all actions and the failures that they cause.
  package init(_ actions: [Action], _ reasons: [String]) {
    self.actions = actions
    self.reasons = reasons
  }

  /// Returns the shortest failing list that was found and its failures.
  ///
  /// - Parameter failures: Runs a list. Returns an empty array if it succeeds.
  package mutating func minimize(
    _ failures: ([Action]) async -> [String]
  ) async -> (actions: [Action], failures: [String]) {
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
