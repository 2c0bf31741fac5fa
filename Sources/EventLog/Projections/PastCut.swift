/// What all of several events had seen: per branch the highest sequence, which is above 0.
///
/// It names what is in it and nothing else, so that many conflicts of many devices need no more
/// room than what they state.
struct PastCut: EventCut, Sendable, Hashable {
  private(set) var limits: [Int32: Int64]

  /// The intersection of the candidates' clocks, each without its own event.
  ///
  /// - Complexity: O(what the candidates have seen).
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

  init(_ limits: [Int32: Int64]) { self.limits = limits }

  func limit(of branch: Int32) -> Int64 { limits[branch] ?? 0 }
}

extension Ledger {
  /// About how many entries the clock of an event has.
  fileprivate func clockSize(_ dot: Dot) -> Int {
    let branch = Int(dot.branch)
    return history.otherCount(of: branch) + Int(branches[branch].ancestry.depth)
  }

  /// How far an event had seen a branch, itself not counted.
  func seen(_ branch: Int32, before event: Point) -> Int64 {
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
