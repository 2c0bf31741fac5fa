import EventLog

// Missing events: a line names them, as the one before it or in `seen`, and nobody has brought
// them. What they go on from is not known.

extension ReferenceHistories {
  /// Gives each missing event the event that it is taken to go on from: per device, the least
  /// sequence and chain first.
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

  /// The last event that those histories have in common that end before a missing event; where none
  /// does, the last one before it that all histories have in common.
  ///
  /// - Parameters:
  ///   - own: all events of the device.
  ///   - unplaced: those of them that have no place yet: what goes on from them is no history.
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
