extension Ledger {
  /// Whether every event's clock holds the clocks of all events that it names: then what several
  /// events have in common does, too.
  ///
  /// False also where a history goes on from another one or events are missing, which is not looked
  /// into, and where it would take long to find out.
  ///
  /// - Complexity: O(branches + entries of `seen` · log of how often the devices synced).
  var areClocksClosed: Bool {
    guard branches.allSatisfy({ $0.parent < 0 && !$0.isMissing }) else { return false }
    var check = ClosureCheck(history, branchCount: branches.count)
    return history.branches.allSatisfy { check.isClosed($0) }
  }
}

/// Looks whether a branch that learned of another's event knows what that one knew.
///
/// What that one had learned before an event that was known already, it knew already. And what a
/// third one knew that is found to be known need not be looked at again: so of many events that are
/// learned of at once, nearly all are told by the one that knew most.
private struct ClosureCheck {
  /// An event at which a branch learned something.
  private struct Step {
    var sequence: Int64
    /// Where the last mark of it stands.
    var last: Int
    /// How many events the branch knew then: who has seen another one knows more.
    var size: Int64
  }

  /// An event that was learned of: what its branch had learned by then that is news.
  private struct Told {
    var branch: Int
    var step: Step
    /// Up to which event the branch was known before.
    var known: Int64
  }

  private let history: ClockHistory
  /// Per branch, in order.
  private var steps: [[Step]]
  /// The clock of the event at hand; else nothing but zeros.
  private var clock: [Int64]
  /// How many marks may still be looked at a second time.
  private var marksLeft: Int
  /// At most so many events that were looked at are asked whether they tell another one.
  private static let askedMax = 8

  init(_ history: ClockHistory, branchCount: Int) {
    self.history = history
    clock = Array(repeating: 0, count: branchCount)
    steps = Array(repeating: [], count: branchCount)
    marksLeft = 8 * history.markCount
    for branch in history.branches { steps[branch] = takeSteps(of: branch) }
  }

  private mutating func takeSteps(of branch: Int) -> [Step] {
    var size: Int64 = 0
    var steps: [Step] = []
    for place in 0..<history.markCount(of: branch) {
      let mark = history.mark(place, of: branch)
      size &+= mark.seen &- clock[Int(mark.other)]
      clock[Int(mark.other)] = mark.seen
      if steps.last?.sequence == mark.sequence { steps.removeLast() }
      steps.append(Step(sequence: mark.sequence, last: place, size: size))
    }
    clearClock(of: branch)
    return steps
  }

  private mutating func clearClock(of branch: Int) {
    for other in history.others(of: branch) { clock[other] = 0 }
    clock[branch] = 0
  }

  /// Whether the clock of each of a branch's events holds the clocks of what it names.
  mutating func isClosed(_ branch: Int) -> Bool {
    defer { clearClock(of: branch) }
    var place = 0
    for step in steps[branch] {
      var told: [Told] = []
      while place <= step.last {
        let mark = history.mark(place, of: branch)
        let other = Int(mark.other)
        let next = steps[other].partitioningIndex { $0.sequence > mark.seen }
        if next > 0, steps[other][next - 1].sequence > clock[other] {
          told.append(Told(branch: other, step: steps[other][next - 1], known: clock[other]))
        }
        clock[other] = mark.seen
        place += 1
      }
      clock[branch] = step.sequence
      if !areKnown(told) { return false }
    }
    return true
  }

  /// Whether the clock holds the clocks of all these.
  private mutating func areKnown(_ told: [Told]) -> Bool {
    guard let most = told.max(by: { $0.step.size < $1.step.size }) else { return true }
    var asked = [most]
    if !isKnown(most) { return false }
    for event in told where !asked.contains(where: { tells($0, event) }) {
      if asked.count < Self.askedMax { asked.append(event) }
      if !isKnown(event) { return false }
    }
    return true
  }

  /// Whether one had seen what another one learned last.
  private func tells(_ event: Told, _ other: Told) -> Bool {
    let seen =
      event.branch == other.branch
      ? event.step.sequence
      : history.seen(other.branch, by: event.branch, at: event.step.sequence)
    return seen >= other.step.sequence
  }

  /// Whether the clock holds what an event had learned that is news.
  private mutating func isKnown(_ event: Told) -> Bool {
    var place = event.step.last
    while place >= 0 {
      let mark = history.mark(place, of: event.branch)
      if mark.sequence <= event.known { return true }
      marksLeft -= 1
      if marksLeft < 0 || mark.seen > clock[Int(mark.other)] { return false }
      place -= 1
    }
    return true
  }
}
