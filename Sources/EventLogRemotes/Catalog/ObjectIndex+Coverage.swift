import EventLog

// Events that a remote lacks in the histories that it holds.

extension ObjectIndex {
  /// Returns the events held by the initiator that no object contains, although an object contains
  /// or continues later ones.
  ///
  /// Their objects were lost or damaged.
  func uncovered() async throws(EventLogError) -> Set<EventRange> {
    var found: Set<EventRange> = []
    let devices = Set(initiator.tips.map(\.device))
    for (device, objects) in Dictionary(grouping: validObjects, by: \.range.device)
    where devices.contains(device) {
      var parts: [(first: Int64, end: FullEventID)] = []
      for object in objects {
        if let end = try await lastHeld(of: object) { parts.append((object.range.first, end)) }
      }
      parts.sort { $0.first < $1.first }
      var ends = Set(parts.map(\.end))
      for tip in ends.sorted(by: >) where ends.remove(tip) != nil {
        var next: Int64 = 1
        for (first, end) in parts {
          try EventLogError.checkCancellation()
          let last = try await common(tip, end, from: first)
          if last == end.sequence { ends.remove(end) }
          if last < min(first, end.sequence) { continue }
          if next < first, let gap = try await held(from: next, upTo: first - 1, in: tip) {
            found.insert(gap)
          }
          next = max(next, last + 1)
        }
      }
    }
    return found
  }

  /// Returns the last event that the initiator holds in an object's range or just before it.
  private func lastHeld(of object: RangeObject) async throws(EventLogError) -> FullEventID? {
    if held.contains(object.range.end) { return object.range.end }
    guard let history = try await history(of: object) else { return nil }
    let device = object.range.device
    let last = try await last(from: object.range.first - 1, upTo: object.range.last - 1) {
      (sequence) throws(EventLogError) in
      let chain = history.chain(at: sequence)
      return try await lookup.holds(
        FullEventID(device: device, sequence: sequence, chain: chain))
    }
    return last.map {
      FullEventID(device: device, sequence: $0, chain: history.chain(at: $0))
    }
  }

  /// Returns the last common sequence of two histories, or `first - 1` if they differ from `first`
  /// on.
  private func common(
    _ tip: FullEventID, _ end: FullEventID, from first: Int64
  ) async throws(EventLogError) -> Int64 {
    let first = min(first, end.sequence)
    let last = try await last(from: first, upTo: min(tip.sequence, end.sequence)) {
      (sequence) throws(EventLogError) in
      let chains = try await lookup.chains([
        HistoryQuery(sequence: sequence, in: tip), HistoryQuery(sequence: sequence, in: end),
      ])
      return chains[0] != nil && chains[0] == chains[1]
    }
    return last ?? first - 1
  }

  /// Returns the last sequence up to which a condition is true, or nil if it is true for none.
  ///
  /// Uses binary search.
  private func last(
    from first: Int64, upTo last: Int64,
    where condition: (Int64) async throws(EventLogError) -> Bool
  ) async throws(EventLogError) -> Int64? {
    // Try the last one first, because the condition is usually true for all.
    var (low, high) = (max(first, 1) - 1, last + 1)
    let first = low + 1
    var middle = last
    while low < middle {
      if try await condition(middle) { low = middle } else { high = middle }
      middle = (low + high) / 2
    }
    return low < first ? nil : low
  }

  /// Returns the part of a gap up to the last event that the initiator holds, or nil if it holds
  /// none.
  private func held(
    from first: Int64, upTo last: Int64, in tip: FullEventID
  ) async throws(EventLogError) -> EventRange? {
    var last = last
    while first <= last {
      let query = HistoryQuery(sequence: last, in: tip)
      if let chain = try await lookup.chains([query]).first ?? nil {
        return EventRange(device: tip.device, first: first, last: last, chain: chain)
      }
      let missing = initiator.missing.filter {
        $0.device == tip.device && $0.first <= last && last <= $0.last
      }
      guard let start = missing.map(\.first).min() else { return nil }
      last = start - 1
    }
    return nil
  }
}
