// What a shared place lacks of the histories that it holds.

extension ObjectPlace {
  /// What the initiator holds and no object does, before events that some object holds: files were
  /// lost or damaged.
  func uncovered() async throws(EventLogError) -> Set<EventRange> {
    var found: Set<EventRange> = []
    for (_, objects) in Dictionary(grouping: there, by: \.range.device) {
      let objects = objects.filter { held.contains($0.range.end) }.sorted()
      var ends = Set(objects.map(\.range.end))
      while let tip = ends.max() {
        ends.remove(tip)
        var next: Int64 = 1
        for object in objects where object.range.first <= tip.sequence {
          let last = try await common(tip, object)
          if last == object.range.last { ends.remove(object.range.end) }
          if last < object.range.first { continue }
          if next < object.range.first,
            let range = try await held(from: next, upTo: object.range.first - 1, in: tip)
          {
            found.insert(range)
          }
          next = max(next, last + 1)
        }
      }
    }
    return found
  }

  /// The last event of an object that is in a history too; the one before its first for none.
  private func common(
    _ tip: FullEventID, _ object: RangeObject
  ) async throws(EventLogError) -> Int64 {
    let end = object.range.end
    // Mostly all of it is.
    var (low, high) = (object.range.first - 1, min(tip.sequence, end.sequence) + 1)
    var middle = high - 1
    while low < middle {
      let queries = [tip, end].map { HistoryQuery(sequence: middle, in: $0) }
      let chains = try await lookup.chains(queries)
      if chains[0] != nil, chains[0] == chains[1] { low = middle } else { high = middle }
      middle = (low + high) / 2
    }
    return low
  }

  /// The part of a gap up to the last event of it that the initiator holds.
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
