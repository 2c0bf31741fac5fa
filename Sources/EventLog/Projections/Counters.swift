/// The counter mechanism: every increment counts once, and a set replaces the sets and absorbs the
/// increments that it had seen.
///
/// A live set's total is its value plus the increments that it had not seen, but at least 0.
/// Without a set, or if it sets the counter to no value, the total is the sum of these increments,
/// and there is no value if it isn't above 0. Different totals are a conflict.
///
/// The sets of imports follow other rules: see ``ImportedSets``.
package struct Counters: Sendable {
  /// A set that no other set has replaced, or the latest loose increment, with a total.
  package struct Candidate: Sendable {
    package var dot: Dot
    package var total: CounterSum.Total
  }

  /// A live set as stored. An increment changes only the counter's sum, however many live sets
  /// there are.
  package struct KeptSet: BitwiseCopyable, Sendable {
    /// The set's sum minus the sum of all increments, or of those that count for its source.
    var offset: CounterSum
    package var dot: Dot
    /// The source of the import that wrote it, in ``Ledger/sources``, ``person`` or ``noSet``.
    package var source: Int32

    /// A person wrote it.
    static let person: Int32 = -1
    /// There is no set: `dot` is the latest increment, or has the branch −1.
    static let noSet: Int32 = -2

    static var none: KeptSet {
      KeptSet(dot: Dot(branch: -1, sequence: 0, at: 0), offset: .zero, source: noSet)
    }

    init(dot: Dot, offset: CounterSum, source: Int32 = person) {
      self.dot = dot
      self.offset = offset
      self.source = source
    }

    /// Whether it is a set.
    @inline(__always)
    var isSet: Bool { source != Self.noSet }
  }

  /// One counter of one row.
  package struct Cell: Sendable, BitwiseCopyable {
    /// The sum of all increments.
    var sum = CounterSum.zero
    /// The first live set, stored inline because most counters have at most one.
    var set: KeptSet
    package var row: Int32
    package var field: Int32
    /// The next counter of the row, or −1.
    package var next: Int32
    /// The other live sets: an index into `otherSets`, or −1.
    var others: Int32 = -1
    var firstTrack: Int32 = -1
    var trackCount: Int32 = 0
    /// The newest link of its replaced sets, in ``OverwriteHistory``. The links contain offsets.
    var past = OverwriteHistory<CounterSum>.none
    /// Its first element in ``imported``, or −1 if no import has set it.
    var firstImport: Int32 = -1

    /// Whether it ever had several candidates, or may have some.
    @inline(__always)
    var mayBeContested: Bool { others >= 0 || firstImport >= 0 }

    init(row: Int32, field: Int32, next: Int32, set: KeptSet = .none) {
      self.set = set
      self.row = row
      self.field = field
      self.next = next
    }
  }

  /// The other live sets of a counter. A counter keeps its list even if it becomes empty.
  struct Others: Sendable {
    var cell: Int32
    var sets: [KeptSet]
    /// The index of each branch's set, or empty if there are few sets.
    var indexes: [Int32: Int] = [:]

    init(cell: Int32, sets: [KeptSet]) {
      self.cell = cell
      self.sets = sets
      guard sets.count > unindexedMax else { return }
      for (index, set) in sets.enumerated() { indexes[set.dot.branch] = index }
    }

    fileprivate mutating func append(_ set: KeptSet) {
      indexes[set.dot.branch] = sets.count
      sets.append(set)
    }

    /// Removes the set of a branch if its sequence is at most `sequence`.
    fileprivate mutating func remove(by branch: Int32, upTo sequence: Int64) {
      guard let index = indexes[branch], sets[index].dot.sequence <= sequence else { return }
      indexes[branch] = nil
      let last = sets.removeLast()
      if index < sets.count {
        sets[index] = last
        indexes[last.dot.branch] = index
      }
    }
  }

  /// A counter with more sets or tracks than this has an index of them by branch.
  static let unindexedMax = 32

  /// The increments of one branch.
  struct Track: Sendable {
    var branch: Int32
    var next: Int32 = -1
    var run = IncrementRuns.Run()
  }

  package internal(set) var cells = PagedArray<Cell>()
  var otherSets = PagedArray<Others>()
  var tracks = PagedArray<Track>()
  var increments = IncrementRuns()
  var past = OverwriteHistory<CounterSum>()
  var imported = ImportedSets()
  /// Whether to fill ``past``. Without it, writing is cheaper, but bases are unknown.
  var keepsPast = true
  /// The track of each branch, for counters with many tracks.
  var trackOfBranch: [Int32: [Int32: Int32]] = [:]

  /// The sum that the last set of each branch had seen, for counters with many tracks.
  private var sumsSeen: [SumKey: SumSeen] = [:]

  private struct SumKey: Hashable {
    var cell: Int32
    var branch: Int32
  }

  private struct SumSeen {
    var event: Ledger.Point
    var sum: CounterSum
  }

  /// Grows whenever a conflict about a counter may have begun, changed or ended.
  var changeCount = 0

  package init() {}

  /// The counter of a field in the chain that starts at `first`, or −1.
  @inline(__always)
  func find(_ field: Int32, from first: Int32) -> Int32 {
    var cell = first
    while cell >= 0, cells[Int(cell)].field != field { cell = cells[Int(cell)].next }
    return cell
  }

  /// Returns the counter of a field, which is added if needed, and the new first counter of its
  /// row.
  mutating func cell(row: Int32, field: Int32, from first: Int32) -> (cell: Int32, first: Int32) {
    let found = find(field, from: first)
    if found >= 0 { return (found, first) }
    let added = add(row: row, field: field, next: first)
    return (added, added)
  }

  package mutating func add(row: Int32, field: Int32, next: Int32) -> Int32 {
    cells.append(Cell(row: row, field: field, next: next))
    return Int32(cells.count - 1)
  }

  @inline(__always)
  package mutating func set(_ cell: Int32, to value: CounterSum, by dot: Dot, _ ledger: Ledger) {
    let index = Int(cell)
    let source = ledger.branches[Int(dot.branch)].source
    if source >= 0 || cells[index].firstImport >= 0 {
      return setBesideImports(index, to: value, by: dot, from: source, ledger)
    }
    let seen = cells[index].firstTrack < 0 ? .zero : seenSum(index, by: dot, ledger)
    // The set's sum is its value plus the increments that it has not seen.
    let set = KeptSet(dot: dot, offset: value - seen)
    let first = cells[index].set
    if !hasSeveralSets(index), !first.isSet || first.dot.isSeen(by: dot.branch, ledger) {
      if first.isSet, first.dot.point != dot.point { keepSet(index, by: dot, ledger) }
      cells.update(index) { $0.set = set }
    } else {
      setBeside(index, set, ledger)
    }
  }

  /// Whether several sets are live.
  @inline(__always)
  func hasSeveralSets(_ index: Int) -> Bool {
    let list = Int(cells[index].others)
    return list >= 0 && !otherSets[list].sets.isEmpty
  }

  /// Records a set that another set replaces.
  private mutating func keepSet(_ index: Int, by dot: Dot, _ ledger: Ledger) {
    if !keepsPast { return }
    guard OverwriteHistory<CounterSum>.areKept(ledger) else {
      cells.update(index) { $0.past = OverwriteHistory<CounterSum>.forgotten }
      return
    }
    let (set, before) = (cells[index].set, cells[index].past)
    var head = before
    while past.removeUnneeded(of: &head, ledger) != nil {}
    _ = past.removeExcess(of: &head, ledger)
    past.add(
      set.dot.point, set.offset, nothing: .zero, replacedBy: dot.point, to: &head, before: before,
      ledger)
    cells.update(index) { $0.past = head }
  }

  /// Records that a set was written concurrently with live sets.
  private mutating func keepRoot(_ index: Int, by dot: Dot, _ ledger: Ledger) {
    if !keepsPast { return }
    let first = cells[index].set
    var head = cells[index].past
    if hasSeveralSets(index) {
      _ = past.goOn(by: dot.point, nothing: .zero, in: &head, ledger)
    } else {
      while past.removeUnneeded(of: &head, ledger) != nil {}
      _ = past.beginContest(
        by: dot.point, beside: first.dot.point, first.offset, nothing: .zero, in: &head, ledger)
    }
    cells.update(index) { $0.past = head }
  }

  /// Records what a contest showed, for an event that has seen all of its sets.
  private mutating func keepContest(_ index: Int, by dot: Dot, _ ledger: Ledger) {
    guard keepsPast else { return }
    let shown = shownCandidate(index, ledger)
    let others = keptSets(index).map(\.dot.point).filter { $0 != shown.dot.point }
    var head = cells[index].past
    _ = past.add(
      shown.dot.point, beside: others, shown.offset, nothing: .zero, replacedBy: dot.point,
      to: &head, ledger)
    cells.update(index) { $0.past = head }
  }

  @inline(never)
  private mutating func setBeside(_ index: Int, _ set: KeptSet, _ ledger: Ledger) {
    keepRoot(index, by: set.dot, ledger)
    if setAmongMany(index, set, ledger) { return }
    var live = keptSets(index).filter { !$0.dot.isSeen(by: set.dot.branch, ledger) }
    if live.isEmpty { keepContest(index, by: set.dot, ledger) }
    live.append(set)
    setLive(live, of: index)
  }

  /// Replaces the live sets of a counter.
  mutating func setLive(_ sets: [KeptSet], of index: Int) {
    var others = sets
    cells[index].set = others.removeLast()
    changeCount &+= 1
    if cells[index].others >= 0 {
      otherSets[Int(cells[index].others)] = Others(cell: Int32(index), sets: others)
    } else if !others.isEmpty {
      otherSets.append(Others(cell: Int32(index), sets: others))
      cells[index].others = Int32(otherSets.count - 1)
    }
  }

  /// Sets a counter that has many live sets by the entries of the event's clock, if these are
  /// fewer.
  ///
  /// - Returns: Whether it was set.
  /// - Complexity: O(clock entries that no earlier set of the event's history had seen).
  private mutating func setAmongMany(_ index: Int, _ set: KeptSet, _ ledger: Ledger) -> Bool {
    let list = Int(cells[index].others)
    guard list >= 0, otherSets[list].sets.count > Self.unindexedMax else { return false }
    let branch = set.dot.branch
    let last = cells[index].set
    // An earlier set of this history has already replaced all sets that it had seen.
    func earlier(_ branch: Int32) -> Int64? {
      if last.dot.branch == branch { return last.dot.sequence }
      return otherSets[list].indexes[branch].map { otherSets[list].sets[$0].dot.sequence }
    }
    let count = otherSets[list].sets.count
    let others = [last.dot.point] + otherSets[list].sets.suffix(8).map(\.dot.point)
    guard let seen = ledger.seen(by: branch, among: count, after: earlier, apartFrom: others)
    else { return false }
    otherSets.update(list) { others in
      others.append(last)
      let known = seen.filter { others.indexes[$0.key] != nil }
      for (branch, sequence) in known.sorted(by: { $0.key < $1.key }) {
        others.remove(by: branch, upTo: sequence)
      }
      if others.sets.count <= Self.unindexedMax {
        others = Others(cell: others.cell, sets: others.sets)
      }
    }
    cells[index].set = set
    changeCount &+= 1
    return true
  }

  /// Adds `amount`.
  ///
  /// No live set has seen the increment, because events are applied in causal order.
  @inline(__always)
  package mutating func advance(
    _ cell: Int32, by amount: CounterSum, dot: Dot, _ ledger: Ledger
  ) {
    let index = Int(cell)
    let set = cells[index].set
    cells.update(index) { $0.sum += amount }
    if !set.isSet {
      // No set was applied yet, so the increment has seen none.
      if set.dot.branch < 0 || dot.isLater(than: set.dot, ledger) {
        cells.update(index) { $0.set.dot = dot }
      }
    } else if cells[index].firstImport >= 0 {
      addToImports(index, amount, by: dot, ledger)
    }
    // Totals below 0 count as 0, so an increment can begin or end a conflict.
    if cells[index].others >= 0 { changeCount &+= 1 }
    let track = self.track(of: dot.branch, in: cell)
    if track < 0 {
      var added = Track(branch: dot.branch)
      increments.append(dot.sequence, amount, to: &added.run)
      addTrack(added, to: cell)
    } else {
      tracks.update(Int(track)) { increments.append(dot.sequence, amount, to: &$0.run) }
    }
  }

  /// The track of a branch, or −1.
  @inline(__always)
  private func track(of branch: Int32, in cell: Int32) -> Int32 {
    if cells[Int(cell)].trackCount > Self.unindexedMax { return trackOfBranch[cell]![branch] ?? -1 }
    var track = cells[Int(cell)].firstTrack
    while track >= 0, tracks[Int(track)].branch != branch { track = tracks[Int(track)].next }
    return track
  }

  /// Prepends a track to the list of a counter.
  mutating func addTrack(_ track: Track, to cell: Int32) {
    var track = track
    track.next = cells[Int(cell)].firstTrack
    let added = Int32(tracks.count)
    tracks.append(track)
    cells.update(Int(cell)) {
      $0.firstTrack = added
      $0.trackCount += 1
    }
    let count = cells[Int(cell)].trackCount
    if count > Self.unindexedMax + 1 {
      trackOfBranch[cell]![track.branch] = added
    } else if count > Self.unindexedMax {
      var (found, at): ([Int32: Int32], Int32) = ([:], added)
      while at >= 0 {
        found[tracks[Int(at)].branch] = at
        at = tracks[Int(at)].next
      }
      trackOfBranch[cell] = found
    }
  }

  /// The sum of the increments that the writing event has seen.
  ///
  /// - Complexity: O(min(tracks, clock entries of the event) · log increments).
  @inline(never)
  mutating func seenSum(_ index: Int, by dot: Dot, _ ledger: Ledger) -> CounterSum {
    guard Int(cells[index].trackCount) > Self.unindexedMax else {
      return seenSumOfFew(index, by: dot, ledger)
    }
    let last = ledger.branches[Int(dot.branch)]
    var earlier = sumsSeen[SumKey(cell: Int32(index), branch: dot.branch)]
    if earlier == nil, last.parent >= 0 {
      // A fork inherits what its parent branch had seen before it.
      earlier = sumsSeen[SumKey(cell: Int32(index), branch: last.parent)].flatMap {
        $0.event.sequence <= last.after ? $0 : nil
      }
    }
    let sum =
      seenSum(index, by: dot, since: earlier, ledger) ?? seenSumOfFew(index, by: dot, ledger)
    assert(sum == seenSumOfFew(index, by: dot, ledger), "A device forgets nothing that it saw.")
    sumsSeen[SumKey(cell: Int32(index), branch: dot.branch)] = SumSeen(
      event: Ledger.Point(branch: dot.branch, sequence: last.last), sum: sum)
    return sum
  }

  /// The sum that `earlier` saw, or 0, plus the increments seen after it; nil if these have too
  /// many clock entries.
  private func seenSum(
    _ index: Int, by dot: Dot, since earlier: SumSeen?, _ ledger: Ledger
  ) -> CounterSum? {
    let seen = ledger.seen(
      by: dot.branch, among: Int(cells[index].trackCount),
      after: { $0 == earlier?.event.branch ? earlier?.event.sequence : nil })
    guard let seen else { return nil }
    var sum = earlier?.sum ?? .zero
    for (branch, sequence) in seen {
      let track = self.track(of: branch, in: Int32(index))
      if track < 0 { continue }
      let before = earlier.map { ledger.seen(branch, by: $0.event) } ?? 0
      let run = tracks[Int(track)].run
      sum += increments.newest(run, upTo: sequence)?.sum ?? .zero
      sum -= increments.newest(run, upTo: before)?.sum ?? .zero
    }
    return sum
  }

  /// - Complexity: O(tracks · log increments).
  private func seenSumOfFew(_ index: Int, by dot: Dot, _ ledger: Ledger) -> CounterSum {
    var sum = CounterSum.zero
    var node = cells[index].firstTrack
    while node >= 0 {
      let track = tracks[Int(node)]
      let seen = ledger.seen(Int(track.branch), by: Int(dot.branch))
      sum += increments.newest(track.run, upTo: seen)?.sum ?? .zero
      node = track.next
    }
    return sum
  }

  // MARK: - Reading

  /// The counters whose candidates have different totals.
  ///
  /// - Complexity: O(counters that ever had several candidates).
  var contestedCells: [Int] {
    let cells = otherSets.indices.map { Int(otherSets[$0].cell) }
    return (cells + imported.looseCells.filter { self.cells[$0].others < 0 }).filter(isContested)
  }

  /// The live sets, each with its total.
  package func liveSets(_ index: Int) -> [Candidate] {
    keptSets(index).map { Candidate(dot: $0.dot, total: total(of: $0, index)) }
  }

  /// The live sets, and the latest loose increment if the sum of all increments is a value.
  package func candidates(_ index: Int) -> [Candidate] {
    guard let loose = shownIncrement(index) else { return liveSets(index) }
    return liveSets(index) + [Candidate(dot: loose.dot, total: total(of: loose, index))]
  }

  package func keptSets(_ index: Int) -> [KeptSet] {
    let cell = cells[index]
    if !cell.set.isSet { return [] }
    return cell.others < 0 ? [cell.set] : [cell.set] + otherSets[Int(cell.others)].sets
  }

  /// The total of a live set, or of the increments alone.
  @inline(__always)
  func total(of set: KeptSet, _ index: Int) -> CounterSum.Total {
    sum(of: set, index).total(isAssigned: set.isSet)
  }

  @inline(__always)
  func sum(of set: KeptSet, _ index: Int) -> CounterSum {
    set.source < 0
      ? set.offset + cells[index].sum : set.offset + importedSum(index, of: set.source)
  }

  /// The total that is shown: that of the latest live set, or the sum if there is none.
  package func shown(_ index: Int, _ ledger: Ledger) -> CounterSum.Total {
    total(of: shownCandidate(index, ledger), index)
  }

  /// Whether the shown total contains a number that was assigned, so that 0 is a value.
  package func isAssigned(_ index: Int, _ ledger: Ledger) -> Bool {
    let set = shownCandidate(index, ledger)
    return set.isSet && sum(of: set, index).isAssigned
  }

  /// The total of a contested counter in a cut, or nil if it doesn't follow from the kept values.
  ///
  /// - Parameter cut: The events that all candidates had seen. It must be closed.
  func shown(_ index: Int, in cut: PastCut) -> CounterSum.Total? {
    // The sums of imports depend on more than the cut.
    guard cells[index].firstImport < 0, let set = past.find(cells[index].past, in: cut) else {
      return nil
    }
    let sum = sum(index, in: cut)
    switch set {
    case .value(let offset): return (offset + sum).total(isAssigned: true)
    case .nothing: return sum.total(isAssigned: false)
    }
  }

  /// The sum of the increments in a cut.
  private func sum(_ index: Int, in cut: PastCut) -> CounterSum {
    var sum = CounterSum.zero
    var track = cells[index].firstTrack
    while track >= 0 {
      let state = tracks[Int(track)]
      if let last = increments.newest(state.run, upTo: cut.limit(of: state.branch)) {
        sum += last.sum
      }
      track = state.next
    }
    return sum
  }

  /// The live set whose total is shown; without one, or if the sum of all increments is shown,
  /// ``KeptSet/isSet`` is false.
  @inline(__always)
  func shownCandidate(_ index: Int, _ ledger: Ledger) -> KeptSet {
    let cell = cells[index]
    if !cell.mayBeContested { return cell.set }
    return shownOfSeveral(index, ledger)
  }

  private func shownOfSeveral(_ index: Int, _ ledger: Ledger) -> KeptSet {
    let sets = keptSets(index)
    return shownIncrement(index)
      ?? sets.dropFirst().reduce(sets[0]) { $1.dot.isLater(than: $0.dot, ledger) ? $1 : $0 }
  }

  /// The candidate that is shown, or nil if nothing was set.
  package func shownSet(_ index: Int, _ ledger: Ledger) -> KeptSet? {
    let shown = shownCandidate(index, ledger)
    return shown.isSet || cells[index].firstImport >= 0 ? shown : nil
  }

  /// The events that a set written now would replace or absorb: the live sets, followed by the
  /// latest increment of each branch.
  func liveDots(_ index: Int) -> [Dot] {
    var dots = liveSets(index).map(\.dot)
    var node = cells[index].firstTrack
    while node >= 0 {
      let track = tracks[Int(node)]
      if let newest = increments.newest(track.run) {
        dots.append(Dot(branch: track.branch, sequence: newest.sequence, at: 0))
      }
      node = track.next
    }
    return dots
  }

  /// Whether candidates have different totals.
  package func isContested(_ index: Int) -> Bool {
    if !cells[index].mayBeContested { return false }
    let totals = candidates(index).map(\.total)
    // Two unknown totals may differ.
    return totals.dropFirst().contains { $0 != totals[0] || $0 == .unreadable }
  }
}

// MARK: - Tables

extension Counters {
  /// A live set of a counter besides its first.
  private struct Further: BitwiseCopyable {
    var set = KeptSet.none
    var cell: Int32 = 0
  }

  /// An increment with its counter and its branch.
  private struct StoredIncrement {
    var increment = IncrementRuns.Increment(sequence: 0, sum: .zero)
    var cell: Int32 = 0
    var branch: Int32 = 0
  }

  /// - Parameter ledger: Needed only for writing.
  mutating func forEachTable(
    _ visitor: inout TableVisitor, _ rowCount: Int, _ fieldCount: Int, _ ledger: Ledger?
  ) throws(ColumnFault) {
    visitor.derived(&cells)
    visitor.derived(&otherSets)
    visitor.derived(&tracks)
    visitor.derived(&increments)
    visitor.derived(&past)
    visitor.derived(&imported)
    if visitor.task == .sharing { return }
    typealias Past = OverwriteHistory<CounterSum>
    let branchCount = visitor.events.count
    var stored = cells.elements
    var links = past.stored(&stored, ledger) { hasSeveralSets($0) }
    try visitor.rows(
      &stored, Cell(row: 0, field: 0, next: -1),
      [
        Column(\.row, below: rowCount), Column(\.field, below: fieldCount),
        Column(\.past, in: Int64(Past.forgotten)...Int64(Past.none)),
        Column(\.set.source, in: Int64(KeptSet.noSet)...Int64(Int32.max)),
      ] + Column.counterSum(\.set.offset) + Column.dot(\.set.dot, orNone: true))
    var further = self.further
    try visitor.rows(
      &further, Further(),
      [
        Column(\.cell, below: stored.count),
        Column(\.set.source, in: Int64(KeptSet.person)...Int64(Int32.max)),
      ] + Column.counterSum(\.set.offset) + Column.dot(\.set.dot))
    try visitor.rows(
      &links, Past.Stored(.zero),
      Past.columns(cellCount: stored.count, branchCount: branchCount)
        + Column.counterSum(\.link.value))
    var counted = visitor.isWriting ? storedIncrements : []
    try visitor.rows(
      &counted, StoredIncrement(),
      [Column(\.cell, below: stored.count)] + Column.counterSum(\.increment.sum)
        + Column.event(\.branch, \.increment.sequence))
    try forEachImportTable(&visitor, &stored)
    guard visitor.isReading else { return }
    for run in try further.runs(by: \.cell) {
      let cell = further[run.lowerBound].cell
      guard stored[Int(cell)].set.isSet else { throw ColumnFault() }
      stored[Int(cell)].others = Int32(otherSets.count)
      otherSets.append(Others(cell: cell, sets: further[run].map(\.set)))
    }
    try past.add(links, to: &stored)
    cells = PagedArray(flat: stored)
    // Release this copy, so that adding the tracks mutates the cells in place.
    stored = []
    try add(counted)
  }

  /// Sorted by cell, so that equal states have equal bytes, whatever the order of the lists.
  private var further: [Further] {
    otherSets.elements.sorted { $0.cell < $1.cell }
      .flatMap { list in list.sets.map { Further(set: $0, cell: list.cell) } }
  }

  private var storedIncrements: [StoredIncrement] {
    cells.indices.flatMap { cell in
      // Reversed, because reading prepends each track.
      tracks(of: cell).reversed().flatMap { track in
        increments.all(track.run).map {
          StoredIncrement(increment: $0, cell: Int32(cell), branch: track.branch)
        }
      }
    }
  }

  func tracks(of cell: Int) -> [Track] {
    var found: [Track] = []
    var track = cells[cell].firstTrack
    while track >= 0 {
      found.append(tracks[Int(track)])
      track = tracks[Int(track)].next
    }
    return found
  }

  /// Adds increments, with one track for each counter and branch.
  private mutating func add(_ stored: [StoredIncrement]) throws(ColumnFault) {
    increments = IncrementRuns(stored.map(\.increment))
    var run = IncrementRuns.Run()
    for cell in try stored.runs(by: \.cell) {
      var start = cell.lowerBound
      while start < cell.upperBound {
        let first = stored[start]
        var end = start + 1
        while end < cell.upperBound, stored[end].branch == first.branch {
          guard stored[end].increment.sequence > stored[end - 1].increment.sequence else {
            throw ColumnFault()
          }
          end += 1
        }
        guard let found = increments.run(after: run, count: Int32(end - start)) else {
          throw ColumnFault()
        }
        run = found
        cells.update(Int(first.cell)) { $0.sum += stored[end - 1].increment.sum }
        addTrack(Track(branch: first.branch, run: run), to: first.cell)
        start = end
      }
    }
  }
}
