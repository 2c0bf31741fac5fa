import EventLog

// Events that belong together: each but the last has more.

extension ReferenceHistories {
  /// An event with more waits if no line says to have seen it, and everything that goes on from it
  /// waits too; a missing event never does.
  mutating func findUnfinishedBatches() {
    var seen = NumberSet()
    for line in lines {
      for entry in line?.seen ?? [] { seen.insert(number(entry)!) }
    }
    let open = ids.indices.filter { lines[$0]?.hasMore == true && !seen.contains($0) }
    for event in open.sorted(by: { ids[$0].sequence > ids[$1].sequence }) {
      let behind = ids.indices.filter { parents[$0] == event }
      if behind.allSatisfy({ waiting.contains($0) }) { waiting.insert(event) }
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
