extension Ledger {
  /// Whether every event's clock holds the clocks of all events that it names: then what several
  /// events have in common does, too. False where histories part or events are missing, as that
  /// is not looked into.
  ///
  /// - Complexity: O(entries of `seen` · log of how often the devices synced), where devices tell
  ///   of each other what they have.
  var areClocksClosed: Bool {
    guard branches.allSatisfy({ $0.parent < 0 && !$0.isMissing }) else { return false }
    let check = ClosureCheck(history, branchCount: branches.count)
    return branches.indices.allSatisfy(check.isClosed)
  }
}

/// Looks whether a branch that learned of another's event knows what that one knew.
///
/// What that one had learned before an event that was known already, it knew already. And what a
/// third one knew that is found to be known need not be looked at again: so of many events that are
/// learned of at once, nearly all are told by the one that knew most.
private struct ClosureCheck {
  /// An event that was learned of, and where in the log of its branch stands what it had learned
  /// last.
  private struct Told {
    var branch: Int
    var known: Int64
    var last: Int
  }

  private let history: ClockHistory
  private let branchCount: Int
  /// Per branch and place in its log, how many events the branch knew then: who has seen another
  /// one knows more.
  private let sizes: [[Int64]]
  /// So many events that were looked at are asked whether they tell another one.
  private static let askedMax = 8

  init(_ history: ClockHistory, branchCount: Int) {
    self.history = history
    self.branchCount = branchCount
    sizes = (0..<branchCount).map { branch in
      var clock = [Int64](repeating: 0, count: branchCount)
      var size: Int64 = 0
      return (0..<history.markCount(of: branch)).map { place in
        let mark = history.mark(place, of: branch)
        size &+= mark.seen &- clock[Int(mark.other)]
        clock[Int(mark.other)] = mark.seen
        return size
      }
    }
  }

  /// Whether the clock of each of a branch's events holds the clocks of what it names.
  func isClosed(_ branch: Int) -> Bool {
    let count = history.markCount(of: branch)
    var clock = [Int64](repeating: 0, count: branchCount)
    var place = 0
    while place < count {
      let sequence = history.mark(place, of: branch).sequence
      var told: [Told] = []
      while place < count, case let mark = history.mark(place, of: branch),
        mark.sequence == sequence
      {
        let other = Int(mark.other)
        let last = history.firstMark(of: other, behind: mark.seen) - 1
        if last >= 0, history.mark(last, of: other).sequence > clock[other] {
          told.append(Told(branch: other, known: clock[other], last: last))
        }
        clock[other] = mark.seen
        place += 1
      }
      clock[branch] = sequence
      if !areKnown(told, clock) { return false }
    }
    return true
  }

  /// Whether a clock holds the clocks of all these.
  private func areKnown(_ told: [Told], _ clock: [Int64]) -> Bool {
    var asked: [Told] = []
    func isHeld(_ event: Told) -> Bool {
      if asked.contains(where: { tells($0, event) }) { return true }
      if asked.count < Self.askedMax { asked.append(event) }
      return isKnown(event, clock)
    }
    guard let most = told.max(by: { size($0) < size($1) }) else { return true }
    return isHeld(most) && told.allSatisfy(isHeld)
  }

  private func size(_ event: Told) -> Int64 { sizes[event.branch][event.last] }

  /// Whether one has seen what another one learned last.
  private func tells(_ event: Told, _ other: Told) -> Bool {
    let sequence = history.mark(event.last, of: event.branch).sequence
    let seen =
      event.branch == other.branch
      ? sequence : history.seen(other.branch, by: event.branch, at: sequence)
    return seen >= history.mark(other.last, of: other.branch).sequence
  }

  /// Whether a clock holds what an event had learned that is news.
  private func isKnown(_ event: Told, _ clock: [Int64]) -> Bool {
    var place = event.last
    while place >= 0 {
      let mark = history.mark(place, of: event.branch)
      if mark.sequence <= event.known { return true }
      if mark.seen > clock[Int(mark.other)] { return false }
      place -= 1
    }
    return true
  }
}
