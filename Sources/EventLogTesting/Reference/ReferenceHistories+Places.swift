import EventLog

// Missing events: a line refers to them, as its predecessor or in `seen`, but they aren't held.
// Their own predecessors are presumed.

extension ReferenceHistories {
  /// Sets the presumed predecessor of each missing event.
  ///
  /// The missing events of a device are processed in ascending order of (sequence, chain).
  mutating func placeMissingEvents() {
    for device in Set(ids.indices.filter { lines[$0] == nil }.map { ids[$0].device }) {
      let own = ids.indices.filter { ids[$0].device == device && !waiting.contains($0) }
      var unplaced = Set(own.filter { lines[$0] == nil })
      for missing in own where lines[missing] == nil {
        if ids[missing].sequence > 1 {
          parents[missing] = presumedParent(of: missing, own, unplaced)
        }
        unplaced.remove(missing)
      }
    }
  }

  /// Returns the last common event of all paths that end before a missing event.
  ///
  /// If no path ends before it, all paths are considered, up to the missing event.
  ///
  /// - Parameters:
  ///   - own: All events of the device.
  ///   - unplaced: The missing events that aren't processed yet. No path contains them.
  private func presumedParent(of missing: Int, _ own: [Int], _ unplaced: Set<Int>) -> Int? {
    let limit = ids[missing].sequence
    let known = own.filter { path(to: $0).allSatisfy { !unplaced.contains($0) } }
    let ends = known.filter { end in !known.contains { parents[$0] == end } }
    let endsBefore = ends.filter { ids[$0].sequence < limit }
    let paths = (endsBefore.isEmpty ? ends : endsBefore).map { end in
      path(to: end).filter { ids[$0].sequence < limit }
    }
    guard let one = paths.first else { return nil }
    return one.last { event in paths.allSatisfy { $0.contains(event) } }
  }
}
