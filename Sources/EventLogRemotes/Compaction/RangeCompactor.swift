import EventLog

/// Compacts a shared remote: merges adjacent ranges, and removes redundant objects.
///
/// A run only puts the merged object. A later run removes the parts once it has listed and verified
/// the merged object, so that readers always find the events.
struct RangeCompactor: Sendable {
  private let objectIndex: ObjectIndex
  /// The remaining rows of adjacent objects in one history, each with the minimum number of objects
  /// to merge.
  ///
  /// The minimum is doubled for other devices' objects, which those devices usually merge
  /// themselves.
  private var rows: [(minimumCount: Int, objects: [RangeObject])] = []

  /// Removes parts of larger objects, and finds adjacent ones.
  ///
  /// - Parameter written: The objects that this run has put.
  static func begin(
    _ objectIndex: ObjectIndex, _ device: DeviceID?, written: [RangeObject]
  ) async throws(EventLogError) -> RangeCompactor {
    var compactor = RangeCompactor(objectIndex: objectIndex)
    let objects = try await objectIndex.withoutParts() + written
    for row in try await objectIndex.rows(of: objects.sorted()) {
      compactor.rows.append((row[0].range.device == device ? 8 : 16, row))
    }
    return compactor
  }

  private init(objectIndex: ObjectIndex) { self.objectIndex = objectIndex }

  /// Merges one run of small adjacent ranges.
  ///
  /// - Returns: False if there is nothing left to merge.
  mutating func mergeNext(_ writer: inout ObjectWriter) async throws(EventLogError) -> Bool {
    while let (minimumCount, row) = rows.popLast() {
      guard let run = Self.mergeable(row, minimumCount, objectIndex.storage.rangeBytes) else {
        continue
      }
      let (front, rest) = (Array(row[..<run.lowerBound]), Array(row[run.upperBound...]))
      if let merged = try await merge(row[run], &writer) {
        rows.append((minimumCount, front + [merged] + rest))
        return true
      }
      // One of them is invalid. The objects before and after the run may still be merged.
      rows += [(minimumCount, front), (minimumCount, rest)]
    }
    return false
  }

  /// Returns a run of adjacent objects of similar size that is long enough to merge.
  private static func mergeable(
    _ row: [RangeObject], _ minimumCount: Int, _ rangeBytes: Int
  ) -> Range<Int>? {
    for limit: Int64 in [4 << 10, 32 << 10, 256 << 10, 2 << 20] {
      var (start, byteCount): (Int, Int64) = (0, 0)
      for (index, object) in row.enumerated() {
        if object.byteCount >= limit || byteCount + object.byteCount > rangeBytes
          || index - start >= CompactionBudget.mergedMax
        {
          if index - start >= minimumCount { return start..<index }
          (start, byteCount) = (object.byteCount < limit ? index : index + 1, 0)
        }
        if object.byteCount < limit { byteCount += object.byteCount }
      }
      if row.count - start >= minimumCount { return start..<row.count }
    }
    return nil
  }

  /// Puts the lines of adjacent objects as one range, or returns nil if one is invalid.
  private func merge(
    _ objects: ArraySlice<RangeObject>, _ writer: inout ObjectWriter
  ) async throws(EventLogError) -> RangeObject? {
    guard let bytes = try await objectIndex.lines(of: objects) else { return nil }
    guard let first = objects.first, let last = objects.last else { return nil }
    let name = RangeName(
      EventRange(from: first.range.first, to: last.range.end), last.name.checksum)
    // The objects are adjacent according to the journal. Check their lines, too.
    guard RangeContent(name, bytes) != nil else { return nil }
    return try await writer.put(name, bytes)
  }
}

extension ObjectIndex {
  /// Removes frontiers that state nothing beyond the initiator's own, and its unreadable ones.
  func removeFrontiers(
    excluding own: FrontierName, _ statement: FrontierStatement, writer: DeviceID?
  ) async throws(EventLogError) {
    let users = Set((statement.adoptedUsers + [statement.user ?? ""]).map { Array($0.utf8) })
    for name in catalog.unreadFrontiers(of: writer) { try await remove(name.text) }
    for frontier in catalog.frontiers where frontier.name != own {
      let stated = frontier.statement
      let missing = Set(stated.missing.map(\.end)).subtracting(statement.missing.map(\.end))
      let events = missing.union(stated.tips)
      if users.isSuperset(of: (stated.adoptedUsers + [frontier.user]).map { Array($0.utf8) }),
        try await lookup.held(events.sorted()) == events
      {
        try await remove(frontier.name.text)
      }
    }
  }

  /// Returns the lines of the objects, or nil if one of the objects is invalid.
  fileprivate func lines(
    of objects: ArraySlice<RangeObject>
  ) async throws(EventLogError) -> [UInt8]? {
    let byteCount = objects.reduce(0) { $0 + $1.byteCount }
    let unread = objects.filter(isUnread)
    try compactionBudget.spend(
      requests: unread.count + 1, bytes: unread.reduce(byteCount) { $0 + $1.byteCount })
    var bytes: [UInt8] = []
    for object in objects {
      try compactionBudget.check()
      guard let content = try await content(of: object) else { return nil }
      bytes += content.bytes
    }
    // The caller puts them next.
    try compactionBudget.check(before: byteCount)
    return bytes
  }

  /// Removes the objects whose events are all in a larger object.
  ///
  /// - Returns: The remaining valid objects.
  fileprivate func withoutParts() async throws(EventLogError) -> [RangeObject] {
    var removed: Set<RangeObject> = []
    for part in catalog.objects.reversed() {
      let event = part.range.end
      // If two objects have the same events, keep the first, unless it is invalid.
      for larger in catalog.ranges(of: event.device, around: event.sequence)
      where larger != part && (larger < part || invalidObjects.contains(part)) {
        guard !invalidObjects.contains(larger), !removed.contains(larger),
          larger.range.first <= part.range.first
        else { continue }
        if histories[larger] == nil {
          try compactionBudget.spend(requests: 1, bytes: larger.byteCount)
        }
        guard try await history(of: larger)?.chain(at: event.sequence) == event.chain else {
          continue
        }
        try await remove(part.name.text)
        removed.insert(part)
        break
      }
    }
    return validObjects.filter { !removed.contains($0) }
  }

  /// Groups sorted objects into rows of adjacent ones, according to the initiator's journal.
  ///
  /// Objects with events that the journal lacks are left to other devices.
  fileprivate func rows(of objects: [RangeObject]) async throws(EventLogError) -> [[RangeObject]] {
    let predecessors = try await lookup.chains(
      objects.map { HistoryQuery(sequence: max(1, $0.range.first - 1), in: $0.range.end) })
    var rows: [FullEventID: [RangeObject]] = [:]
    for (object, chain) in zip(objects, predecessors) where rows[object.range.end] == nil {
      let range = object.range
      let before = chain.map {
        FullEventID(device: range.device, sequence: range.first - 1, chain: $0)
      }
      rows[range.end] = (before.flatMap { rows.removeValue(forKey: $0) } ?? []) + [object]
    }
    return rows.values.sorted { $0[0] < $1[0] }
  }
}
