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

  let storage: any ObjectStorage
  /// What the place held when the run began.
  let before: ObjectCatalog
  let visitor: any DeviceHistories
  let device: DeviceID?

  // MARK: - Joining

  /// Joins what has become many small ranges.
  ///
  /// - Parameter writer: has put what the place holds beyond `before`.
  func join(_ writer: inout ObjectWriter) async throws(EventLogError) {
    var catalog = before
    for object in writer.written { catalog.add(object) }
    for device in catalog.ranges.keys.sorted() {
      var objects = catalog.ranges[device]!.filter(catalog.isThere)
      let least = device == self.device ? Self.neighboursMin : Self.foreignNeighboursMin
      while true {
        let row = Self.row(objects)
        guard let run = Self.joinable(row, least) else { break }
        switch try await join(row[run], &writer) {
        case .joined(let joined): objects.append(joined)
        case .unfit(let object): objects.removeAll { $0 == object }
        }
      }
    }
  }

  private enum Joining {
    case joined(ObjectCatalog.RangeObject)
    /// This one is not what its name says, or does not continue the one before it.
    case unfit(ObjectCatalog.RangeObject)
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
    for object in objects {
      guard let content = try await content(of: object),
        previous.map({ content.lines[0].checksum.continues($0) }) ?? true
      else { return .unfit(object) }
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
      for larger in objects where before.isThere(larger) {
        let parts = objects.filter { Self.isPart($0, of: larger) }
        if parts.isEmpty { continue }
        guard let content = try await content(of: larger) else { continue }
        for part in parts where content.checksum(at: part.range.last) == part.name.checksum {
          try await storage.remove(part.name.text)
        }
      }
    }
    try await removeFrontiers()
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
      && Set(other.adoptedUsers).isSubset(of: Set(one.adoptedUsers))
      && other.withheld.allSatisfy { one.withheld[$0.key] == $0.value }
  }
}
