/// Keeps a shared place small: joins neighbouring ranges, and removes what is there twice.
///
/// What is joined is put first, and what it makes superfluous is removed by a later run, which has
/// found the larger object, read it, and seen that it holds the same. So there is no moment in
/// which a reader could find neither. The initiator's own journal tells which ranges belong to one
/// history; others are left to those who hold them.
struct ObjectUpkeep: Sendable {
  /// So many neighbours of like size are joined into one.
  private static let neighboursMin = 8
  /// For ranges of others, who do it themselves if they come by.
  private static let foreignNeighboursMin = 16

  private let place: ObjectPlace
  /// What is still to be looked at: neighbours in one history.
  private var rows: [(least: Int, objects: [RangeObject])] = []

  /// - Parameter written: what the place holds beyond what it held when the run began.
  static func begin(
    _ place: ObjectPlace, _ device: DeviceID?, written: [RangeObject]
  ) async throws(EventLogError) -> ObjectUpkeep {
    var upkeep = ObjectUpkeep(place)
    let objects = Set(await place.there + written)
    for (id, objects) in Dictionary(grouping: objects, by: \.range.device) {
      let least = id == device ? neighboursMin : foreignNeighboursMin
      for row in try await place.rows(of: objects.sorted()) { upkeep.rows.append((least, row)) }
    }
    return upkeep
  }

  private init(_ place: ObjectPlace) { self.place = place }

  // MARK: - Joining

  /// Joins what has become many small ranges, one row of them.
  ///
  /// - Returns: whether something was joined; false where nothing is left to be.
  mutating func joinNext(_ writer: inout ObjectWriter) async throws(EventLogError) -> Bool {
    while let (least, row) = rows.popLast() {
      guard let run = Self.joinable(row, least) else { continue }
      var rest = row
      if let joined = try await join(row[run], &writer) {
        rest.replaceSubrange(run, with: [joined])
        rows.append((least, rest))
        return true
      }
      // One of them is not what its name says: what stands before and behind them can be joined.
      rows += [(least, Array(row[..<run.lowerBound])), (least, Array(row[run.upperBound...]))]
    }
    return false
  }

  /// Neighbours of like size that are enough to be joined.
  private static func joinable(_ row: [RangeObject], _ least: Int) -> Range<Int>? {
    for tier in 0...3 {
      var start = 0
      while start < row.count {
        var end = start
        var byteCount: Int64 = 0
        while end < row.count, self.tier(row[end].byteCount) <= tier,
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

  /// Puts the lines of neighbours as one range; nil where they are not all what their names say.
  private func join(
    _ objects: ArraySlice<RangeObject>, _ writer: inout ObjectWriter
  ) async throws(EventLogError) -> RangeObject? {
    var bytes: [UInt8] = []
    var end: FullEventID?
    for object in objects {
      guard let content = try await place.content(of: object),
        end.map({ $0.chain == content.history.chain(at: $0.sequence) }) ?? true
      else { return nil }
      end = object.range.end
      bytes += content.bytes
    }
    guard let first = objects.first, let last = objects.last else { return nil }
    let range = EventRange(from: first.range.first, to: last.range.end)
    return try await writer.put(range, last.name.checksum, bytes)
  }

  // MARK: - Removing

  /// Removes the objects of which a larger one holds all events too.
  func removeParts() async throws(EventLogError) {
    let there = await place.there
    for (_, objects) in Dictionary(grouping: await place.catalog.objects, by: \.range.device) {
      for larger in there where larger.range.device == objects[0].range.device {
        let parts = objects.filter { $0 != larger && $0.isPart(of: larger) }
        if parts.isEmpty { continue }
        let inside = try await place.lookup.isInHistory(
          parts.map(\.range.end), of: larger.range.end)
        guard inside.contains(true), let content = try await place.content(of: larger) else {
          continue
        }
        for part in parts where content.history.chain(at: part.range.last) == part.range.chain {
          // Of two that hold the same, the first one stays, unless it is bad.
          if part.range == larger.range, part < larger, there.contains(part) { continue }
          try await place.storage.remove(part.name.text)
        }
      }
    }
  }

  /// Removes the frontiers that say nothing that the initiator's own does not say.
  func removeFrontiers(
    besides own: FrontierName, _ statement: FrontierStatement
  ) async throws(EventLogError) {
    let users = Set((statement.adoptedUsers + [statement.user ?? ""]).map { Array($0.utf8) })
    let missing = Set(statement.missing.map(\.end))
    for frontier in await place.catalog.frontiers where frontier.name != own {
      let said = frontier.statement
      let lacking = Set(said.missing.map(\.end)).subtracting(missing)
      let events = lacking.union(said.tips)
      let isSuperfluous =
        users.isSuperset(of: (said.adoptedUsers + [frontier.user]).map { Array($0.utf8) })
        && (try await place.lookup.held(events.sorted())) == events
      if isSuperfluous { try await place.storage.remove(frontier.name.text) }
    }
  }
}

extension RangeObject {
  /// Whether a larger one may hold all its events, by the numbers.
  fileprivate func isPart(of larger: RangeObject) -> Bool {
    larger.range.first <= range.first && range.last <= larger.range.last
  }
}

extension ObjectPlace {
  /// Objects of one device as neighbours, in one row for each history; none that is a part of
  /// another one.
  fileprivate func rows(of objects: [RangeObject]) async throws(EventLogError) -> [[RangeObject]] {
    var whole: [RangeObject] = []
    for object in objects {
      let larger = whole.filter { object.isPart(of: $0) }.map(\.range.end)
      var isPart = false
      for end in larger where !isPart {
        isPart = try await lookup.isInHistory([object.range.end], of: end)[0]
      }
      if !isPart { whole.append(object) }
    }
    var rows: [[RangeObject]] = []
    for object in whole {
      var place: Int?
      for (index, row) in rows.enumerated()
      where place == nil && row.last!.range.last + 1 == object.range.first {
        let end = row.last!.range.end
        if try await lookup.isInHistory([end], of: object.range.end)[0] { place = index }
      }
      if let place { rows[place].append(object) } else { rows.append([object]) }
    }
    return rows
  }

  /// What the next run is to know.
  var words: Set<String> {
    known.intersection(catalog.objects.map(\.key)).union(round.words)
  }
}

extension HistoryLookup {
  /// Which of some events are in the history that `tip` ends.
  fileprivate func isInHistory(
    _ events: [FullEventID], of tip: FullEventID
  ) async throws(EventLogError) -> [Bool] {
    let queries = events.map { HistoryQuery(sequence: $0.sequence, in: tip) }
    return zip(events, try await chains(queries)).map { $0.chain == $1 }
  }
}
