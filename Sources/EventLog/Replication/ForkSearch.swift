/// Compares what two sides hold of each device, and finds where their histories part.
struct ForkSearch {
  /// Asks for the checksum of an event of one side; nil where that side cannot tell.
  typealias Lookup = (EventID) async throws(EventLogError) -> LineChecksum?

  /// The first event of a device about which the histories differ that end at two points; nil where
  /// the shorter one is a beginning of the longer one.
  ///
  /// Two histories that agree about an event agree about all before it, because the checksum
  /// continues theirs; so one comparison tells, and a search by halves finds the place. What a side
  /// cannot tell counts as different: then less crosses than could.
  ///
  /// - Complexity: one lookup where they agree, else O(log sequences) on each side.
  static func firstDifference(
    of device: DeviceID, _ ours: HistoryPoint, _ theirs: HistoryPoint,
    ourLookup: Lookup, theirLookup: Lookup
  ) async throws(EventLogError) -> Int64? {
    func agree(_ sequence: Int64) async throws(EventLogError) -> Bool {
      let event = EventID(device: device, sequence: sequence)
      let here = sequence == ours.sequence ? ours.checksum : try await ourLookup(event)
      let there = sequence == theirs.sequence ? theirs.checksum : try await theirLookup(event)
      return here != nil && here == there
    }
    var high = min(ours.sequence, theirs.sequence)
    if try await agree(high) { return nil }
    // They agree up to `low` and differ at `high`.
    var low: Int64 = 0
    while low + 1 < high {
      let middle = low + (high - low) / 2
      if try await agree(middle) { low = middle } else { high = middle }
    }
    return high
  }
}
