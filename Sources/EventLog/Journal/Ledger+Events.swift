// Which events there are, and what they are called.

extension Ledger {
  /// The event of a device with that sequence and chain, held or missing.
  ///
  /// - Complexity: O(branches of the device).
  func locate(_ device: Int, _ sequence: Int64, _ chain: UInt32) -> Point? {
    let current = devices[device].current
    if current >= 0, isThere(current, sequence, chain) {
      return Point(branch: current, sequence: sequence)
    }
    for branch in devices[device].branches where isThere(branch, sequence, chain) {
      return Point(branch: branch, sequence: sequence)
    }
    return nil
  }

  @inline(__always)
  private func isThere(_ branch: Int32, _ sequence: Int64, _ chain: UInt32) -> Bool {
    let index = Int(branch)
    return branches[index].contains(sequence) && branches[index].chain(at: sequence) == chain
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
    return devices[device].branches.map { Point(branch: $0, sequence: id.sequence) }.filter {
      let branch = branches[Int($0.branch)]
      return branch.contains(id.sequence) && isHeld($0)
        && id.chain ?? branch.chain(at: id.sequence) == branch.chain(at: id.sequence)
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
    return points(named: full.shortID).count > 1 ? full.id : full.shortID
  }

  /// Whether an event is held that has the same short ID as `event`, and is another one.
  package func hasNamesake(of event: FullEventID) -> Bool {
    points(named: event.shortID).contains { fullID($0) != event }
  }

  /// An event's ID as it is shown: with its chain only where another event is held under the short
  /// one.
  package func shownID(of event: FullEventID) -> EventID {
    hasNamesake(of: event) ? event.id : event.shortID
  }

  /// The event before one in its history, held or missing; nil for the first.
  func before(_ point: Point) -> Point? {
    let branch = branches[Int(point.branch)]
    if point.sequence > branch.first {
      return Point(branch: point.branch, sequence: point.sequence - 1)
    }
    return branch.parent < 0 ? nil : Point(branch: branch.parent, sequence: branch.after)
  }

  /// The event with that sequence in the history that `end` ends; nil where none is known.
  package func event(at sequence: Int64, inHistoryOf end: Point) -> Point? {
    var point = end
    while sequence < branches[Int(point.branch)].first {
      let branch = branches[Int(point.branch)]
      if branch.parent < 0 || branch.after < sequence { return nil }
      point = Point(branch: branch.parent, sequence: branch.after)
    }
    return sequence <= point.sequence ? Point(branch: point.branch, sequence: sequence) : nil
  }

  /// The last event that two histories have in common; nil for none.
  package func common(_ left: Point, _ right: Point) -> Point? {
    var limits: [Int32: Int64] = [:]
    var (branch, sequence) = (left.branch, left.sequence)
    while branch >= 0 {
      limits[branch] = sequence
      (branch, sequence) = (branches[Int(branch)].parent, branches[Int(branch)].after)
    }
    (branch, sequence) = (right.branch, right.sequence)
    while branch >= 0 {
      if let limit = limits[branch] {
        return Point(branch: branch, sequence: min(limit, sequence))
      }
      (branch, sequence) = (branches[Int(branch)].parent, branches[Int(branch)].after)
    }
    return nil
  }

  // MARK: - Tips and gaps

  /// The tips: events held with no held event behind them.
  ///
  /// - Complexity: O(branches), deeper where missing events follow upon one another.
  package var tips: [Point] {
    var hasMore = [Bool](repeating: false, count: branches.count)
    for branch in branches where branch.eventCount > 0 {
      var (parent, after) = (branch.parent, branch.after)
      while parent >= 0 {
        let point = Point(branch: parent, sequence: after)
        if isHeld(point) {
          if after == branches[Int(parent)].last { hasMore[Int(parent)] = true }
          break
        }
        (parent, after) = (branches[Int(parent)].parent, branches[Int(parent)].after)
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
    missingRanges.filter { !isAcknowledged($0.end) }
  }

  /// Whether somebody has acknowledged that an event is lost: by itself, or as one of those before
  /// another one.
  func isAcknowledged(_ event: FullEventID) -> Bool {
    if losses[event] != nil { return true }
    guard !losses.isEmpty, let point = locate(event) else { return false }
    return losses.contains { last, first in
      last.device == event.device && (first...last.sequence).contains(event.sequence)
        && locate(last).map { isInHistory(point, of: $0) } ?? false
    }
  }

  /// The forks: where the histories of a device part, and the tips of each of them behind that.
  package var forks: [JournalFork] {
    if devices.allSatisfy({ $0.branches.count <= 1 }) { return [] }
    var children: [Point: [Int]] = [:]
    var roots: [Int32: [Int]] = [:]
    for index in branches.indices {
      if branches[index].parent >= 0 {
        children[
          Point(branch: branches[index].parent, sequence: branches[index].after), default: []
        ]
        .append(index)
      } else {
        roots[branches[index].device, default: []].append(index)
      }
    }
    let tips = tips
    func tipsBehind(_ point: Point?, _ device: Int32) -> [FullEventID] {
      tips.filter { tip in
        branches[Int(tip.branch)].device == device
          && point.map { isInHistory($0, of: tip) && $0 != tip } ?? true
      }.map(fullID).sorted()
    }
    var forks: [JournalFork] = []
    for (point, found) in children {
      let goesOn = branches[Int(point.branch)].last > point.sequence
      // A place behind is no history of its own as long as nothing is held there.
      let held = found.filter { hasHeldEvent(from: $0) }
      guard held.count + (goesOn ? 1 : 0) > 1 else { continue }
      let device = branches[Int(point.branch)].device
      forks.append(
        JournalFork(
          device: DeviceID(trusted: names.text(Int(device))), after: fullID(point),
          tips: tipsBehind(point, device)))
    }
    for (device, found) in roots where found.filter({ hasHeldEvent(from: $0) }).count > 1 {
      forks.append(
        JournalFork(
          device: DeviceID(trusted: names.text(Int(device))), after: nil,
          tips: tipsBehind(nil, device)))
    }
    return forks.sorted {
      ($0.device, $0.after?.sequence ?? 0) < ($1.device, $1.after?.sequence ?? 0)
    }
  }

  /// Whether a branch holds an event, or one that goes on from it does.
  private func hasHeldEvent(from branch: Int) -> Bool {
    if branches[branch].eventCount > 0 { return true }
    return branches.indices.contains {
      branches[$0].parent == Int32(branch) && hasHeldEvent(from: $0)
    }
  }
}

/// One device ID whose history goes on in two ways, because two copies wrote under it. Both count.
public struct JournalFork: Sendable, Hashable {
  /// Under which both copies wrote.
  public let device: DeviceID
  /// The last event that the histories have in common; nil where they have none.
  public let after: FullEventID?
  /// The last event of each of them.
  public let tips: [FullEventID]
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
