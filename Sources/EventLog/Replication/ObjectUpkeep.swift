/// Keeps a shared place small: joins neighbouring ranges, and removes what is there twice.
///
/// What is joined is put first, and what it makes superfluous is removed by a later run, which has
/// found the larger object, read it, and seen that it holds the same. So there is no moment in
/// which a reader could find neither.
struct ObjectUpkeep: Sendable {
  private let place: ObjectPlace
  /// What is still to be looked at: neighbours in one history, and how many make it worth while to
  /// join them. Of the own device that is half as many: others do it themselves if they come by.
  private var rows: [(least: Int, objects: [RangeObject])] = []

  /// Removes parts of larger objects, and finds neighbours.
  ///
  /// - Parameter written: what the place holds beyond what it held when the run began.
  static func begin(
    _ place: ObjectPlace, _ device: DeviceID?, written: [RangeObject]
  ) async throws(EventLogError) -> ObjectUpkeep {
    var upkeep = ObjectUpkeep(place: place)
    let objects = try await place.withoutParts() + written
    for row in try await place.rows(of: objects.sorted()) {
      upkeep.rows.append((row[0].range.device == device ? 8 : 16, row))
    }
    return upkeep
  }

  private init(place: ObjectPlace) { self.place = place }

  /// Joins what has become many small ranges, one run of neighbours.
  ///
  /// - Returns: whether something was joined; false where nothing is left to be.
  mutating func joinNext(_ writer: inout ObjectWriter) async throws(EventLogError) -> Bool {
    while let (least, row) = rows.popLast() {
      guard let run = Self.joinable(row, least, place.storage.rangeBytes) else { continue }
      let (front, rest) = (Array(row[..<run.lowerBound]), Array(row[run.upperBound...]))
      if let joined = try await join(row[run], &writer) {
        rows.append((least, front + [joined] + rest))
        return true
      }
      // One of them is not what its name says: what stands before and behind them can be joined.
      rows += [(least, front), (least, rest)]
    }
    return false
  }

  /// Neighbours of like size that are enough to be joined.
  private static func joinable(
    _ row: [RangeObject], _ least: Int, _ rangeBytes: Int
  ) -> Range<Int>? {
    for limit: Int64 in [4 << 10, 32 << 10, 256 << 10, 2 << 20] {
      var (start, byteCount): (Int, Int64) = (0, 0)
      for (index, object) in row.enumerated() {
        if object.byteCount >= limit || byteCount + object.byteCount > rangeBytes
          || index - start >= UpkeepBudget.joinedMax
        {
          if index - start >= least { return start..<index }
          (start, byteCount) = (object.byteCount < limit ? index : index + 1, 0)
        }
        if object.byteCount < limit { byteCount += object.byteCount }
      }
      if row.count - start >= least { return start..<row.count }
    }
    return nil
  }

  /// Puts the lines of neighbours as one range; nil where they are not all what their names say.
  private func join(
    _ objects: ArraySlice<RangeObject>, _ writer: inout ObjectWriter
  ) async throws(EventLogError) -> RangeObject? {
    guard let bytes = try await place.lines(of: objects) else { return nil }
    guard let first = objects.first, let last = objects.last else { return nil }
    let name = RangeName(
      EventRange(from: first.range.first, to: last.range.end), last.name.checksum)
    // That each goes on from the one before it is what the initiator's journal has said.
    guard RangeContent(name, bytes) != nil else { return nil }
    return try await writer.put(name, bytes)
  }

}

extension ObjectPlace {
  /// Removes the frontiers that say nothing that the initiator's own does not say.
  func removeFrontiers(
    besides own: FrontierName, _ statement: FrontierStatement
  ) async throws(EventLogError) {
    let users = Set((statement.adoptedUsers + [statement.user ?? ""]).map { Array($0.utf8) })
    var count = 0
    for frontier in catalog.frontiers
    where frontier.name != own && count < UpkeepBudget.frontiersMax {
      let said = frontier.statement
      let missing = Set(said.missing.map(\.end)).subtracting(statement.missing.map(\.end))
      let events = missing.union(said.tips)
      if users.isSuperset(of: (said.adoptedUsers + [frontier.user]).map { Array($0.utf8) }),
        try await lookup.held(events.sorted()) == events
      {
        try await remove(frontier.name.text)
        count += 1
      }
    }
  }

  /// The lines of some objects; nil if one of the objects is not what its name says.
  fileprivate func lines(
    of objects: ArraySlice<RangeObject>
  ) async throws(EventLogError) -> [UInt8]? {
    let byteCount = objects.reduce(0) { $0 + $1.byteCount }
    let unread = objects.filter(isUnread)
    try upkeep.spend(
      requests: unread.count + 1, bytes: unread.reduce(byteCount) { $0 + $1.byteCount })
    var bytes: [UInt8] = []
    for object in objects {
      try upkeep.check()
      guard let content = try await content(of: object) else { return nil }
      bytes += content.bytes
    }
    // They are put next.
    try upkeep.check(before: byteCount)
    return bytes
  }

  /// Removes the objects of which a larger one holds all events too.
  ///
  /// - Returns: the others that count.
  fileprivate func withoutParts() async throws(EventLogError) -> [RangeObject] {
    var removed: Set<RangeObject> = []
    for part in catalog.objects.reversed() {
      let event = part.range.end
      // Of two that hold the same, the first one stays, unless it is bad.
      for larger in catalog.ranges(of: event.device, around: event.sequence)
      where larger != part && (larger < part || bad.contains(part)) {
        guard !bad.contains(larger), !removed.contains(larger),
          larger.range.first <= part.range.first
        else { continue }
        if histories[larger] == nil { try upkeep.spend(requests: 1, bytes: larger.byteCount) }
        guard try await history(of: larger)?.chain(at: event.sequence) == event.chain else {
          continue
        }
        try upkeep.spend(requests: 1)
        try await remove(part.name.text)
        removed.insert(part)
        break
      }
    }
    return there.filter { !removed.contains($0) }
  }

  /// Sorted objects as neighbours: in one row what goes on one from the other, by what the
  /// initiator holds. What others hold alone is left to them.
  fileprivate func rows(of objects: [RangeObject]) async throws(EventLogError) -> [[RangeObject]] {
    let befores = try await lookup.chains(
      objects.map { HistoryQuery(sequence: max(1, $0.range.first - 1), in: $0.range.end) })
    var rows: [FullEventID: [RangeObject]] = [:]
    for (object, chain) in zip(objects, befores) where rows[object.range.end] == nil {
      let range = object.range
      let before = chain.map {
        FullEventID(device: range.device, sequence: range.first - 1, chain: $0)
      }
      rows[range.end] = (before.flatMap { rows.removeValue(forKey: $0) } ?? []) + [object]
    }
    return rows.values.sorted { $0[0] < $1[0] }
  }
}
