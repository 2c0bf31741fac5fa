/// The events that all of several events had seen, as the last sequence of each branch.
///
/// It lists only branches that were seen, so its size doesn't grow with the number of devices.
struct PastCut: Sendable, Hashable {
  private(set) var limits: [Int32: Int64]

  /// The intersection of the candidates' clocks, each without its own event.
  ///
  /// - Complexity: O(clock entries of the candidates).
  init(of candidates: [Dot], _ ledger: Ledger) {
    guard let least = candidates.min(by: { ledger.clockSize($0) < ledger.clockSize($1) }) else {
      limits = [:]
      return
    }
    limits = ledger.entries(of: least.point)
    for candidate in candidates {
      let own = candidate.point
      for (branch, limit) in limits {
        let seen = ledger.seen(branch, before: own)
        if seen < limit {
          limits[branch] = seen >= ledger.branches[Int(branch)].first ? seen : nil
        }
      }
    }
  }

  /// The sequence of the last event of a branch in the cut, or 0.
  func limit(of branch: Int32) -> Int64 { limits[branch] ?? 0 }

  func contains(_ point: Ledger.Point) -> Bool { point.sequence <= limit(of: point.branch) }

  /// Whether the cut contains everything that its events had seen.
  ///
  /// An event states all events that its device had, and so all events that these had seen. Only a
  /// line written by hand or by another program may state less.
  ///
  /// - Parameter comparisonsLeft: The number of clock entries that may still be compared. If there
  ///   are none left, the result is false.
  func isClosed(_ ledger: Ledger, _ comparisonsLeft: inout Int) -> Bool {
    // The clock of the last event of a branch contains those of the events before it.
    limits.allSatisfy { branch, sequence in
      let entries = ledger.entries(of: Ledger.Point(branch: branch, sequence: sequence))
      comparisonsLeft -= entries.count
      return comparisonsLeft >= 0
        && entries.allSatisfy { contains(Ledger.Point(branch: $0.key, sequence: $0.value)) }
    }
  }
}

extension Ledger {
  /// The approximate number of entries in the clock of an event.
  fileprivate func clockSize(_ dot: Dot) -> Int {
    let branch = Int(dot.branch)
    return history.otherCount(of: branch) + Int(branches[branch].ancestry.depth)
  }

  /// The highest sequence of a branch that an event had seen, not counting the event itself.
  fileprivate func seen(_ branch: Int32, before event: Point) -> Int64 {
    branch == event.branch ? event.sequence - 1 : seen(branch, by: event)
  }

  /// The clock of an event, by branch.
  func entries(of point: Point) -> [Int32: Int64] {
    let branch = Int(point.branch)
    var entries = [point.branch: point.sequence]
    for other in history.others(of: branch) {
      let seen = history.seen(other, by: branch, at: point.sequence)
      if seen > 0 { entries[Int32(other)] = seen }
    }
    forEachSeen(before: branch) { other, sequence in
      entries[other] = max(sequence, entries[other] ?? 0)
    }
    return entries
  }
}
