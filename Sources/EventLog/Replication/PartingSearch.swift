/// Finds out what another side holds that this one lacks, and from where on.
package struct PartingSearch {
  let ours: Ledger
  let theirs: FrontierStatement
  let lookup: any HistoryLookup

  package init(ours: Ledger, theirs: FrontierStatement, lookup: any HistoryLookup) {
    self.ours = ours
    self.theirs = theirs
    self.lookup = lookup
  }

  /// For each tip of theirs that this side does not hold and that is in no longer history of
  /// theirs, the last event before it that this side holds.
  ///
  /// - Complexity: one question where one side is just ahead; O(log events) rounds for a fork.
  package func partings() async throws(EventLogError) -> [FullEventID: FullEventID?] {
    var found: [FullEventID: FullEventID?] = [:]
    let unknown = theirs.tips.filter { !ours.holds($0) }
    for (_, tips) in Dictionary(grouping: unknown, by: \.device) {
      var taken: [FullEventID] = []
      for tip in tips.sorted(by: >) {
        let queries = taken.map { HistoryQuery(sequence: tip.sequence, in: $0) }
        let chains = queries.isEmpty ? [] : try await lookup.chains(queries)
        if chains.contains(tip.chain) { continue }
        taken.append(tip)
        found.updateValue(try await parting(of: tip), forKey: tip)
      }
    }
    return found
  }

  /// What this side lacks among what it holds, and the other one has.
  package func refills() async throws(EventLogError) -> [EventRange] {
    let gaps = ours.missingRanges
    let held = try await lookup.held(gaps.map(\.end))
    return gaps.filter { held.contains($0.end) }
  }

  private func parting(of tip: FullEventID) async throws(EventLogError) -> FullEventID? {
    guard let device = ours.find(tip.device) else { return nil }
    // Where this side's histories end, the other one's has most likely gone on.
    let ends = Set(ours.devices[device].branches.map { ours.branches[Int($0)].last })
      .filter { $0 < tip.sequence }.sorted().suffix(Self.endsMax)
    var (low, high): (FullEventID?, Int64) = (nil, tip.sequence)
    let chains =
      try await ends.isEmpty
      ? [] : lookup.chains(ends.map { HistoryQuery(sequence: $0, in: tip) })
    for (sequence, chain) in zip(ends, chains) {
      if let event = held(tip.device, sequence, chain) {
        low = event
      } else {
        high = min(high, sequence)
        break
      }
    }
    if let low, let point = ours.locate(low), isEnd(point) { return low }
    while high - (low?.sequence ?? 0) > 1 {
      let middle = ((low?.sequence ?? 0) + high) / 2
      let chain = try await lookup.chains([HistoryQuery(sequence: middle, in: tip)]).first ?? nil
      if let event = held(tip.device, middle, chain) { low = event } else { high = middle }
    }
    return low
  }

  private static let endsMax = 64

  private func held(_ device: DeviceID, _ sequence: Int64, _ chain: UInt32?) -> FullEventID? {
    guard let chain else { return nil }
    let event = FullEventID(device: device, sequence: sequence, chain: chain)
    return ours.holds(event) ? event : nil
  }

  /// Whether nothing is held behind an event.
  private func isEnd(_ point: Ledger.Point) -> Bool { ours.tips.contains(point) }
}
