// Entries of `seen` that lead back to their own line. They occur if the presumed predecessor of a
// missing event has seen the line that refers to it, and in handwritten lines.

extension ReferenceHistories {
  /// Removes the entries from which their own line can be reached, through predecessors and other
  /// entries.
  mutating func leaveOutCircles() {
    if hasNoCircle { return }
    let all = self
    for event in order { entries[event].removeAll { all.reaches(event, from: $0) } }
  }

  /// Whether the events can be ordered so that each comes after everything that it needs.
  private var hasNoCircle: Bool {
    var taken = NumberSet()
    var left = Array(ids.indices)
    while true {
      let ready = left.filter { event in
        (parents[event].map { taken.contains($0) } ?? true)
          && entries[event].allSatisfy { taken.contains($0) }
      }
      if ready.isEmpty { return left.isEmpty }
      for event in ready { taken.insert(event) }
      left.removeAll { taken.contains($0) }
    }
  }

  private func reaches(_ event: Int, from start: Int) -> Bool {
    var found = NumberSet([start])
    var open = [start]
    while let at = open.popLast() {
      if at == event { return true }
      for next in entries[at] + [parents[at]].compactMap({ $0 }) where !found.contains(next) {
        found.insert(next)
        open.append(next)
      }
    }
    return false
  }
}
