package import EventLog

/// What a set of journal lines says of the histories of its devices, and of what each event has
/// seen, by brute force: for every event all others are looked at.
///
/// It shares no code with the library's ledger. Events, held or missing, are numbers: their places
/// among all full IDs in order.
package struct ReferenceHistories: Sendable {
  /// Every event that is held or named: by its device's bytes, its sequence, its chain.
  package let ids: [FullEventID]
  /// Per event its line; nil for a missing one.
  package let lines: [ReferenceLine?]
  /// The events that are held, in the order in which they were given.
  package let order: [Int]
  package let users: ReferenceUsers
  /// Per event the one that it goes on from, or is taken to go on from.
  package internal(set) var parents: [Int?]
  /// Per event the events that its line says to have seen; without those that count as absent.
  package internal(set) var entries: [[Int]]
  /// Events of batches that are unfinished.
  package private(set) var waiting = NumberSet()
  /// The events that count.
  package private(set) var shown = NumberSet()
  /// Per event its history: itself, and all before it.
  package private(set) var pasts: [NumberSet] = []
  private let numbers: [FullEventID: Int]

  /// - Parameters:
  ///   - lines: in any order, some perhaps several times.
  ///   - user: whose journal somebody says that it is.
  ///   - device: the device of the copy that holds the lines.
  package init(_ lines: [ReferenceLine], user: String? = nil, device: DeviceID? = nil) {
    let good = lines.filter { $0.id.sequence > 1 || $0.joining != nil }
    users = ReferenceUsers(good, user: user, device: device)
    var held: [FullEventID: ReferenceLine] = [:]
    var first: [FullEventID] = []
    for line in good where users.belongs(line.id.device) {
      if let known = held[line.id] {
        if line.bytes.lexicographicallyPrecedes(known.bytes) { held[line.id] = line }
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
  }

  // MARK: - Questions

  /// The number of an event, held or missing; nil for one that nothing names.
  package func number(_ event: FullEventID) -> Int? { numbers[event] }

  /// The history of an event, from its beginning to the event itself.
  ///
  /// Until all missing events have their places, it begins where one has none yet.
  func path(to event: Int) -> [Int] {
    var path: [Int] = []
    var next: Int? = event
    while let at = next {
      path.append(at)
      next = parents[at]
    }
    return path.reversed()
  }

  /// What an event has seen: all that its history has stated, and that history itself. Missing
  /// events are among it.
  package func clock(of event: Int) -> NumberSet {
    var clock = pasts[event]
    for step in pasts[event].numbers {
      for entry in entries[step] { clock.formUnion(pasts[entry]) }
    }
    return clock
  }

  /// The events that are named and not held.
  package var missing: [FullEventID] {
    ids.indices.filter { lines[$0] == nil }.map { ids[$0] }
  }

  /// Those of some events behind which there is none of them in its history.
  package func tips(among some: NumberSet) -> [Int] {
    var behind = NumberSet()
    for event in some.numbers {
      var before = parents[event]
      while let at = before, !some.contains(at) { before = parents[at] }
      if let before { behind.insert(before) }
    }
    return some.subtracting(behind).numbers
  }

  /// The tips of the journal.
  package var tips: [FullEventID] { tips(among: shown).map { ids[$0] } }

  /// What a line behind an event has to state: the tips that the event has not seen.
  ///
  /// - Parameter last: nil for the first event of a writer.
  package func unstated(after last: FullEventID?) -> [FullEventID] {
    let known = last.flatMap(number).map(clock) ?? NumberSet()
    return tips(among: shown).filter { !known.contains($0) }.map { ids[$0] }
  }

  /// The event's ID as it is shown: with its chain where two events that count have the short one.
  package func id(of event: Int) -> EventID {
    let full = ids[event]
    let isSame = { (other: Int) in
      ids[other].sequence == full.sequence && ids[other].device == full.device
    }
    // They stand side by side.
    let same =
      ids.indices[..<event].reversed().prefix(while: isSame)
      + ids.indices[event...].prefix(while: isSame)
    return same.count(where: shown.contains) > 1 ? full.id : full.shortID
  }
}
