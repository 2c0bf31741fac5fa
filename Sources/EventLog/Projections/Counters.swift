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
    var sum: Int64

    package var total: Int64 { max(0, sum) }
  }

  /// One counter of one row.
  package struct Cell: Sendable {
    package var row: Int32
    package var field: Int32
    /// The next counter of the row, or −1.
    package var next: Int32
    /// The first live set, kept here because most counters have one; its device is −1 if none.
    var set = LiveSet(dot: Dot(branch: -1, sequence: 0, at: 0), sum: 0)
    /// Further live sets: an index into `otherSets`, or −1.
    var others: Int32 = -1
    var firstTrack: Int32 = -1
  }

  /// The further live sets of a counter; once it has had several, the list stays its own.
  struct Others: Sendable {
    var cell: Int32
    var sets: [LiveSet]
  }

  /// The increments of one device, newest first.
  struct Track: Sendable {
    var branch: Int32
    var next: Int32
    var newest: Int32
  }

  /// One increment with the running sum of its device up to it.
  ///
  /// `jump` leads back further than `previous`, so that a search takes O(log n) steps (Myers, "An
  /// applicative random-access stack", 1983).
  struct Increment: Sendable {
    var sequence: Int64
    var sum: Int64
    var previous: Int32
    var jump: Int32
    var depth: Int32
  }

  package internal(set) var cells = PagedArray<Cell>()
  var otherSets = PagedArray<Others>()
  var tracks = PagedArray<Track>()
  var increments = PagedArray<Increment>()

  /// Grows whenever the live sets of a counter that has several change, or their number does.
  private(set) var changeCount = 0

  package init() {}

  /// Lets copies share what neither changes.
  package mutating func paginate() {
    cells.paginate()
    otherSets.paginate()
    tracks.paginate()
    increments.paginate()
  }

  package mutating func add(row: Int32, field: Int32, next: Int32) -> Int32 {
    cells.append(Cell(row: row, field: field, next: next))
    return Int32(cells.count - 1)
  }

  /// Sets the counter to `value`.
  @inline(__always)
  package mutating func set(_ cell: Int32, to value: Int64, by dot: Dot, _ ledger: Ledger) {
    let index = Int(cell)
    let set = LiveSet(dot: dot, sum: value &+ unseenSum(index, by: dot, ledger))
    let first = cells[index].set.dot
    if cells[index].others < 0, first.branch < 0 || first.isSeen(by: dot.branch, ledger) {
      cells.update(index) { $0.set = set }
    } else {
      setBeside(index, set, ledger)
    }
  }

  @inline(never)
  private mutating func setBeside(_ index: Int, _ set: LiveSet, _ ledger: Ledger) {
    var live = liveSets(index).filter { !$0.dot.isSeen(by: set.dot.branch, ledger) }
    live.append(set)
    cells[index].set = live.removeLast()
    changeCount &+= 1
    let others = Others(cell: Int32(index), sets: live)
    if cells[index].others >= 0 {
      otherSets[Int(cells[index].others)] = others
    } else if !live.isEmpty {
      otherSets.append(others)
      cells[index].others = Int32(otherSets.count - 1)
    }
  }

  /// Adds `amount`. No live set can have seen an event that comes after it.
  @inline(__always)
  package mutating func advance(_ cell: Int32, by amount: Int64, dot: Dot) {
    let index = Int(cell)
    cells.update(index) { $0.set.sum &+= amount }
    if cells[index].others >= 0 { advanceOthers(Int(cells[index].others), by: amount) }
    var track = cells[index].firstTrack
    while track >= 0, tracks[Int(track)].branch != dot.branch { track = tracks[Int(track)].next }
    if track < 0 {
      let added = addIncrement(dot.sequence, amount, after: -1)
      tracks.append(Track(branch: dot.branch, next: cells[index].firstTrack, newest: added))
      let first = Int32(tracks.count - 1)
      cells.update(index) { $0.firstTrack = first }
    } else {
      let added = addIncrement(dot.sequence, amount, after: tracks[Int(track)].newest)
      tracks.update(Int(track)) { $0.newest = added }
    }
  }

  /// Puts an increment behind the one at `previous`, −1 for its device's first; its place.
  @inline(__always)
  mutating func addIncrement(
    _ sequence: Int64, _ amount: Int64, after previous: Int32
  ) -> Int32 {
    let added = Int32(increments.count)
    if previous < 0 {
      increments.append(
        Increment(sequence: sequence, sum: amount, previous: -1, jump: added, depth: 0))
      return added
    }
    let before = increments[Int(previous)]
    let jumped = increments[Int(before.jump)]
    let isLevel = before.depth - jumped.depth == jumped.depth - increments[Int(jumped.jump)].depth
    increments.append(
      Increment(
        sequence: sequence, sum: before.sum &+ amount, previous: previous,
        jump: isLevel ? jumped.jump : previous, depth: before.depth + 1))
    return added
  }

  @inline(never)
  private mutating func advanceOthers(_ list: Int, by amount: Int64) {
    // Totals below 0 count as 0, so that an increment may make a difference, or end it.
    changeCount &+= 1
    otherSets.update(list) { others in
      for place in others.sets.indices { others.sets[place].sum &+= amount }
    }
  }

  /// The sum of the increments held that the writing event has not seen.
  @inline(__always)
  private func unseenSum(_ index: Int, by dot: Dot, _ ledger: Ledger) -> Int64 {
    var sum: Int64 = 0
    var node = cells[index].firstTrack
    while node >= 0 {
      let track = tracks[Int(node)]
      let seen = ledger.seen(Int(track.branch), by: Int(dot.branch))
      let newest = increments[Int(track.newest)]
      if seen < newest.sequence { sum &+= newest.sum &- seenSum(track.newest, upTo: seen) }
      node = track.next
    }
    return sum
  }

  /// The running sum of a device's increments up to a sequence.
  private func seenSum(_ newest: Int32, upTo sequence: Int64) -> Int64 {
    var node = newest
    while node >= 0 {
      let increment = increments[Int(node)]
      if increment.sequence <= sequence { return increment.sum }
      let jump = increments[Int(increment.jump)]
      node =
        jump.sequence > sequence && increment.jump != node
        ? increment.jump : increment.previous
    }
    return 0
  }

  // MARK: - Reading

  /// The counters whose live sets have different totals. O(counters that ever had several).
  var contestedCells: [Int] {
    otherSets.indices.map { Int(otherSets[$0].cell) }.filter(isContested)
  }

  package func liveSets(_ index: Int) -> [LiveSet] {
    let cell = cells[index]
    if cell.set.dot.branch < 0 { return [] }
    return cell.others < 0 ? [cell.set] : [cell.set] + otherSets[Int(cell.others)].sets
  }

  /// The total that is shown: that of the latest live set, else the sum.
  package func shown(_ index: Int, _ ledger: Ledger) -> Int64 {
    if let set = shownSet(index, ledger) { return set.total }
    var sum: Int64 = 0
    var node = cells[index].firstTrack
    while node >= 0 {
      sum &+= increments[Int(tracks[Int(node)].newest)].sum
      node = tracks[Int(node)].next
    }
    return max(0, sum)
  }

  package func shownSet(_ index: Int, _ ledger: Ledger) -> LiveSet? {
    let cell = cells[index]
    if cell.set.dot.branch < 0 { return nil }
    if cell.others < 0 { return cell.set }
    return otherSets[Int(cell.others)].sets.reduce(cell.set) {
      $1.dot.isLater(than: $0.dot, ledger) ? $1 : $0
    }
  }

  /// The events that a set written now would replace or absorb: the live sets, and the latest
  /// increment of each device.
  func liveDots(_ index: Int) -> [Dot] {
    var dots = liveSets(index).map(\.dot)
    var node = cells[index].firstTrack
    while node >= 0 {
      let track = tracks[Int(node)]
      dots.append(
        Dot(branch: track.branch, sequence: increments[Int(track.newest)].sequence, at: 0))
      node = track.next
    }
    return dots
  }

  /// Whether live sets have different totals.
  package func isContested(_ index: Int) -> Bool {
    let cell = cells[index]
    if cell.others < 0 { return false }
    return otherSets[Int(cell.others)].sets.contains { $0.total != cell.set.total }
  }
}
