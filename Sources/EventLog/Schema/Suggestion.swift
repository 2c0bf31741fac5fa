/// Finds what a person may have meant.
package enum Suggestion {
  /// The candidate nearest to `text`, if it is near: at most a third of the letters differ,
  /// counting two swapped neighbours once (Damerau, "A technique for computer detection and
  /// correction of spelling errors", 1964).
  ///
  /// - Complexity: O(candidates × length²).
  package static func nearest(to text: String, among candidates: [String]) -> String? {
    let limit = max(1, text.utf8.count / 3)
    let count = text.utf8.count
    let ranked = candidates.filter { abs($0.utf8.count - count) <= limit }.map {
      ($0, distance(Array(text.utf8), Array($0.utf8)))
    }
    return ranked.filter { $0.1 <= limit }.min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
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
