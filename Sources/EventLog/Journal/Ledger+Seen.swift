// The events that an event has seen, entry by entry. An event names few others, so it needn't be
// compared with each of many stored events.

extension Ledger {
  /// The highest sequence of each branch that the last event of a branch has seen, including its
  /// own.
  ///
  /// - Parameters:
  ///   - count: The number of stored events that may have been seen. If there are more than four
  ///     times as many entries, comparing each stored event is faster.
  ///   - known: For each branch, an earlier event whose own past is irrelevant, or nil. Events that
  ///     the nearest such event in the history has seen are left out.
  ///   - others: More events whose own past is irrelevant. Events before the divergence
  ///     from their histories are left out, too.
  /// - Returns: Nil if there are more entries.
  /// - Complexity: O(min(entries, `count`) · log of the number of syncs).
  func seen(
    by branch: Int32, among count: Int, after known: (Int32) -> Int64? = { _ in nil },
    apartFrom others: some Sequence<Point> = EmptyCollection()
  ) -> [Int32: Int64]? {
    var seen: [Int32: Int64] = [:]
    var left = 4 * count
    var point = Point(branch: branch, sequence: branches[Int(branch)].last)
    let parting = others.compactMap { common(point, $0) }.max { $0.sequence < $1.sequence }
    while point.branch >= 0 {
      var earlier = known(point.branch).flatMap { $0 <= point.sequence ? $0 : nil }
      if let parting, parting.branch == point.branch, parting.sequence <= point.sequence {
        earlier = Swift.max(earlier ?? 0, parting.sequence)
      }
      seen[point.branch] = Swift.max(point.sequence, seen[point.branch] ?? 0)
      let told = toldMarks(from: earlier ?? 0, to: point)
      left -= told.count + 1
      if left < 0 { return nil }
      for index in told {
        let other = history.mark(index, of: Int(point.branch)).other
        let sequence = history.seen(Int(other), by: Int(point.branch), at: point.sequence)
        seen[other] = Swift.max(sequence, seen[other] ?? 0)
      }
      if earlier != nil { break }
      point = Point(
        branch: branches[Int(point.branch)].parent, sequence: branches[Int(point.branch)].after)
    }
    return seen
  }

  /// The indexes of a branch's marks after its event `earlier`, up to `point`.
  private func toldMarks(from earlier: Int64, to point: Point) -> Range<Int> {
    let branch = Int(point.branch)
    let end = history.firstMark(of: branch, after: point.sequence)
    return Swift.min(history.firstMark(of: branch, after: earlier), end)..<end
  }

  /// Calls `body` with the event that a branch continues and with what that has seen: other
  /// branches up to a sequence, some of them repeatedly.
  func forEachSeen(before branch: Int, _ body: (Int32, Int64) -> Void) {
    var at = branches[branch]
    while at.parent >= 0 {
      body(at.parent, at.after)
      at = branches[Int(at.parent)]
    }
    var teller = branches[branch].ancestry.teller
    while teller.branch >= 0 {
      for other in history.others(of: Int(teller.branch)) {
        let seen = history.seen(other, by: Int(teller.branch), at: teller.sequence)
        if seen > 0 { body(Int32(other), seen) }
      }
      teller = branches[Int(teller.branch)].ancestry.teller
    }
  }
}
