package import EventLog

/// The histories of devices and the clocks of events in a set of journal lines, by brute force.
///
/// It shares no code with the library's ledger: every event is compared with all others. Events,
/// held or missing, are numbers: indices into ``ids``.
package struct ReferenceHistories: Sendable {
  /// All events that are held or missing, sorted by device, sequence and chain.
  package let ids: [FullEventID]
  /// The line of each event, or nil if it is missing.
  package private(set) var lines: [ReferenceLine?]
  /// The held events, in the order in which they were given.
  package let order: [Int]
  package let users: ReferenceUsers
  /// The predecessor of each event, known or presumed.
  package internal(set) var parents: [Int?]
  /// The entries of `seen` of each event, without ignored ones.
  package internal(set) var entries: [[Int]]
  /// The events of unfinished batches.
  package private(set) var waiting = NumberSet()
  /// The held events that count.
  package private(set) var shown = NumberSet()
  /// The history of each event, up to and including itself.
  package private(set) var pasts: [NumberSet] = []
  private let numbers: [FullEventID: Int]

  /// Creates the histories of a journal's lines.
  ///
  /// - Parameters:
  ///   - lines: The lines in any order, with or without duplicates.
  ///   - user: The user that is given for the journal.
  ///   - device: The device of the copy that contains the lines.
  package init(_ lines: [ReferenceLine], user: String? = nil, device: DeviceID? = nil) {
    let good = lines.filter { $0.id.sequence > 1 || $0.joining != nil }
    users = ReferenceUsers(good, user: user, device: device)
    var held: [FullEventID: ReferenceLine] = [:]
    var first: [FullEventID] = []
    for line in good where users.belongs(line.id.device) {
      if let known = held[line.id] {
        let isBetter =
          line.isErased == known.isErased
          ? line.bytes.lexicographicallyPrecedes(known.bytes) : known.isErased
        if isBetter { held[line.id] = line }
      } else {
        held[line.id] = line
        first.append(line.id)
      }
    }
    let counting = Self.counting(held)
    var known = Set(first)
    for line in held.values where counting.contains(line.id) {
      known.formUnion(line.seen)
      if let previous = line.previous { known.insert(previous) }
    }
    let ids = known.sorted()
    let numbers = Dictionary(
      uniqueKeysWithValues: ids.enumerated().map { ($0.element, $0.offset) })
    self.ids = ids
    self.numbers = numbers
    self.lines = ids.map { held[$0] }
    order = first.map { numbers[$0]! }
    parents = self.lines.map { line in line?.previous.flatMap { numbers[$0] } }
    entries = self.lines.map { line in line?.seen.compactMap { numbers[$0] } ?? [] }
    waiting = NumberSet(order.filter { !counting.contains(ids[$0]) })
    placeMissingEvents()
    leaveOutCircles()
    shown = NumberSet(order).subtracting(waiting)
    pasts = Array(repeating: NumberSet(), count: ids.count)
    for event in ids.indices.sorted(by: { ids[$0].sequence < ids[$1].sequence }) {
      var past = parents[event].map { pasts[$0] } ?? NumberSet()
      past.insert(event)
      pasts[event] = past
    }
    erase()
  }

  /// Removes what erasures name. A range names only events that held lines chain to its end.
  private mutating func erase() {
    for erasure in shown.numbers.flatMap({ lines[$0]?.erasures ?? [] }) {
      var next = numbers[erasure.last]
      while let event = next, shown.contains(event), ids[event].sequence >= erasure.first {
        lines[event] = lines[event]?.erasing(erasure.members)
        next = lines[event]?.previous.flatMap { numbers[$0] }
      }
    }
  }

  // MARK: - Queries

  /// Returns the number of an event, or nil if it is neither held nor missing.
  package func number(_ event: FullEventID) -> Int? { numbers[event] }

  /// Returns the history of an event, up to and including itself.
  ///
  /// Before all missing events are processed, it may start at an unprocessed one.
  func path(to event: Int) -> [Int] {
    var path: [Int] = []
    var next: Int? = event
    while let at = next {
      path.append(at)
      next = parents[at]
    }
    return path.reversed()
  }

  /// Returns the clock of an event: its history, and everything that this history has stated.
  ///
  /// It includes missing events.
  package func clock(of event: Int) -> NumberSet {
    var clock = pasts[event]
    for step in pasts[event].numbers {
      for entry in entries[step] { clock.formUnion(pasts[entry]) }
    }
    return clock
  }

  /// The events that a line refers to, but that aren't held.
  package var missing: [FullEventID] {
    ids.indices.filter { lines[$0] == nil }.map { ids[$0] }
  }

  /// Returns those of the events from which none of the others descends.
  package func tips(among some: NumberSet) -> [Int] {
    var covered = NumberSet()
    for event in some.numbers {
      var before = parents[event]
      while let at = before, !some.contains(at) { before = parents[at] }
      if let before { covered.insert(before) }
    }
    return some.subtracting(covered).numbers
  }

  package var tips: [FullEventID] { tips(among: shown).map { ids[$0] } }

  /// Returns the `seen` of the next line after an event: the tips that it hasn't seen.
  ///
  /// - Parameter last: The writer's last event, or nil before its first one.
  package func unstated(after last: FullEventID?) -> [FullEventID] {
    let known = last.flatMap(number).map(clock) ?? NumberSet()
    return tips(among: shown).filter { !known.contains($0) }.map { ids[$0] }
  }

  /// Returns the ID as it is shown: with its chain if several events that count share it.
  package func id(of event: Int) -> EventID {
    let full = ids[event]
    let isSame = { (other: Int) in
      ids[other].sequence == full.sequence && ids[other].device == full.device
    }
    // Events with the same short ID are neighbors.
    let same =
      ids.indices[..<event].reversed().prefix(while: isSame)
      + ids.indices[event...].prefix(while: isSame)
    return same.count(where: shown.contains) > 1 ? full.id : full.shortID
  }
}
