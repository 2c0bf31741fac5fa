extension Ledger: HistoryForest {
  func parent(of branch: Int) -> Int { Int(branches[branch].parent) }
  func after(_ branch: Int) -> Int64 { branches[branch].after }
  func first(of branch: Int) -> Int64 { branches[branch].first }
  func depth(of branch: Int) -> Int32 { branches[branch].ancestry.depth }
  func jump(of branch: Int) -> Int { Int(branches[branch].ancestry.jump) }
}

extension Ledger {
  /// What a branch knows of those before it.
  struct Ancestry: Sendable {
    /// ``HistoryForest/depth(of:)``.
    var depth: Int32 = 0
    /// ``HistoryForest/jump(of:)``.
    var jump: Int32 = -1
    /// The nearest event before it that tells what was seen, or one behind that in its branch.
    var teller = Point(branch: -1, sequence: 0)
    /// The nearest held event before it.
    var held = Point(branch: -1, sequence: 0)
    /// The branch with which its run begins (``Ledger/runEnds``).
    var runStart: Int32 = -1
  }

  /// Notes what is before a branch, which was just begun.
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

  /// Whether the event at `earlier` stands in the history that `later` ends.
  package func isInHistory(_ earlier: Point, of later: Point) -> Bool {
    if earlier.branch == later.branch { return earlier.sequence <= later.sequence }
    return sequence(on: Int(earlier.branch), before: Int(later.branch))
      .map { earlier.sequence <= $0 } ?? false
  }

  /// The event before one in its history, held or missing; nil for the first.
  package func before(_ point: Point) -> Point? {
    let branch = branches[Int(point.branch)]
    if point.sequence > branch.first {
      return Point(branch: point.branch, sequence: point.sequence - 1)
    }
    return branch.parent < 0 ? nil : Point(branch: branch.parent, sequence: branch.after)
  }

  /// The event with that sequence in the history that `end` ends; nil where none is known.
  package func event(at sequence: Int64, inHistoryOf end: Point) -> Point? {
    guard sequence <= end.sequence,
      let point = last(before: sequence + 1, inHistoryOf: (Int(end.branch), end.sequence)),
      point.sequence == sequence
    else { return nil }
    return Point(branch: Int32(point.node), sequence: sequence)
  }

  /// The last event that two histories have in common; nil for none.
  package func common(_ left: Point, _ right: Point) -> Point? {
    common((Int(left.branch), left.sequence), (Int(right.branch), right.sequence))
      .map { Point(branch: Int32($0.node), sequence: $0.sequence) }
  }
}
