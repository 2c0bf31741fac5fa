// Where a missing event is taken to go on from one that has seen what named it, or where somebody
// made lines up, entries may lead back to their own line.

extension ReferenceHistories {
  /// Leaves out the entries from which their own line can be reached, over predecessors and
  /// entries.
  mutating func leaveOutCircles() {
    if hasNoCircle { return }
    let all = self
    for event in order { entries[event].removeAll { all.reaches(event, from: $0) } }
  }

  /// Whether all events can be taken one after the other, each behind all that it needs.
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
