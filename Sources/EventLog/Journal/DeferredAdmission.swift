/// Determines, after the last line of a reading, the order in which deferred lines are admitted,
/// and the presumed predecessors of missing events.
///
/// The result depends only on the set of lines, not on their order.
struct DeferredAdmission {
  typealias Key = DeferredLines.Key

  /// A step, to be executed in this order.
  enum Step {
    /// Adds a missing event after another event, or at the beginning of a history.
    case missing(Key, after: Key?, naming: Int)
    /// Admits a deferred line without some entries of its `seen`.
    case line(Int, without: Set<Int>)
  }

  private let ledger: Ledger
  private let waiting: DeferredLines
  /// The lines to admit, by their events.
  private(set) var lineOf: [Key: Int] = [:]
  /// Repeated lines.
  private(set) var duplicates: [Int] = []
  /// Lines of a batch whose end wasn't read, which stay deferred.
  private(set) var unfinished: [Int] = []
  /// Lines of other users' devices.
  private(set) var foreign: [Int] = []
  /// The missing events with their presumed predecessors.
  private var parents: [Key: Key?] = [:]
  /// The line that first names each of them.
  private var namings: [Key: Int] = [:]
  private(set) var steps: [Step] = []
  /// Whether a missing event could have changed the presumed predecessor of another one.
  private(set) var mustReread = false

  /// - Parameter lost: A missing acknowledged event whose predecessor, of the same batch, is
  ///   deferred.
  init(_ waiting: DeferredLines, _ ledger: Ledger, lost: (event: Key, before: Int)? = nil) {
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

  /// Separates repeated and foreign lines from the others.
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

  /// Leaves out unfinished batches.
  ///
  /// Their events still count if an event that counts continues or has seen them, or names a later
  /// missing event of their device, which may have been the end of the batch.
  private mutating func leaveOutUnfinishedBatches() {
    guard waiting.lines.contains(where: \.hasMore) else { return }
    var counted = CountedLines(waiting, lineOf) { device in
      ledger.devices[Int(device)].greatestMissing.sequence
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
      // It was deferred without knowing the missing events that it needs.
      let greatest = ledger.devices[Int(key.device)].greatestMissing
      if key.sequence <= greatest.sequence { mustReread = true }
    }
  }

  private mutating func noteMissing(_ key: Key, named line: Int) {
    if lineOf[key] != nil || isAdmitted(key) { return }
    if let known = namings[key], !isBefore(line, known) { return }
    namings[key] = line
    if (key.sequence, key.chain) <= ledger.devices[Int(key.device)].greatestMissing {
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
      var histories = GapPlacement(of: Int(device), ledger, lines[device] ?? [])
      for key in keys.sorted(by: { ($0.sequence, $0.chain) < ($1.sequence, $1.chain) }) {
        parents.updateValue(histories.place(key), forKey: key)
      }
    }
  }

  // MARK: - Order

  /// Nodes are lines, by their indexes, followed by missing events.
  private mutating func findOrder() {
    if mustReread { return }
    let missing = parents.keys.sorted {
      ($0.device, $0.sequence, $0.chain) < ($1.device, $1.sequence, $1.chain)
    }
    var nodeOf: [Key: Int] = [:]
    nodeOf.reserveCapacity(lineOf.count + missing.count)
    for (key, index) in lineOf { nodeOf[key] = index }
    for (index, key) in missing.enumerated() { nodeOf[key] = waiting.lines.count + index }
    var order = CausalOrder(count: waiting.lines.count + missing.count)
    for index in lineOf.values.sorted() {
      order.add(index)
      let line = waiting.lines[index]
      if let node = line.previous.flatMap({ nodeOf[$0] }) { order.need(node, for: index) }
      for (entry, key) in waiting.seen[line.seen].enumerated() {
        if let node = nodeOf[key] { order.need(node, for: index, entry: entry) }
      }
    }
    for (index, key) in missing.enumerated() {
      order.add(waiting.lines.count + index)
      if let parent = parents[key] ?? nil, let node = nodeOf[parent] {
        order.need(node, for: waiting.lines.count + index)
      }
    }
    for (node, absent) in order.sorted() {
      if node < waiting.lines.count {
        steps.append(.line(node, without: absent))
      } else {
        let key = missing[node - waiting.lines.count]
        steps.append(.missing(key, after: parents[key] ?? nil, naming: namings[key] ?? 0))
      }
    }
  }
}

/// The deferred lines that count: the smallest set that includes the ends of batches, the lines
/// that its lines need, and the lines that may lead to a missing event named by its lines.
private struct CountedLines {
  typealias Key = DeferredLines.Key

  private let waiting: DeferredLines
  private let lineOf: [Key: Int]
  private(set) var isCounted: [Bool]
  /// Counted lines whose entries aren't checked yet.
  private var open: [Int] = []
  /// For each device, the greatest missing sequence.
  private var greatest: [Int32: Int64] = [:]
  /// For each device, the lines that aren't ends of batches, in descending order of sequence.
  ///
  /// Only lines below the greatest missing sequence are used.
  private var haveMore: [Int32: [Int]] = [:]

  init(_ waiting: DeferredLines, _ lineOf: [Key: Int], greatestMissing: (Int32) -> Int64) {
    self.waiting = waiting
    self.lineOf = lineOf
    isCounted = Array(repeating: false, count: waiting.lines.count)
    for (key, index) in lineOf {
      greatest[key.device] = greatestMissing(key.device)
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
