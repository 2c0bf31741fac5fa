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
    var branch = Int(point.branch)
    while let before = eventBefore(run: branch) { branch = Int(before.branch) }
    return branches[branch].first + (branches[branch].isMissing ? 1 : 0)
  }

  /// The event with that sequence in the run up to `end`; nil where it does not reach so far back.
  package func event(at sequence: Int64, inRunUpTo end: Point) -> Point? {
    guard isHeld(end), sequence <= end.sequence else { return nil }
    var branch = Int(end.branch)
    while sequence < branches[branch].first {
      guard let before = eventBefore(run: branch), sequence <= before.sequence else { return nil }
      branch = Int(before.branch)
    }
    let point = Point(branch: Int32(branch), sequence: sequence)
    return isHeld(point) ? point : nil
  }

  /// The last event that two runs have in common, up to one event of each; nil for none.
  package func lastInBothRuns(_ left: Point, _ right: Point) -> Point? {
    var limits: [Int32: Int64] = [:]
    var next: Point? = left
    while let point = next {
      limits[point.branch] = point.sequence
      next = eventBefore(run: Int(point.branch))
    }
    next = right
    while let point = next {
      if let limit = limits[point.branch] {
        return Point(branch: point.branch, sequence: min(limit, point.sequence))
      }
      next = eventBefore(run: Int(point.branch))
    }
    return nil
  }
}
