// What an event has seen, entry by entry: an event names few others, and what is kept of many
// events need not be looked through for each.

extension Ledger {
  /// What the last event of a branch has seen: per branch the highest sequence, its own counted.
  ///
  /// - Parameters:
  ///   - count: how many events are kept of which some may have been seen. More than four times as
  ///     many entries are not worth it: each of these events would be asked for more quickly.
  ///   - known: an earlier event of a branch whose own past does not matter; nil for none. What the
  ///     nearest such event in the history had seen is left out.
  ///   - others: events whose own past does not matter either: what is before the place where the
  ///     history parted from theirs is left out, too.
  /// - Returns: nil where there are more.
  /// - Complexity: O(min(entries, `count`) · log of how often the devices synced).
  func seen(
    by branch: Int32, among count: Int, behind known: (Int32) -> Int64? = { _ in nil },
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
      for place in told {
        let other = history.mark(place, of: Int(point.branch)).other
        let sequence = history.seen(Int(other), by: Int(point.branch), at: point.sequence)
        seen[other] = Swift.max(sequence, seen[other] ?? 0)
      }
      if earlier != nil { break }
      point = Point(
        branch: branches[Int(point.branch)].parent, sequence: branches[Int(point.branch)].after)
    }
    return seen
  }

  /// Where the marks stand of what a branch learned behind its event `earlier`, up to another one.
  private func toldMarks(from earlier: Int64, to point: Point) -> Range<Int> {
    let branch = Int(point.branch)
    let end = history.firstMark(of: branch, behind: point.sequence)
    return Swift.min(history.firstMark(of: branch, behind: earlier), end)..<end
  }

  /// Hands over what the event that a branch goes on from has seen, and that event: of other
  /// branches, each up to a sequence, some of them twice.
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
