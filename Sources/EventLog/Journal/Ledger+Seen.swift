// What an event has seen, entry by entry: an event names few others, and what is kept of many
// events need not be looked through for each.

extension Ledger {
  /// What the last event of a branch has seen: per branch the highest sequence, its own counted.
  ///
  /// - Parameters:
  ///   - earlier: an earlier event of the branch: only what was learned behind it; 0 for all.
  ///   - max: the most entries that are worth it.
  /// - Returns: nil where there are more.
  func seen(by branch: Int32, after earlier: Int64 = 0, max: Int) -> [Int32: Int64]? {
    var seen = [branch: branches[Int(branch)].last]
    let isAll = forEachSeen(by: branch, after: earlier, max: max) { other, sequence in
      seen[other] = Swift.max(sequence, seen[other] ?? 0)
    }
    return isAll ? seen : nil
  }

  /// Hands over what the last event of a branch has seen: of other branches, each up to a sequence,
  /// some of them twice.
  ///
  /// - Parameters:
  ///   - earlier: an earlier event of the branch: only what was learned behind it; 0 for all.
  ///   - max: the most entries that are worth it.
  /// - Returns: false, and nothing was handed over, where there are more.
  /// - Complexity: O(min(entries, `max`)).
  private func forEachSeen(
    by branch: Int32, after earlier: Int64 = 0, max: Int,
    _ body: (_ other: Int32, _ sequence: Int64) -> Void
  ) -> Bool {
    let index = Int(branch)
    let log = history.log[index] ?? []
    var start = log.count
    while start > 0, log[start - 1].sequence > earlier, log.count - start <= max { start -= 1 }
    var count = log.count - start
    if earlier == 0 { count += Int(branches[index].ancestry.depth) }
    guard count <= max, earlier > 0 || countTold(before: index, max: max - count) else {
      return false
    }
    for entry in log[start...] { body(entry.other, rows[index][Int(entry.other)]) }
    if earlier == 0 { forEachSeen(before: index, body) }
    return true
  }

  /// Whether what the branches before one tell is at most `max` entries.
  private func countTold(before branch: Int, max: Int) -> Bool {
    var left = max
    var teller = branches[branch].ancestry.teller
    while teller.branch >= 0 {
      left -= history.marks[Int(teller.branch)]?.count ?? 0
      if left < 0 { return false }
      teller = branches[Int(teller.branch)].ancestry.teller
    }
    return true
  }

  /// What the event that a branch goes on from has seen, and that event.
  func forEachSeen(before branch: Int, _ body: (Int32, Int64) -> Void) {
    var at = branches[branch]
    while at.parent >= 0 {
      body(at.parent, at.after)
      at = branches[Int(at.parent)]
    }
    var teller = branches[branch].ancestry.teller
    while teller.branch >= 0 {
      for other in (history.marks[Int(teller.branch)] ?? [:]).keys {
        let seen = history.seen(other, by: Int(teller.branch), at: teller.sequence)
        if seen > 0 { body(Int32(other), seen) }
      }
      teller = branches[Int(teller.branch)].ancestry.teller
    }
  }
}
