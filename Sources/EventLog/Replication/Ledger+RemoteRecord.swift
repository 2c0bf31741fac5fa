extension Ledger {
  /// Returns the events of the journal that a remote isn't known to hold.
  ///
  /// The remote held everything up to `ends` except `lacking`, even if lines were damaged since or
  /// an end is no longer held.
  ///
  /// - Complexity: O(branches + events that the remote lacked), and O(branches) for each end that
  ///   is no longer held.
  ///
  /// - Parameter success: The last complete run, or nil if none was recorded.
  package func waiting(_ success: RemoteRecord.Success?) -> [EventRange] {
    let success =
      success ?? .init(at: Timestamp(trusted: 0), ends: [], lacking: [], missing: [])
    let shared = histories(
      of: success.ends.compactMap { locate($0) ?? presumedPredecessor(of: $0) })
    var ranges = success.lacking.filter { holds($0.end) }
    for (end, known) in runEnds(with: shared) {
      let first = known.map { $0 + 1 } ?? runStart(of: end)
      if first <= end.sequence { ranges.append(EventRange(from: first, to: fullID(end))) }
    }
    for range in success.missing {
      guard let end = locate(range.end) else { continue }
      for sequence in range.first...max(range.first, min(range.last, range.first + 9_999)) {
        guard let point = event(at: sequence, inHistoryOf: end), isHeld(point) else { continue }
        ranges.append(EventRange(from: sequence, to: fullID(point)))
      }
    }
    return ranges.sorted()
  }

  /// Whether one of the ranges contains an event.
  package func contains(_ event: FullEventID, in ranges: [EventRange]) -> Bool {
    ranges.contains { range in
      guard range.device == event.device, (range.first...range.last).contains(event.sequence),
        let end = locate(range.end), let point = self.event(at: event.sequence, inHistoryOf: end)
      else { return false }
      return fullID(point) == event
    }
  }

  /// Returns the parts of `ranges` that aren't in `done`.
  func rest(of ranges: [EventRange], after done: [EventRange]) -> [EventRange] {
    let parts = Dictionary(grouping: done, by: \.device)
    var left: [EventRange] = []
    for range in ranges {
      guard let end = locate(range.end) else {
        left.append(range)
        continue
      }
      var first = range.first
      func add(upTo last: Int64) {
        guard first <= last, let point = event(at: last, inHistoryOf: end) else { return }
        left.append(EventRange(from: first, to: fullID(point)))
      }
      for part in (parts[range.device] ?? []).sorted() {
        guard let last = locate(part.end), isInHistory(last, of: end), part.last >= first,
          part.first <= range.last
        else { continue }
        add(upTo: part.first - 1)
        first = max(first, part.last + 1)
      }
      add(upTo: range.last)
    }
    return left
  }
}
