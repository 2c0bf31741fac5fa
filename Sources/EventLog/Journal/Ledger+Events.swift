// Which events there are, and what they are called.

extension Ledger {
  /// The event of a device with that sequence and chain, held or missing.
  ///
  /// - Complexity: O(1).
  func locate(_ device: Int, _ sequence: Int64, _ chain: UInt32) -> Point? {
    let current = devices[device].current
    if current >= 0, isThere(current, sequence, chain) {
      return Point(branch: current, sequence: sequence)
    }
    if devices[device].isIndexed {
      let key = WaitingLines.Key(device: Int32(device), sequence: sequence, chain: chain)
      return branchOfEvent[key].map { Point(branch: $0, sequence: sequence) }
    }
    for branch in devices[device].branches where isThere(branch, sequence, chain) {
      return Point(branch: branch, sequence: sequence)
    }
    return nil
  }

  /// Devices with more branches than this have their events in an index. One or two are the rule,
  /// and looking through some dozens costs less than an index.
  static let unindexedBranchesMax = 64

  /// Puts the events of a device into the index.
  @inline(never)
  mutating func index(device: Int) {
    devices[device].isIndexed = true
    for branch in devices[device].branches {
      for sequence in branches[Int(branch)].first..<(branches[Int(branch)].last + 1) {
        index(Point(branch: branch, sequence: sequence))
      }
    }
  }

  @inline(__always)
  private func isThere(_ branch: Int32, _ sequence: Int64, _ chain: UInt32) -> Bool {
    let index = Int(branch)
    return branches[index].contains(sequence) && branches[index].chain(at: sequence) == chain
  }

  mutating func index(_ point: Point) {
    let branch = branches[Int(point.branch)]
    let chain = branch.chain(at: point.sequence)
    branchOfEvent[.init(device: branch.device, sequence: point.sequence, chain: chain)] =
      point.branch
    if isHeld(point) {
      namesakeCounts[ShortID(device: branch.device, sequence: point.sequence), default: 0] += 1
    }
  }

  /// The event of a full ID, held or missing; nil where nothing names it.
  package func locate(_ event: FullEventID) -> Point? {
    find(event.device).flatMap { locate($0, event.sequence, event.chain) }
  }

  /// Whether the event is held.
  @inline(__always)
  package func isHeld(_ point: Point) -> Bool {
    let branch = Int(point.branch)
    return !branches[branch].isMissing || point.sequence > branches[branch].first
  }

  /// Whether the event of a full ID is held.
  package func holds(_ event: FullEventID) -> Bool { locate(event).map(isHeld) ?? false }

  /// The events that are held under a short ID, or the one of an ID with its chain.
  package func points(named id: EventID) -> [Point] {
    guard let device = find(id.device) else { return [] }
    if let chain = id.chain {
      return locate(device, id.sequence, chain).map { isHeld($0) ? [$0] : [] } ?? []
    }
    return devices[device].branches.map { Point(branch: $0, sequence: id.sequence) }.filter {
      branches[Int($0.branch)].contains(id.sequence) && isHeld($0)
    }
  }

  /// How many events are held under a short ID.
  private func count(of device: Int, _ sequence: Int64) -> Int {
    if devices[device].isIndexed {
      return Int(namesakeCounts[ShortID(device: Int32(device), sequence: sequence)] ?? 0)
    }
    return devices[device].branches.count {
      branches[Int($0)].contains(sequence) && isHeld(Point(branch: $0, sequence: sequence))
    }
  }

  package func fullID(_ point: Point) -> FullEventID {
    let branch = Int(point.branch)
    return FullEventID(
      device: device(of: branch), sequence: point.sequence,
      chain: branches[branch].chain(at: point.sequence))
  }

  /// The event's ID as it is shown: with its chain only where two events that are held have the
  /// short one.
  package func id(_ point: Point) -> EventID {
    let full = fullID(point)
    let device = Int(branches[Int(point.branch)].device)
    if devices[device].branches.count == 1 { return full.shortID }
    return count(of: device, point.sequence) > 1 ? full.id : full.shortID
  }

  /// Whether an event is held that has the same short ID as `event`, and is another one.
  package func hasNamesake(of event: FullEventID) -> Bool {
    guard let device = find(event.device) else { return false }
    return count(of: device, event.sequence) > (holds(event) ? 1 : 0)
  }

  /// An event's ID as it is shown: with its chain only where another event is held under the short
  /// one.
  package func shownID(of event: FullEventID) -> EventID {
    hasNamesake(of: event) ? event.id : event.shortID
  }

  // MARK: - Tips and gaps

  /// The tips: events held with no held event behind them.
  ///
  /// - Complexity: O(branches).
  package var tips: [Point] {
    var hasMore = [Bool](repeating: false, count: branches.count)
    for branch in branches where branch.eventCount > 0 {
      let held = branch.ancestry.held
      if held.branch >= 0, held.sequence == branches[Int(held.branch)].last {
        hasMore[Int(held.branch)] = true
      }
    }
    return branches.indices.filter { branches[$0].eventCount > 0 && !hasMore[$0] }
      .map { Point(branch: Int32($0), sequence: branches[$0].last) }
  }

  /// The vector clock of the journal: what its next event will have seen.
  package var frontier: VectorClock { VectorClock(tips.map(fullID)) }

  /// What a new event states in `seen`: the tips that the history it goes on from does not cover.
  ///
  /// - Parameter end: the event that it goes on from; nil for a writer's first.
  package func unstated(after end: Point?) -> [FullEventID] {
    var entries: [FullEventID] = []
    for tip in tips {
      if let end, end.branch == tip.branch, end.sequence >= tip.sequence { continue }
      if let end, seen(Int(tip.branch), by: Int(end.branch)) >= tip.sequence { continue }
      entries.append(fullID(tip))
    }
    return entries.sorted()
  }

  /// The events that are named and not held.
  package var missing: [FullEventID] {
    branches.indices.filter { branches[$0].isMissing }
      .map { fullID(Point(branch: Int32($0), sequence: branches[$0].first)) }.sorted()
  }

  /// A missing event with those before it of which nothing is known.
  func missingRange(_ branch: Int) -> EventRange {
    let place = branches[branch]
    return EventRange(
      from: min(place.after + 1, place.first),
      to: fullID(Point(branch: Int32(branch), sequence: place.first)))
  }

  /// What is missing, as ranges, by device and sequence.
  package var missingRanges: [EventRange] {
    branches.indices.filter { branches[$0].isMissing }.map(missingRange).sorted()
  }

  /// What is missing, and nobody has acknowledged to be lost.
  package var unacknowledgedRanges: [EventRange] {
    let losses = AcknowledgedLosses(self)
    return missingRanges.filter { !losses.contains($0.end) }
  }
}

extension Ledger {
  /// An event by the numbers of this ledger, given by those of another reading; nil where it is not
  /// known here.
  ///
  /// - Complexity: O(1) where both number its branch alike.
  package func translated(_ point: Point, from other: Ledger) -> Point? {
    let index = Int(point.branch)
    if index < branches.count, branches[index].device == other.branches[index].device,
      branches[index].contains(point.sequence),
      branches[index].chain(at: point.sequence) == other.branches[index].chain(at: point.sequence)
    {
      return point
    }
    return locate(other.fullID(point))
  }
}

extension Ledger {
  /// How many events of a device are held.
  package func eventCount(of device: Int) -> Int {
    devices[device].branches.reduce(0) { $0 + branches[Int($1)].eventCount }
  }

  /// The greatest `at` of the last events of a device's histories.
  package func lastAt(of device: Int) -> Int64 {
    devices[device].branches.map { branches[Int($0)].lastAt }.max() ?? 0
  }
}
