extension Ledger: HistoryForest {
  func parent(of branch: Int) -> Int { Int(branches[branch].parent) }
  func after(_ branch: Int) -> Int64 { branches[branch].after }
  func first(of branch: Int) -> Int64 { branches[branch].first }
  func depth(of branch: Int) -> Int32 { branches[branch].ancestry.depth }
  func jump(of branch: Int) -> Int { Int(branches[branch].ancestry.jump) }
}

extension Ledger {
  /// A branch's references to earlier branches.
  struct Ancestry: Sendable {
    /// ``HistoryForest/depth(of:)``.
    var depth: Int32 = 0
    /// ``HistoryForest/jump(of:)``.
    var jump: Int32 = -1
    /// The nearest earlier event with marks, or one after it in the same branch.
    var teller = Point(branch: -1, sequence: 0)
    /// The nearest earlier event that is held.
    var held = Point(branch: -1, sequence: 0)
    /// The first branch of its run (``Ledger/runEnds``).
    var runStart: Int32 = -1
  }

  /// Sets the references of a branch that was just begun.
  mutating func link(_ branch: Int) {
    var ancestry = Ancestry(jump: Int32(branch), runStart: Int32(branch))
    let state = branches[branch]
    if state.parent >= 0 {
      let parent = branches[Int(state.parent)]
      ancestry.depth = parent.ancestry.depth + 1
      ancestry.jump = Int32(jump(below: Int(state.parent)))
      let point = Point(branch: state.parent, sequence: state.after)
      ancestry.teller = parent.firstMark <= state.after ? point : parent.ancestry.teller
      ancestry.held = isHeld(point) ? point : parent.ancestry.held
      if !state.isMissing, isHeld(point) { ancestry.runStart = parent.ancestry.runStart }
    }
    branches[branch].ancestry = ancestry
  }

  /// Whether the event at `earlier` is in the history up to `later`.
  package func isInHistory(_ earlier: Point, of later: Point) -> Bool {
    if earlier.branch == later.branch { return earlier.sequence <= later.sequence }
    return sequence(on: Int(earlier.branch), before: Int(later.branch))
      .map { earlier.sequence <= $0 } ?? false
  }

  /// The event before one in its history, held or missing, or nil for the first.
  package func before(_ point: Point) -> Point? {
    let branch = branches[Int(point.branch)]
    if point.sequence > branch.first {
      return Point(branch: point.branch, sequence: point.sequence - 1)
    }
    return branch.parent < 0 ? nil : Point(branch: branch.parent, sequence: branch.after)
  }

  /// The event with this sequence in the history up to `end`, or nil if it is unknown.
  package func event(at sequence: Int64, inHistoryOf end: Point) -> Point? {
    guard sequence <= end.sequence,
      let point = last(before: sequence + 1, inHistoryOf: (Int(end.branch), end.sequence)),
      point.sequence == sequence
    else { return nil }
    return Point(branch: Int32(point.node), sequence: sequence)
  }

  /// The last common event of two histories, or nil if there is none.
  package func common(_ left: Point, _ right: Point) -> Point? {
    common((Int(left.branch), left.sequence), (Int(right.branch), right.sequence))
      .map { Point(branch: Int32($0.node), sequence: $0.sequence) }
  }
}
