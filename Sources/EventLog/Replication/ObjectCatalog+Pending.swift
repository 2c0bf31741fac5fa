extension ObjectCatalog {
  /// What the writers say they hold, or have put, and what is neither there nor held by the
  /// visitor: late, cut off, renamed, or damaged. What was given up is not awaited.
  ///
  /// - Parameters:
  ///   - available: per device the end of what can be taken.
  ///   - held: per device the end of what the visitor holds.
  func pending(
    besides available: [DeviceID: HistoryPoint], _ held: [DeviceID: HistoryPoint]
  ) -> [EventRange] {
    var pending = EventRanges()
    // They end before what was given up.
    for (device, point) in frontiers.lazy.flatMap(\.points) {
      pending.insert(EventRange(device: device, first: 1, last: point.sequence))
    }
    // A file may arrive before anybody says that it is there.
    for object in ranges.values.joined()
    where !isGivenUp(object) && !announcing.contains(where: { $0.covers(object) }) {
      pending.insert(object.range)
    }
    for object in ranges.values.joined() where isThere(object) { pending.subtract(object.range) }
    for device in Set(available.keys).union(held.keys) {
      let end = max(available[device]?.sequence ?? 0, held[device]?.sequence ?? 0)
      if end > 0 { pending.subtract(EventRange(device: device, first: 1, last: end)) }
    }
    return pending.ranges
  }
}
