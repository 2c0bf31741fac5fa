/// Works out, behind the last line of a reading, in which order the lines that wait are admitted,
/// and where the missing events that they name have their places.
///
/// It is a function of the set of lines: it makes no difference in which order they stand.
struct Settlement {
  typealias Key = WaitingLines.Key

  /// What is to be done, in this order.
  enum Step {
    /// A missing event gets its place behind another event, or at the beginning of a history.
    case place(Key, after: Key?, naming: Int)
    /// A line that waits is admitted, without some entries of its `seen`.
    case line(Int, without: Set<Int>)
  }

  private let ledger: Ledger
  private let waiting: WaitingLines
  /// The lines that are admitted, by what they are.
  private(set) var lineOf: [Key: Int] = [:]
  /// Lines that stand there twice.
  private(set) var duplicates: [Int] = []
  /// Lines of a batch whose end was not read: they go on waiting.
  private(set) var unfinished: [Int] = []
  /// Lines of devices that belong to somebody else.
  private(set) var foreign: [Int] = []
  /// The missing events, each with the event that it is taken to go on from.
  private var parents: [Key: Key?] = [:]
  /// The line that names each of them first.
  private var namings: [Key: Int] = [:]
  private(set) var steps: [Step] = []
  /// Whether a missing event is named that could have changed the place of another one.
  private(set) var mustReread = false

  /// - Parameter lost: an event that was acknowledged and is not there, though the one before it,
  ///   of the same batch, waits: it is missing.
  init(_ waiting: WaitingLines, _ ledger: Ledger, lost: (event: Key, before: Int)? = nil) {
    self.waiting = waiting
    self.ledger = ledger
    sort()
    if let lost, lineOf[waiting.lines[lost.before].key] == lost.before {
      namings[lost.event] = lost.before
    }
    leaveOutUnfinishedBatches()
    findMissing()
    findParents()
    findOrder()
  }

  /// Tells lines that stand twice, and those of others, from the rest.
  private mutating func sort() {
    lineOf.reserveCapacity(waiting.lines.count)
    for (index, line) in waiting.lines.enumerated() {
      let key = line.key
      if ledger.devices[Int(key.device)].isForeign {
        foreign.append(index)
      } else if lineOf[key] != nil {
        duplicates.append(index)
      } else if let point = ledger.locate(Int(key.device), key.sequence, key.chain) {
        if ledger.isHeld(point) { duplicates.append(index) } else { mustReread = true }
      } else {
        lineOf[key] = index
      }
    }
  }

  private func isAdmitted(_ key: Key) -> Bool {
    ledger.locate(Int(key.device), key.sequence, key.chain) != nil
  }

  /// Leaves out events that have more, unless something that counts goes on from them, has seen
  /// them, or names a later event of their device that is missing: it may have been the end.
  private mutating func leaveOutUnfinishedBatches() {
    guard waiting.lines.contains(where: \.hasMore) else { return }
    var counted = CountedLines(waiting, lineOf) { device in
      ledger.devices[Int(device)].greatestPlace.sequence
    }
    for key in namings.keys { counted.noteMissing(key) }
    counted.find(isAdmitted)
    for (key, index) in lineOf where !counted.isCounted[index] {
      unfinished.append(index)
      lineOf[key] = nil
    }
    unfinished.sort { waiting.lines[$0].position.offset < waiting.lines[$1].position.offset }
  }

  // MARK: - Missing events

  private mutating func findMissing() {
    for (key, index) in lineOf {
      let line = waiting.lines[index]
      if let previous = line.previous { noteMissing(previous, named: index) }
      for key in waiting.seen[line.seen] { noteMissing(key, named: index) }
      // It would have been admitted without a place for what it lacks.
      let greatest = ledger.devices[Int(key.device)].greatestPlace
      if key.sequence <= greatest.sequence { mustReread = true }
    }
  }

  private mutating func noteMissing(_ key: Key, named line: Int) {
    if lineOf[key] != nil || isAdmitted(key) { return }
    if let known = namings[key], !isBefore(line, known) { return }
    namings[key] = line
    if (key.sequence, key.chain) <= ledger.devices[Int(key.device)].greatestPlace {
      mustReread = true
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    waiting.lines[left].position.offset < waiting.lines[right].position.offset
  }

  private mutating func findParents() {
    if namings.isEmpty || mustReread { return }
    let lines = Dictionary(grouping: lineOf.values.map { waiting.lines[$0] }, by: \.key.device)
    for (device, keys) in Dictionary(grouping: namings.keys, by: \.device) {
      var histories = PresumedHistories(of: Int(device), ledger, lines[device] ?? [])
      for key in keys.sorted(by: { ($0.sequence, $0.chain) < ($1.sequence, $1.chain) }) {
        parents.updateValue(histories.place(key), forKey: key)
      }
    }
  }

  // MARK: - Order

  /// Lines and places as nodes: first the lines, by their numbers, then the places.
  private mutating func findOrder() {
    if mustReread { return }
    let places = parents.keys.sorted {
      ($0.device, $0.sequence, $0.chain) < ($1.device, $1.sequence, $1.chain)
    }
    var nodeOf: [Key: Int] = [:]
    nodeOf.reserveCapacity(lineOf.count + places.count)
    for (key, index) in lineOf { nodeOf[key] = index }
    for (index, key) in places.enumerated() { nodeOf[key] = waiting.lines.count + index }
    var order = CausalOrder(count: waiting.lines.count + places.count)
    for index in lineOf.values.sorted() {
      order.add(index)
      let line = waiting.lines[index]
      if let node = line.previous.flatMap({ nodeOf[$0] }) { order.need(node, for: index) }
      for (place, key) in waiting.seen[line.seen].enumerated() {
        if let node = nodeOf[key] { order.need(node, for: index, entry: place) }
      }
    }
    for (index, key) in places.enumerated() {
      order.add(waiting.lines.count + index)
      if let parent = parents[key] ?? nil, let node = nodeOf[parent] {
        order.need(node, for: waiting.lines.count + index)
      }
    }
    for (node, absent) in order.sorted() {
      if node < waiting.lines.count {
        steps.append(.line(node, without: absent))
      } else {
        let key = places[node - waiting.lines.count]
        steps.append(.place(key, after: parents[key] ?? nil, naming: namings[key] ?? 0))
      }
    }
  }
}

/// Which of the lines that wait count: the least set with all those that have no more, whatever one
/// of them goes on from or has seen, and whatever may have gone on to an event that one of them
/// names and nobody has.
private struct CountedLines {
  typealias Key = WaitingLines.Key

  private let waiting: WaitingLines
  private let lineOf: [Key: Int]
  private(set) var isCounted: [Bool]
  /// Those of which it is not clear yet what they name.
  private var open: [Int] = []
  /// Per device the greatest sequence that is missing.
  private var greatest: [Int32: Int64] = [:]
  /// Per device those that have more, the greatest sequence first: whatever is below the greatest
  /// one that is missing counts.
  private var haveMore: [Int32: [Int]] = [:]

  init(_ waiting: WaitingLines, _ lineOf: [Key: Int], greatestPlace: (Int32) -> Int64) {
    self.waiting = waiting
    self.lineOf = lineOf
    isCounted = Array(repeating: false, count: waiting.lines.count)
    for (key, index) in lineOf {
      greatest[key.device] = greatestPlace(key.device)
      if waiting.lines[index].hasMore {
        haveMore[key.device, default: []].append(index)
      } else {
        count(index)
      }
    }
    for device in haveMore.keys {
      haveMore[device]!.sort {
        waiting.lines[$0].key.sequence > waiting.lines[$1].key.sequence
      }
      countEarlier(of: device)
    }
  }

  mutating func noteMissing(_ key: Key) {
    guard key.sequence > greatest[key.device] ?? 0 else { return }
    greatest[key.device] = key.sequence
    countEarlier(of: key.device)
  }

  private mutating func countEarlier(of device: Int32) {
    let limit = greatest[device] ?? 0
    while let index = haveMore[device]?.last, waiting.lines[index].key.sequence < limit {
      haveMore[device]!.removeLast()
      count(index)
    }
  }

  private mutating func count(_ index: Int) {
    if isCounted[index] { return }
    isCounted[index] = true
    open.append(index)
  }

  /// - Complexity: O(lines + entries).
  mutating func find(_ isAdmitted: (Key) -> Bool) {
    while let index = open.popLast() {
      let line = waiting.lines[index]
      for key in (line.previous.map { [$0] } ?? []) + waiting.seen[line.seen] {
        if let named = lineOf[key] { count(named) } else if !isAdmitted(key) { noteMissing(key) }
      }
    }
  }
}
