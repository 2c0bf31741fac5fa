extension ObjectCatalog {
  /// What the writers say they hold, or have put, and what is neither there nor held by the
  /// visitor: late, cut off, renamed, or damaged.
  ///
  /// - Parameters:
  ///   - available: per device the end of what can be taken.
  ///   - held: per device the end of what the visitor holds.
  func pending(
    besides available: [DeviceID: HistoryPoint], _ held: [DeviceID: HistoryPoint]
  ) -> [EventRange] {
    var pending = EventRanges()
    let own = announcing.filter { $0.user.utf8.elementsEqual((user ?? $0.user).utf8) }
    for (device, point) in own.lazy.flatMap(\.points) {
      pending.insert(EventRange(device: device, first: 1, last: point.sequence))
    }
    // A file may arrive before anybody says that it is there.
    for object in ranges.values.joined() where !announcing.contains(where: { $0.covers(object) }) {
      pending.insert(object.range)
    }
    for object in ranges.values.joined()
    where !isDamaged(object) && own.contains(where: { $0.covers(object) }) {
      pending.subtract(object.range)
    }
    for device in Set(available.keys).union(held.keys) {
      let end = max(available[device]?.sequence ?? 0, held[device]?.sequence ?? 0)
      if end > 0 { pending.subtract(EventRange(device: device, first: 1, last: end)) }
    }
    return pending.ranges
  }
}
