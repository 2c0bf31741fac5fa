/// Keeps a shared place small: joins neighbouring ranges, and removes what is there twice.
///
/// What is joined is put first, and what it makes superfluous is removed by a later run, which has
/// found the larger object, read it, and seen that it holds the same. So there is no moment in
/// which a reader could find neither.
struct ObjectUpkeep: Sendable {
  /// So many neighbours of like size are joined into one.
  private static let neighboursMin = 8
  /// For ranges of others, who do it themselves if they come by.
  private static let foreignNeighboursMin = 16

  private let storage: any ObjectStorage
  /// What the place held when the run began.
  private let before: ObjectCatalog
  private let visitor: any DeviceHistories
  private let device: DeviceID?
  /// Per device what is still to be looked at, by first and last event, without what is a part of a
  /// larger one.
  private var rows: [(least: Int, row: [ObjectCatalog.RangeObject])] = []

  /// - Parameter written: what the place holds beyond `before`.
  init(
    _ storage: any ObjectStorage, _ before: ObjectCatalog, _ visitor: any DeviceHistories,
    _ device: DeviceID?, written: [ObjectCatalog.RangeObject]
  ) {
    self.storage = storage
    self.before = before
    self.visitor = visitor
    self.device = device
    let devices = Set(before.ranges.keys).union(written.map(\.range.device))
    rows = devices.sorted(by: >).map { id in
      let objects = (before.ranges[id] ?? []).filter(before.isThere)
      return (
        least: id == device ? Self.neighboursMin : Self.foreignNeighboursMin,
        row: Self.row(objects + written.filter { $0.range.device == id })
      )
    }
  }

  // MARK: - Joining

  /// Joins what has become many small ranges, one row of them.
  ///
  /// - Returns: whether something was joined; false where nothing is left to be.
  mutating func joinNext(_ writer: inout ObjectWriter) async throws(EventLogError) -> Bool {
    while let (least, row) = rows.last {
      guard let run = Self.joinable(row, least) else {
        rows.removeLast()
        continue
      }
      switch try await join(row[run], &writer) {
      case .joined(let joined):
        rows[rows.count - 1].row.replaceSubrange(run, with: [joined])
        return true
      case .unfit(let place): rows[rows.count - 1].row.remove(at: place)
      }
    }
    return false
  }

  private enum Joining {
    case joined(ObjectCatalog.RangeObject)
    /// The one at this place is not what its name says, or does not continue the one before it.
    case unfit(Int)
  }

  /// The objects that are not part of a larger one, by their events.
  private static func row(
    _ objects: [ObjectCatalog.RangeObject]
  ) -> [ObjectCatalog.RangeObject] {
    let sorted = objects.sorted {
      ($0.range.first, -$0.range.last, $0.name.text) < (
        $1.range.first, -$1.range.last, $1.name.text
      )
    }
    var row: [ObjectCatalog.RangeObject] = []
    for object in sorted where row.last.map({ $0.range.last < object.range.last }) ?? true {
      row.append(object)
    }
    return row
  }

  /// Neighbours of like size, without a gap between them, that are enough to be joined.
  private static func joinable(
    _ row: [ObjectCatalog.RangeObject], _ least: Int
  ) -> Range<Int>? {
    for tier in 0...3 {
      var start = 0
      while start < row.count {
        var end = start
        var byteCount: Int64 = 0
        while end < row.count, self.tier(row[end].byteCount) <= tier,
          end == start || row[end - 1].range.last + 1 == row[end].range.first,
          byteCount + row[end].byteCount <= ObjectLimits.rangeBytes
        {
          byteCount += row[end].byteCount
          end += 1
        }
        if end - start >= least { return start..<end }
        start = max(end, start + 1)
      }
    }
    return nil
  }

  /// Sizes of one tier differ by less than a factor of eight.
  private static func tier(_ byteCount: Int64) -> Int {
    switch byteCount {
    case ..<(4 << 10): 0
    case ..<(32 << 10): 1
    case ..<(256 << 10): 2
    case ..<(2 << 20): 3
    default: 4
    }
  }

  /// Puts the lines of neighbours, at least one, as one range.
  private func join(
    _ objects: ArraySlice<ObjectCatalog.RangeObject>, _ writer: inout ObjectWriter
  ) async throws(EventLogError) -> Joining {
    var bytes: [UInt8] = []
    var previous: LineChecksum?
    for (place, object) in zip(objects.indices, objects) {
      guard let content = try await content(of: object),
        previous.map({ content.lines[0].checksum.continues($0) }) ?? true
      else { return .unfit(place) }
      previous = object.name.checksum
      bytes += content.bytes
    }
    let (first, last) = (objects[objects.startIndex], objects[objects.endIndex - 1])
    let range = EventRange(
      device: first.range.device, first: first.range.first, last: last.range.last)
    return .joined(try await writer.put(range, last.name.checksum, bytes))
  }

  private func content(
    of object: ObjectCatalog.RangeObject
  ) async throws(EventLogError) -> RangeContent? {
    try await storage.read(object.name.text).flatMap { RangeContent(object.name, $0) }
  }

  // MARK: - Removing

  /// Removes ranges that a larger object holds too, and frontiers that say nothing that a later one
  /// does not say.
  func removeWhatIsSuperfluous() async throws(EventLogError) {
    for objects in before.ranges.values {
      for (place, larger) in zip(objects.indices, objects) where before.isThere(larger) {
        let parts = Self.parts(of: larger, at: place, in: objects)
        if parts.isEmpty { continue }
        guard let content = try await content(of: larger) else { continue }
        for part in parts where content.checksum(at: part.range.last) == part.name.checksum {
          try await storage.remove(part.name.text)
        }
      }
    }
    try await removeFrontiers()
  }

  /// What is in a larger object too, among all of its device by first and last event.
  private static func parts(
    of larger: ObjectCatalog.RangeObject, at place: Int, in objects: [ObjectCatalog.RangeObject]
  ) -> [ObjectCatalog.RangeObject] {
    var start = place
    while start > 0, objects[start - 1].range.first == larger.range.first { start -= 1 }
    return objects[start...].prefix { $0.range.first <= larger.range.last }
      .filter { isPart($0, of: larger) }
  }

  /// Whether a range is in a larger one too; of two that are alike, one stays.
  private static func isPart(
    _ part: ObjectCatalog.RangeObject, of larger: ObjectCatalog.RangeObject
  ) -> Bool {
    guard part.name != larger.name, larger.range.first <= part.range.first,
      part.range.last <= larger.range.last
    else { return false }
    if part.range != larger.range { return true }
    return part.name.hasAddition && !larger.name.hasAddition
  }

  private func removeFrontiers() async throws(EventLogError) {
    var known: [FrontierObject] = []
    for frontier in before.frontiers where try await isOwnPast(frontier) { known.append(frontier) }
    for frontier in known {
      let isCovered = known.contains { other in
        guard other.name != frontier.name, Self.holds(other, frontier) else { return false }
        return !Self.holds(frontier, other) || other.name.text < frontier.name.text
      }
      if isCovered { try await storage.remove(frontier.name.text) }
    }
  }

  /// Whether the visitor holds all that a writer says it holds, and the same.
  private func isOwnPast(_ frontier: FrontierObject) async throws(EventLogError) -> Bool {
    if !frontier.unreadable.isEmpty { return false }
    for (device, point) in frontier.points {
      guard let own = visitor.points[device], own.sequence >= point.sequence else { return false }
      if own == point { continue }
      let event = EventID(device: device, sequence: point.sequence)
      if try await visitor.checksum(of: event) != point.checksum { return false }
    }
    return true
  }

  /// Whether the one goes at least as far as the other, of every device; both are the visitor's
  /// past.
  private static func holds(_ one: FrontierObject, _ other: FrontierObject) -> Bool {
    other.points.allSatisfy { (one.points[$0.key]?.sequence ?? 0) >= $0.value.sequence }
      && Self.bytes(other.adoptedUsers).isSubset(of: Self.bytes(one.adoptedUsers))
      && Set(other.reissues).isSubset(of: Set(one.reissues))
      && one.limits.allSatisfy { other.limits[$0.key] ?? .max <= $0.value }
      && other.withheld.allSatisfy { one.withheld[$0.key] == $0.value }
  }

  private static func bytes(_ texts: [String]) -> Set<[UInt8]> { Set(texts.map { Array($0.utf8) }) }
}
