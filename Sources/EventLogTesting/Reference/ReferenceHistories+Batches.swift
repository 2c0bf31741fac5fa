package import EventLog

// Events that belong together: each but the last has more.

extension ReferenceHistories {
  /// The lines that count: those that have no more; those that a line which counts goes on from, or
  /// says to have seen; those before an event of their device that such a line names, and nobody
  /// has.
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

  /// Some events, with all that stand in a batch with one of them.
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
