/// The counter mechanism: every increment counts once; a set replaces the sets and absorbs the
/// increments that it had seen.
///
/// A live set's total is its value plus the increments that it had not seen, never below 0; without
/// a set, the sum counts. Different totals are a conflict. Sums are exact: 2^53 increments of 10^9
/// fit 64 bits.
package struct Counters: Sendable {
  /// A set that no other set has seen.
  package struct LiveSet: Sendable {
    package var dot: Dot
    /// The value plus the unseen increments, not yet bounded by 0.
    fileprivate var sum: Int64

    package var total: Int64 { max(0, sum) }
  }

  /// One counter of one row.
  package struct Cell: Sendable {
    package var field: Int32
    /// The next counter of the row, or −1.
    package var next: Int32
    fileprivate var firstSet: Int32 = -1
    fileprivate var firstTrack: Int32 = -1
  }

  private struct SetNode {
    var set: LiveSet
    var next: Int32
  }

  /// The increments of one device: the last running sum, and the earlier ones once there are two.
  private struct Track {
    var device: Int32
    var next: Int32
    var history: Int32
    var sequence: Int64
    var sum: Int64
  }

  private struct Mark {
    var sequence: Int64
    var sum: Int64
  }

  package private(set) var cells: [Cell] = []
  private var sets: [SetNode] = []
  private var freeSets: [Int32] = []
  private var tracks: [Track] = []
  private var histories: [[Mark]] = []

  package init() {}

  package mutating func add(field: Int32, next: Int32) -> Int32 {
    cells.append(Cell(field: field, next: next))
    return Int32(cells.count - 1)
  }

  /// Sets the counter to `value`.
  package mutating func set(_ cell: Int32, to value: Int64, by dot: Dot, _ ledger: Ledger) {
    let index = Int(cell)
    // Takes out the sets that this one has seen.
    var previous: Int32 = -1
    var node = cells[index].firstSet
    while node >= 0 {
      let next = sets[Int(node)].next
      if sets[Int(node)].set.dot.isSeen(by: dot.device, ledger) {
        if previous < 0 { cells[index].firstSet = next } else { sets[Int(previous)].next = next }
        freeSets.append(node)
      } else {
        previous = node
      }
      node = next
    }
    let set = LiveSet(dot: dot, sum: value &+ unseenSum(index, by: dot, ledger))
    let added = SetNode(set: set, next: cells[index].firstSet)
    if let free = freeSets.popLast() {
      sets[Int(free)] = added
      cells[index].firstSet = free
    } else {
      sets.append(added)
      cells[index].firstSet = Int32(sets.count - 1)
    }
  }

  /// Adds `amount`. No live set can have seen an event that comes after it.
  package mutating func advance(_ cell: Int32, by amount: Int64, dot: Dot) {
    let index = Int(cell)
    var node = cells[index].firstSet
    while node >= 0 {
      sets[Int(node)].set.sum &+= amount
      node = sets[Int(node)].next
    }
    var track = cells[index].firstTrack
    while track >= 0, tracks[Int(track)].device != dot.device { track = tracks[Int(track)].next }
    if track < 0 {
      tracks.append(
        Track(
          device: dot.device, next: cells[index].firstTrack, history: -1, sequence: dot.sequence,
          sum: amount))
      cells[index].firstTrack = Int32(tracks.count - 1)
      return
    }
    let place = Int(track)
    if tracks[place].history < 0 {
      histories.append([])
      tracks[place].history = Int32(histories.count - 1)
    }
    histories[Int(tracks[place].history)].append(
      Mark(sequence: tracks[place].sequence, sum: tracks[place].sum))
    tracks[place].sequence = dot.sequence
    tracks[place].sum &+= amount
  }

  /// The sum of the increments held that the writing event has not seen.
  private func unseenSum(_ index: Int, by dot: Dot, _ ledger: Ledger) -> Int64 {
    var sum: Int64 = 0
    var node = cells[index].firstTrack
    while node >= 0 {
      let track = tracks[Int(node)]
      let seen = ledger.seen(Int(track.device), by: Int(dot.device))
      if seen < track.sequence { sum &+= track.sum &- seenSum(track, upTo: seen) }
      node = track.next
    }
    return sum
  }

  /// The running sum of a device's increments up to a sequence before its last one.
  private func seenSum(_ track: Track, upTo sequence: Int64) -> Int64 {
    guard track.history >= 0 else { return 0 }
    let history = histories[Int(track.history)]
    var low = 0
    var high = history.count
    while low < high {
      let middle = (low + high) / 2
      if history[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? 0 : history[low - 1].sum
  }

  // MARK: - Reading

  package func liveSets(_ index: Int) -> [LiveSet] {
    var found: [LiveSet] = []
    var node = cells[index].firstSet
    while node >= 0 {
      found.append(sets[Int(node)].set)
      node = sets[Int(node)].next
    }
    return found
  }

  /// The total that is shown: that of the latest live set, else the sum.
  package func shown(_ index: Int, _ ledger: Ledger) -> Int64 {
    let first = cells[index].firstSet
    if first >= 0, sets[Int(first)].next < 0 { return sets[Int(first)].set.total }
    if let set = shownSet(index, ledger) { return set.total }
    var sum: Int64 = 0
    var node = cells[index].firstTrack
    while node >= 0 {
      sum &+= tracks[Int(node)].sum
      node = tracks[Int(node)].next
    }
    return max(0, sum)
  }

  package func shownSet(_ index: Int, _ ledger: Ledger) -> LiveSet? {
    let live = liveSets(index)
    return live.dropFirst().reduce(live.first) { $1.dot.isLater(than: $0!.dot, ledger) ? $1 : $0 }
  }

  /// Whether live sets have different totals.
  package func isContested(_ index: Int) -> Bool {
    let first = cells[index].firstSet
    if first < 0 || sets[Int(first)].next < 0 { return false }
    let live = liveSets(index)
    return live.contains { $0.total != live[0].total }
  }
}
