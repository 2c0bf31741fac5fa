/// Finds the name that a user may have meant.
package enum Suggestion {
  /// The candidate nearest to `text`, or nil if none is near.
  ///
  /// At most a third of the letters, or one, may differ, counting two swapped neighbors once
  /// (Damerau, "A technique for computer detection and correction of spelling errors", 1964). Case
  /// matters only if nothing else differs. If two candidates are equally near, one that begins with
  /// `text` wins.
  ///
  /// - Complexity: O(candidates × length²).
  package static func nearest(to text: String, among candidates: [String]) -> String? {
    let folded = Array(text.lowercased().utf8)
    let limit = max(1, folded.count / 3)
    var nearest: (rank: Rank, candidate: String)?
    for candidate in candidates {
      let letters = Array(candidate.lowercased().utf8)
      guard abs(letters.count - folded.count) <= limit else { continue }
      let changes = distance(folded, letters)
      guard changes <= limit else { continue }
      let rank = Rank(
        changes: changes, isLonger: letters.starts(with: folded) ? 0 : 1,
        caseChanges: changes == 0 ? distance(Array(text.utf8), Array(candidate.utf8)) : 0)
      if let best = nearest, (best.rank, best.candidate) <= (rank, candidate) { continue }
      nearest = (rank, candidate)
    }
    return nearest?.candidate
  }

  private struct Rank: Comparable {
    var changes: Int
    var isLonger: Int
    var caseChanges: Int

    static func < (left: Rank, right: Rank) -> Bool {
      (left.changes, left.isLonger, left.caseChanges)
        < (right.changes, right.isLonger, right.caseChanges)
    }
  }

  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var rows = [Array(0...right.count)]
    for (row, a) in left.enumerated() {
      var line = [row + 1]
      for (column, b) in right.enumerated() {
        var best = min(
          line[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (a == b ? 0 : 1))
        if row > 0, column > 0, a == right[column - 1], left[row - 1] == b {
          best = min(best, rows[row - 1][column - 1] + 1)
        }
        line.append(best)
      }
      rows.append(line)
    }
    return rows[left.count][right.count]
  }
}
