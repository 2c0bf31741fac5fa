/// The vector clocks of all events, stored as deltas: one mark each time a branch learns of another
/// branch's events.
///
/// The clock of an event accumulates `seen` along its history, so each entry is that of the last
/// mark at or before the event. A mark takes 32 bytes. There is one for each entry of a `seen`, and
/// at most one more for each pair of branches, so memory grows with the number of syncs, not with
/// the number of events. The marks of a branch don't include those of its parent before the fork.
package struct ClockHistory: Sendable, Paginated {
  /// A branch's update about another branch.
  struct Mark: Sendable {
    /// The branch's own event.
    var sequence: Int64
    /// The last event of the other branch that it has seen.
    var seen: Int64
    var other: Int32
    /// The previous mark about the same branch, or −1.
    var before: Int32 = -1
    /// An earlier mark about the same branch, for searches in few steps.
    ///
    /// The first mark refers to itself. See Myers, "An applicative random-access stack", 1983.
    var jump: Int32
    /// The number of earlier marks about the same branch.
    var depth: Int32 = 0
  }

  /// The marks of one branch, in order.
  private struct Log: Sendable {
    var marks = PagedArray<Mark>()
    /// For each other branch, one more than the index of the last mark about it.
    var ends = ClockRow()
  }

  private var logs: [Log] = []
  private var isPaginated = false

  package init() {}

  package mutating func paginate() {
    if isPaginated { return }
    isPaginated = true
    for branch in logs.indices { logs[branch].marks.paginate() }
  }

  /// Records that event `sequence` of `branch` has seen `other` up to `seen`, which must be greater
  /// than the last value.
  mutating func add(_ branch: Int, _ sequence: Int64, sees other: Int, upTo seen: Int64) {
    addLogs(upTo: branch)
    let index = logs[branch].marks.count
    let before = Int(logs[branch].ends[other]) - 1
    var mark = Mark(
      sequence: sequence, seen: seen, other: Int32(truncatingIfNeeded: other),
      jump: Int32(truncatingIfNeeded: index))
    if before >= 0 {
      let last = logs[branch].marks[before]
      if last.sequence == sequence {
        logs[branch].marks.update(before) { $0.seen = seen }
        return
      }
      let jump = logs[branch].marks[Int(last.jump)]
      let further = logs[branch].marks[Int(jump.jump)]
      mark.before = Int32(truncatingIfNeeded: before)
      mark.depth = last.depth + 1
      mark.jump =
        last.depth - jump.depth == jump.depth - further.depth ? jump.jump : mark.before
    }
    logs[branch].marks.append(mark)
    logs[branch].ends[other] = Int64(index + 1)
  }

  private mutating func addLogs(upTo branch: Int) {
    while logs.count <= branch {
      logs.append(Log())
      if isPaginated { logs[logs.count - 1].marks.paginate() }
    }
  }

  /// The last event of `other` that event `sequence` of `branch`, or an earlier one in the branch,
  /// has seen.
  ///
  /// - Complexity: O(log marks).
  func seen(_ other: Int, by branch: Int, at sequence: Int64) -> Int64 {
    guard branch < logs.count else { return 0 }
    var index = Int(logs[branch].ends[other]) - 1
    while index >= 0 {
      let mark = logs[branch].marks[index]
      if mark.sequence <= sequence { return mark.seen }
      let jump = Int(mark.jump)
      index =
        logs[branch].marks[jump].sequence > sequence && jump < index ? jump : Int(mark.before)
    }
    return 0
  }

  /// The other branches with marks in a branch.
  func others(of branch: Int) -> some Sequence<Int> {
    (branch < logs.count ? logs[branch].ends : ClockRow()).entries.lazy.map { Int($0.branch) }
  }

  /// The number of other branches with marks in a branch.
  func otherCount(of branch: Int) -> Int { branch < logs.count ? logs[branch].ends.count : 0 }

  func markCount(of branch: Int) -> Int { branch < logs.count ? logs[branch].marks.count : 0 }

  /// Returns a branch's mark by its index.
  func mark(_ index: Int, of branch: Int) -> Mark { logs[branch].marks[index] }

  /// The index of a branch's first mark after event `sequence`.
  ///
  /// - Complexity: O(log marks).
  func firstMark(of branch: Int, after sequence: Int64) -> Int {
    guard branch < logs.count else { return 0 }
    let marks = logs[branch].marks
    return (0..<marks.count).partitioningIndex { marks[$0].sequence > sequence }
  }

  /// The part of the clock of event `sequence` that the branch's own marks yield.
  ///
  /// The branch's own entry is `sequence`.
  ///
  /// - Complexity: O(branches · log marks).
  func clock(of branch: Int, at sequence: Int64) -> [Int64] {
    var clock = [Int64](repeating: 0, count: branch + 1)
    for other in others(of: branch) {
      while clock.count <= other { clock.append(0) }
      clock[other] = seen(other, by: branch, at: sequence)
    }
    clock[branch] = sequence
    return clock
  }

  /// The branches up to the last one with marks.
  var branches: Range<Int> { logs.indices }
}

// MARK: - Tables

extension ClockHistory {
  /// A mark with its branch.
  private struct StoredMark {
    var sequence: Int64 = 0
    var seen: Int64 = 0
    var branch: Int32 = 0
    var other: Int32 = 0
  }

  /// Visits the marks by branch, and in order for each branch.
  mutating func forEachTable(
    _ visitor: inout TableVisitor, branchCount: Int
  ) throws(ColumnFault) {
    var stored = logs.enumerated().flatMap { branch, log in
      log.marks.elements.map {
        StoredMark(sequence: $0.sequence, seen: $0.seen, branch: Int32(branch), other: $0.other)
      }
    }
    try visitor.rows(
      &stored, StoredMark(),
      [
        Column(\.branch, below: branchCount), Column(\.other, below: branchCount),
        Column(\.sequence, in: 1...LineLimits.sequenceMax),
        Column(\.seen, in: 1...LineLimits.sequenceMax),
      ])
    guard visitor.isReading else { return }
    for run in try stored.runs(by: \.branch) {
      let branch = Int(stored[run.lowerBound].branch)
      addLogs(upTo: branch)
      logs[branch].marks.reserve(run.count)
      var last: Int64 = 0
      for mark in stored[run] {
        // Searches require that both ascend.
        guard last <= mark.sequence, seen(Int(mark.other), by: branch, at: .max) < mark.seen else {
          throw ColumnFault()
        }
        add(branch, mark.sequence, sees: Int(mark.other), upTo: mark.seen)
        last = mark.sequence
      }
      // An event has at most one mark about another branch.
      guard markCount(of: branch) == run.count else { throw ColumnFault() }
    }
  }
}
