// What surely follows upon one another. Behind a missing event it is presumed what comes next, and
// two journals may presume differently; a run ends there. So who holds the end of a run need not
// hold what is before it.

extension Ledger {
  /// The last event of each run: held events that no held event goes on from.
  ///
  /// - Complexity: O(branches).
  package var runEnds: [Point] {
    var goesOn = [Bool](repeating: false, count: branches.count)
    for branch in branches.indices {
      guard let before = eventBefore(run: branch) else { continue }
      if before.sequence == branches[Int(before.branch)].last { goesOn[Int(before.branch)] = true }
    }
    return branches.indices.filter { branches[$0].eventCount > 0 && !goesOn[$0] }
      .map { Point(branch: Int32($0), sequence: branches[$0].last) }
  }

  /// The held event that the first held one of a branch goes on from; nil where there is none.
  private func eventBefore(run branch: Int) -> Point? {
    guard !branches[branch].isMissing, branches[branch].parent >= 0 else { return nil }
    let point = Point(branch: branches[branch].parent, sequence: branches[branch].after)
    return isHeld(point) ? point : nil
  }

  /// The sequence of the first event of the run that holds an event.
  package func runStart(of point: Point) -> Int64 {
    let start = branches[Int(branches[Int(point.branch)].ancestry.runStart)]
    return start.first + (start.isMissing ? 1 : 0)
  }

  /// The event with that sequence in the run up to `end`; nil where it does not reach so far back.
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

  /// The ends of all runs, each with the last event of its run that stands in the run of one of
  /// some events, up to that one; nil for none.
  ///
  /// - Complexity: O(branches + events).
  package func runEnds(with events: [Point]) -> [(end: Point, common: Int64?)] {
    // Per branch how far it stands in one of these runs, and how far what it goes on from does.
    var common = [Int64](repeating: 0, count: branches.count)
    var before = common
    for event in events {
      common[Int(event.branch)] = max(common[Int(event.branch)], event.sequence)
    }
    // A branch comes behind the one that it goes on from.
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
