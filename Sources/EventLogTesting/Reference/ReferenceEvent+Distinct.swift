import EventLog

extension ReferenceEvent {
  /// The events behind some lines, which stand in an order that respects causality.
  ///
  /// Two lines are one event if they say the same of the same original, and have the same past,
  /// where lines that are one event count as one, and that devices joined does not count.
  package static func distinct(_ lines: [ReferenceEvent]) -> [ReferenceEvent] {
    let originals = lines.compactMap(\.was)
    if Set(originals).count == originals.count { return lines }
    var groups: [(lines: [ReferenceEvent], past: Set<Int>)] = []
    var groupOf: [EventID: Int] = [:]
    for line in lines {
      let seen = lines.filter { $0.id != line.id && line.hasStated($0.id) }
      let past = Set(seen.filter { !$0.isJoining }.map { groupOf[$0.id]! })
      let same = groups.firstIndex { $0.past == past && $0.lines[0].isReissued(as: line) }
      if let same {
        groups[same].lines.append(line)
      } else {
        groups.append(([line], past))
      }
      groupOf[line.id] = same ?? groups.count - 1
    }
    let names = groups.map { $0.lines.map(\.id).min(by: isBefore)! }
    return groups.indices.map { index in
      let (lines, past) = groups[index]
      return lines[0].named(
        names[index], Set(lines.map(\.id)), past: Set(past.map { names[$0] }))
    }
  }

  private var isJoining: Bool { id.sequence == 1 && type == "device.joined" }
}
