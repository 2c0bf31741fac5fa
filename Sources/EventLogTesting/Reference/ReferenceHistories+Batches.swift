package import EventLog

// Batches: every event except the last has `more`.

extension ReferenceHistories {
  /// Returns the events that count.
  ///
  /// An event with `more` counts if an event that counts has it as its predecessor or in `seen`, or
  /// refers to a later, missing event of the same device.
  package static func counting(_ held: [FullEventID: ReferenceLine]) -> Set<FullEventID> {
    var counting = Set(held.filter { !$0.value.hasMore }.keys)
    while true {
      let named = counting.flatMap { held[$0]!.seen + (held[$0]!.previous.map { [$0] } ?? []) }
      let missing = named.filter { held[$0] == nil }
      let next = counting.union(named.filter { held[$0] != nil }).union(
        held.keys.filter { event in
          missing.contains { $0.device == event.device && $0.sequence > event.sequence }
        })
      if next == counting { return counting }
      counting = next
    }
  }

  /// Returns the events with all others of their batches.
  package func completed(_ some: NumberSet) -> NumberSet {
    var all = some
    var open = some.numbers
    while let event = open.popLast() {
      var together: [Int] = []
      if let before = parents[event], lines[before]?.hasMore == true { together.append(before) }
      if lines[event]?.hasMore == true {
        together += ids.indices.filter { parents[$0] == event && lines[$0] != nil }
      }
      for event in together where !all.contains(event) && !waiting.contains(event) {
        all.insert(event)
        open.append(event)
      }
    }
    return all
  }
}
