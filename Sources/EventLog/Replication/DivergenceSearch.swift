/// Determines which events each of two sides holds that the other lacks.
///
/// Each side holds runs of consecutive events (``Ledger/runEnds``). A run is only compared with the
/// same run of the other side.
package struct DivergenceSearch {
  let ours: Ledger
  let theirs: FrontierStatement
  let lookup: any HistoryLookup

  private let ownEnds: Set<Ledger.Point>
  /// The devices with events that the other side is missing.
  private let lackingDevices: Set<DeviceID>

  package init(ours: Ledger, theirs: FrontierStatement, lookup: any HistoryLookup) {
    self.ours = ours
    self.theirs = theirs
    self.lookup = lookup
    ownEnds = Set(ours.runEnds)
    lackingDevices = Set(theirs.missing.map(\.device))
  }

  /// The result of the search.
  package struct Result: Sendable {
    /// The events of the other side's runs that this side lacks.
    package internal(set) var wanted: [EventRange] = []
    /// The part of ``wanted`` that fills gaps of this side.
    package internal(set) var refills: [EventRange] = []
    /// The events that the other side states as missing and this side holds.
    package internal(set) var theirRefills: [EventRange] = []
    /// Events up to which both sides hold a run, in addition to the stated tips.
    package internal(set) var shared: Set<FullEventID> = []

    package init() {}
  }

  /// - Complexity: One query if one side is merely ahead; O(log events) rounds for a fork.
  package func result() async throws(EventLogError) -> Result {
    var result = Result()
    let unknown = theirs.tips.filter { !ours.holds($0) }
    for (device, tips) in Dictionary(grouping: unknown, by: \.device) {
      let tips = tips.sorted(by: >)
      // A tip in the history of another tip is transferred with it.
      let queries = zip(tips, tips.dropFirst()).map { HistoryQuery(sequence: $1.sequence, in: $0) }
      let chains = queries.isEmpty ? [] : try await lookup.chains(queries)
      let lasts = ownLasts(of: device)
      for (tip, chain) in zip(tips, [nil] + chains) where chain != tip.chain {
        result.add(try await divergence(of: tip, lasts))
      }
    }
    for divergence in try await refills() {
      result.add(divergence)
      result.refills.append(divergence.range)
    }
    // The other side may have the original line of an event that was erased by mistake.
    let erased = ours.erasures.unnamed.keys.sorted()
    let originals = erased.isEmpty ? [] : try await lookup.held(erased)
    for event in originals {
      result.refills.append(EventRange(from: event.sequence, to: event))
      result.wanted.append(EventRange(from: event.sequence, to: event))
    }
    result.wanted.sort()
    result.theirRefills = try await findTheirRefills()
    return result
  }

  // MARK: - Events that this side lacks

  /// The events of a run that this side lacks, and the last held event before them.
  fileprivate struct Divergence {
    var range: EventRange
    var held: FullEventID?
  }

  /// The events that fill gaps of this side.
  private func refills() async throws(EventLogError) -> [Divergence] {
    let gaps = ours.missingRanges
    let held = try await lookup.held(gaps.map(\.end))
    let fillable = gaps.filter { held.contains($0.end) }
    // The presumed extent of a gap is usually right.
    let presumed = fillable.map { predecessor(of: $0) }
    let queries = zip(fillable, presumed).compactMap { gap, before in
      before.map { HistoryQuery(sequence: $0.sequence, in: gap.end) }
    }
    var chains = queries.isEmpty ? [] : try await lookup.chains(queries)[...]
    var divergences: [Divergence] = []
    for (gap, before) in zip(fillable, presumed) {
      if let before, chains.popFirst() == before.chain {
        let isHeld = ours.locate(before).map(ours.isHeld) ?? false
        divergences.append(Divergence(range: gap, held: isHeld ? before : nil))
      } else {
        divergences.append(try await divergence(of: gap.end, ownLasts(of: gap.end.device)))
      }
    }
    return divergences
  }

  /// The presumed predecessor of a missing event, held or missing.
  private func predecessor(of gap: EventRange) -> FullEventID? {
    guard gap.first > 1, let point = ours.locate(gap.end) else { return nil }
    return ours.event(at: gap.first - 1, inHistoryOf: point).map(ours.fullID)
  }

  /// Finds the first event that this side lacks in the run of `tip`.
  ///
  /// - Parameter lasts: ``ownLasts(of:)``.
  private func divergence(
    of tip: FullEventID, _ lasts: [Int64]
  ) async throws(EventLogError) -> Divergence {
    try EventLogError.checkCancellation()
    // The history consists of events before the other side's run, then events known here, then
    // events unknown here.
    var (low, high) = (Int64(0), tip.sequence)
    var held: FullEventID?
    let isNew = ours.find(tip.device).map { ours.eventCount(of: $0) == 0 } ?? true
    if isNew, !lackingDevices.contains(tip.device) {
      return Divergence(range: EventRange(from: 1, to: tip), held: nil)
    }
    func isKnown(_ sequence: Int64, _ chain: UInt32?) -> Bool {
      guard let chain else {
        (low, held) = (sequence, nil)
        return true
      }
      let event = FullEventID(device: tip.device, sequence: sequence, chain: chain)
      guard ours.holds(event) else {
        high = sequence
        return false
      }
      (low, held) = (sequence, event)
      return true
    }
    // The other side most likely continues one of this side's tips.
    let ends = Array(lasts.prefix { $0 < tip.sequence }.suffix(Self.endsMax))
    let chains =
      try await ends.isEmpty
      ? [] : lookup.chains(ends.map { HistoryQuery(sequence: $0, in: tip) })
    for (sequence, chain) in zip(ends, chains) where !isKnown(sequence, chain) { break }
    let isAhead = held.flatMap { ours.locate($0) }.map(ownEnds.contains) ?? false
    while !isAhead, high - low > 1 {
      let middle = low + (high - low) / 2
      let chain = try await lookup.chains([HistoryQuery(sequence: middle, in: tip)]).first ?? nil
      _ = isKnown(middle, chain)
    }
    return Divergence(range: EventRange(from: low + 1, to: tip), held: held)
  }

  private static let endsMax = 64

  /// The ends of this side's histories of a device.
  private func ownLasts(of device: DeviceID) -> [Int64] {
    guard let device = ours.find(device) else { return [] }
    return Set(ours.devices[device].branches.map { ours.branches[Int($0)].last }).sorted()
  }

  // MARK: - Events that the other side lacks

  /// Returns the events that fill gaps of the other side.
  func findTheirRefills() async throws(EventLogError) -> [EventRange] {
    var gaps: [(end: Ledger.Point, first: Int64, start: Int64)] = []
    for gap in theirs.missing {
      guard let end = ours.locate(gap.end), ours.isHeld(end) else { continue }
      let start = ours.runStart(of: end)
      gaps.append((end, max(gap.first, start), start))
    }
    // The other side usually holds the presumed predecessor of the gap.
    let predecessors = gaps.compactMap { gap in
      gap.first == gap.start ? nil : event(at: gap.first - 1, gap.end)
    }
    // The event before a gap may be missing, too.
    let held = try await lookup.held(predecessors).union(theirs.missing.map(\.end))
    var ranges: [EventRange] = []
    for gap in gaps {
      var (low, high) = (gap.start - 1, gap.first)
      if gap.first > gap.start, let before = event(at: gap.first - 1, gap.end) {
        if held.contains(before) { low = gap.first - 1 } else { high = gap.first - 1 }
      }
      while high - low > 1 {
        let middle = low + (high - low) / 2
        guard let event = event(at: middle, gap.end) else { break }
        if try await lookup.holds(event) { low = middle } else { high = middle }
      }
      ranges.append(EventRange(from: low + 1, to: ours.fullID(gap.end)))
    }
    return ranges
  }

  private func event(at sequence: Int64, _ end: Ledger.Point) -> FullEventID? {
    ours.event(at: sequence, inRunUpTo: end).map(ours.fullID)
  }
}

extension DivergenceSearch.Result {
  fileprivate mutating func add(_ divergence: DivergenceSearch.Divergence) {
    wanted.append(divergence.range)
    if let held = divergence.held { shared.insert(held) }
  }
}
