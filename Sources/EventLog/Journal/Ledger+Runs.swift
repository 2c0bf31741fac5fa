// Runs: events that are known to follow one another. A run ends before a missing event, because its
// predecessor is only presumed, and two journals may presume different ones. So a device that holds
// the end of a run may lack the events before the run.

extension Ledger {
  /// The last event of each run: held events that no held event continues.
  ///
  /// - Complexity: O(branches).
  package var runEnds: [Point] {
    var isContinued = [Bool](repeating: false, count: branches.count)
    for branch in branches.indices {
      guard let before = eventBefore(run: branch) else { continue }
      let branch = Int(before.branch)
      if before.sequence == branches[branch].last { isContinued[branch] = true }
    }
    return branches.indices.filter { branches[$0].eventCount > 0 && !isContinued[$0] }
      .map { Point(branch: Int32($0), sequence: branches[$0].last) }
  }

  /// The held predecessor of a branch's first held event, or nil if there is none.
  private func eventBefore(run branch: Int) -> Point? {
    guard !branches[branch].isMissing, branches[branch].parent >= 0 else { return nil }
    let point = Point(branch: branches[branch].parent, sequence: branches[branch].after)
    return isHeld(point) ? point : nil
  }

  /// The first sequence of the run that contains an event.
  package func runStart(of point: Point) -> Int64 {
    let start = branches[Int(branches[Int(point.branch)].ancestry.runStart)]
    return start.first + (start.isMissing ? 1 : 0)
  }

  /// The event with this sequence in the run up to `end`, or nil if the run starts later.
  package func event(at sequence: Int64, inRunUpTo end: Point) -> Point? {
    guard isHeld(end), sequence >= runStart(of: end) else { return nil }
    return event(at: sequence, inHistoryOf: end)
  }

  /// The last event in each branch of the histories of some events, across gaps.
  ///
  /// - Complexity: O(branches + events).
  func histories(of events: [Point]) -> [Point] {
    var lasts = [Int64](repeating: 0, count: branches.count)
    for event in events { lasts[Int(event.branch)] = max(lasts[Int(event.branch)], event.sequence) }
    // A branch follows its parent.
    for branch in branches.indices.reversed() where lasts[branch] > 0 {
      let parent = Int(branches[branch].parent)
      if parent >= 0 { lasts[parent] = max(lasts[parent], branches[branch].after) }
    }
    return branches.indices.filter { lasts[$0] > 0 }
      .map { Point(branch: Int32($0), sequence: lasts[$0]) }.filter(isHeld)
  }

  /// The ends of all runs, each with the last event of its run that is also in the run up to one of
  /// `events`, or nil.
  ///
  /// - Complexity: O(branches + events).
  package func runEnds(with events: [Point]) -> [(end: Point, common: Int64?)] {
    // For each branch, its last event in one of these runs, and that of the run before it.
    var common = [Int64](repeating: 0, count: branches.count)
    var before = common
    for event in events {
      common[Int(event.branch)] = max(common[Int(event.branch)], event.sequence)
    }
    // A branch follows its parent.
    for branch in branches.indices.reversed() where common[branch] > 0 {
      guard let last = eventBefore(run: branch) else { continue }
      common[Int(last.branch)] = max(common[Int(last.branch)], last.sequence)
    }
    for branch in branches.indices {
      guard let last = eventBefore(run: branch) else { continue }
      let parent = Int(last.branch)
      before[branch] = common[parent] > 0 ? min(common[parent], last.sequence) : before[parent]
    }
    return runEnds.map { end in
      let known = common[Int(end.branch)]
      let last = known > 0 ? min(known, end.sequence) : before[Int(end.branch)]
      return (end, last > 0 ? last : nil)
    }
  }
}
