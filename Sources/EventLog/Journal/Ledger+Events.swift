// Queries for events and their IDs.

extension Ledger {
  /// The event of a device with this sequence and chain, held or missing.
  ///
  /// - Complexity: O(1).
  func locate(_ device: Int, _ sequence: Int64, _ chain: UInt32) -> Point? {
    let current = devices[device].current
    if current >= 0, isThere(current, sequence, chain) {
      return Point(branch: current, sequence: sequence)
    }
    if devices[device].isIndexed {
      let key = DeferredLines.Key(device: Int32(device), sequence: sequence, chain: chain)
      return branchOfEvent[key].map { Point(branch: $0, sequence: sequence) }
    }
    for branch in devices[device].branches where isThere(branch, sequence, chain) {
      return Point(branch: branch, sequence: sequence)
    }
    return nil
  }

  /// The number of branches up to which a device's events aren't indexed.
  ///
  /// Most devices have one or two, and searching a few dozen is cheaper than an index.
  static let unindexedBranchesMax = 64

  /// Adds the events of a device to the index.
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

  /// The event with a full ID, held or missing, or nil if nothing names it.
  package func locate(_ event: FullEventID) -> Point? {
    find(event.device).flatMap { locate($0, event.sequence, event.chain) }
  }

  /// Whether the event is held.
  @inline(__always)
  package func isHeld(_ point: Point) -> Bool {
    let branch = Int(point.branch)
    return !branches[branch].isMissing || point.sequence > branches[branch].first
  }

  /// Whether the event with a full ID is held.
  package func holds(_ event: FullEventID) -> Bool { locate(event).map(isHeld) ?? false }

  /// The held events with a short ID, or the event of an ID with a chain.
  package func points(named id: EventID) -> [Point] {
    guard let device = find(id.device) else { return [] }
    if let chain = id.chain {
      return locate(device, id.sequence, chain).map { isHeld($0) ? [$0] : [] } ?? []
    }
    return devices[device].branches.map { Point(branch: $0, sequence: id.sequence) }.filter {
      branches[Int($0.branch)].contains(id.sequence) && isHeld($0)
    }
  }

  /// The number of held events with a short ID.
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

  /// The displayed ID of an event: with its chain only if two held events have the same short ID.
  package func id(_ point: Point) -> EventID {
    let full = fullID(point)
    let device = Int(branches[Int(point.branch)].device)
    if devices[device].branches.count == 1 { return full.shortID }
    return count(of: device, point.sequence) > 1 ? full.id : full.shortID
  }

  /// Whether another event with the short ID of `event` is held.
  package func hasNamesake(of event: FullEventID) -> Bool {
    guard let device = find(event.device) else { return false }
    return count(of: device, event.sequence) > (holds(event) ? 1 : 0)
  }

  /// The displayed ID of an event: with its chain only if another event with the same short ID is
  /// held.
  package func shownID(of event: FullEventID) -> EventID {
    hasNamesake(of: event) ? event.id : event.shortID
  }

  // MARK: - Tips and gaps

  /// The tips: held events without a held successor.
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

  /// The vector clock of the journal, which is what its next event has seen.
  package var frontier: VectorClock { VectorClock(tips.map(fullID)) }

  /// The entries of `seen` for a new event: the tips that its predecessor hasn't seen.
  ///
  /// - Parameter end: The predecessor, or nil for a device's first event.
  package func unstated(after end: Point?) -> [FullEventID] {
    var entries: [FullEventID] = []
    for tip in tips {
      if let end, end.branch == tip.branch, end.sequence >= tip.sequence { continue }
      if let end, seen(Int(tip.branch), by: Int(end.branch)) >= tip.sequence { continue }
      entries.append(fullID(tip))
    }
    return entries.sorted()
  }

  /// The events that are named but not held.
  package var missing: [FullEventID] {
    branches.indices.filter { branches[$0].isMissing }
      .map { fullID(Point(branch: Int32($0), sequence: branches[$0].first)) }.sorted()
  }

  /// A missing event with the unknown events before it.
  func missingRange(_ branch: Int) -> EventRange {
    let state = branches[branch]
    return EventRange(
      from: min(state.after + 1, state.first),
      to: fullID(Point(branch: Int32(branch), sequence: state.first)))
  }

  /// The missing events as ranges, by device and sequence.
  package var missingRanges: [EventRange] {
    branches.indices.filter { branches[$0].isMissing }.map(missingRange).sorted()
  }

  /// The missing ranges whose loss isn't acknowledged.
  package var unacknowledgedRanges: [EventRange] {
    let losses = AcknowledgedLosses(self)
    return missingRanges.filter { !losses.contains($0.end) }
  }
}

extension Ledger {
  /// Translates an event from the numbers of another reading, or returns nil if it is unknown here.
  ///
  /// - Complexity: O(1) if both readings give its branch the same number.
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
  /// The number of held events of a device.
  package func eventCount(of device: Int) -> Int {
    devices[device].branches.reduce(0) { $0 + branches[Int($1)].eventCount }
  }

  /// The greatest `at` of the last events of a device's histories.
  package func lastAt(of device: Int) -> Int64 {
    devices[device].branches.map { branches[Int($0)].lastAt }.max() ?? 0
  }
}
