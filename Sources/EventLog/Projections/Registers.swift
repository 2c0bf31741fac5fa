/// The register mechanism: a write replaces the values whose events it had seen.
///
/// If several remain, equal values count as one, different ones are a conflict, and the latest is
/// shown. A multi-value register with dots (Shapiro et al., "A comprehensive study of CRDTs", 2011;
/// the dots after Preguiça et al., 2010): a value is stored with the event that wrote it, and the
/// clock of the incoming event determines which values are replaced.
package struct Registers: Sendable {
  /// A value that no write has replaced.
  package struct LiveValue: Sendable, BitwiseCopyable {
    package var dot: Dot
    package var value: ByteArena.Slot
  }

  /// One field of one row.
  package struct Cell: Sendable, BitwiseCopyable {
    package var live: LiveValue
    /// The other live values: an index into `contested`, or −1.
    var others: Int32
    package var row: Int32
    package var field: Int32
    /// The next register of the row, or −1.
    package var next: Int32
    /// The newest link of its overwritten values, in ``OverwriteHistory``.
    var past = OverwriteHistory<ByteArena.Slot>.none
  }

  /// The other live values of a register that has several. A free list contains none.
  struct Others: Sendable {
    var cell: Int32
    var values: [LiveValue]
    /// The index of each branch's value, or empty if there are few values.
    var indexes: [Int32: Int] = [:]

    /// A register with more such values than this has an index in ``indexes``.
    static let unindexedMax = 32

    init(cell: Int32, values: [LiveValue]) {
      self.cell = cell
      self.values = values
      guard values.count > Self.unindexedMax else { return }
      for (index, value) in values.enumerated() { indexes[value.dot.branch] = index }
    }

    fileprivate mutating func append(_ value: LiveValue) {
      indexes[value.dot.branch] = values.count
      values.append(value)
    }

    /// Removes and returns the value of a branch if its sequence is at most `sequence`.
    fileprivate mutating func remove(by branch: Int32, upTo sequence: Int64) -> LiveValue? {
      guard let index = indexes[branch], values[index].dot.sequence <= sequence else { return nil }
      indexes[branch] = nil
      let value = values[index]
      let last = values.removeLast()
      if index < values.count {
        values[index] = last
        indexes[last.dot.branch] = index
      }
      return value
    }
  }

  package internal(set) var cells = PagedArray<Cell>()
  var contested = PagedArray<Others>()
  private var freeLists = PagedArray<Int32>()
  var arena = ByteArena()
  var past = OverwriteHistory<ByteArena.Slot>()
  private(set) var ranks = WriteRanks()
  /// Whether to fill ``past``. Without it, writing is cheaper, but bases are unknown.
  var keepsPast = true

  /// Grows whenever a conflict about a register may have begun, changed or ended.
  private(set) var changeCount = 0

  package init() {}

  /// Whether `cell` is the register of a row's field.
  @inline(__always)
  func isRegister(_ cell: Int32, _ row: Int32, _ field: Int32) -> Bool {
    guard UInt32(bitPattern: cell) < UInt32(cells.count) else { return false }
    return cells[Int(cell)].row == row && cells[Int(cell)].field == field
  }

  /// Adds a register with its first value.
  package mutating func add(
    row: Int32, field: Int32, next: Int32, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot,
    _ rank: WriteRank = .only
  ) -> Int32 {
    let value = arena.store(source, range)
    if rank.low > 0 { ranks.note(dot.point, rank, in: cells.count, live: []) }
    cells.append(
      Cell(
        live: LiveValue(dot: dot, value: value), others: -1, row: row, field: field,
        next: next))
    return Int32(cells.count - 1)
  }

  /// Writes a register.
  ///
  /// In the ledger, the current clock of the dot's branch must be that of the writing event.
  @inline(__always)
  package mutating func write(
    _ cell: Int32, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot, _ ledger: Ledger,
    _ rank: WriteRank? = nil
  ) {
    let index = Int(cell)
    if let rank { return write(index, source, range, by: dot, ledger, rank) }
    if cells[index].others < 0, cells[index].live.dot.isSeen(by: dot.branch, ledger) {
      let value = arena.replace(keepLive(index, by: dot, ledger), with: source, range)
      cells.update(index) { $0.live = LiveValue(dot: dot, value: value) }
    } else {
      writeBeside(index, source, range, by: dot, ledger)
    }
  }

  /// Writes a register with earlier names.
  @inline(never)
  private mutating func write(
    _ index: Int, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot, _ ledger: Ledger,
    _ rank: WriteRank
  ) {
    if cells[index].others < 0, isReplaced(cells[index].live, index, by: dot, ledger, rank) {
      let value = arena.replace(keepLive(index, by: dot, ledger), with: source, range)
      cells.update(index) { $0.live = LiveValue(dot: dot, value: value) }
    } else {
      writeBeside(index, source, range, by: dot, ledger, rank)
    }
    ranks.note(dot.point, rank, in: index, live: liveValues(index).map(\.dot.point))
  }

  /// Whether a write replaces a live value.
  private func isReplaced(
    _ value: LiveValue, _ index: Int, by dot: Dot, _ ledger: Ledger, _ rank: WriteRank
  ) -> Bool {
    value.dot.isSeen(by: dot.branch, ledger)
      && (rank.high == WriteRank.newest || rank.high >= ranks.low(of: value.dot.point, in: index))
  }

  /// Records the value that a write replaces, and returns a slot that is no longer used.
  @inline(__always)
  private mutating func keepLive(_ index: Int, by dot: Dot, _ ledger: Ledger) -> ByteArena.Slot {
    let (live, before) = (cells[index].live, cells[index].past)
    // An event can write a field twice.
    if !keepsPast || live.dot.point == dot.point { return live.value }
    guard OverwriteHistory<ByteArena.Slot>.areKept(ledger) else {
      cells.update(index) { $0.past = OverwriteHistory<ByteArena.Slot>.forgotten }
      return live.value
    }
    var head = before
    var spare = releaseUnneeded(of: &head, ledger)
    if let slot = past.removeExcess(of: &head, ledger) {
      arena.release(spare)
      spare = slot
    }
    past.add(
      live.dot.point, live.value, nothing: .empty, replacedBy: dot.point, to: &head,
      before: before, ledger)
    cells.update(index) { $0.past = head }
    return spare
  }

  /// Removes the unneeded links of a register. Releases their slots, except the last one, which is
  /// returned.
  @inline(__always)
  private mutating func releaseUnneeded(
    of head: inout Int32, _ ledger: Ledger
  ) -> ByteArena.Slot {
    var spare = ByteArena.Slot.empty
    while let slot = past.removeUnneeded(of: &head, ledger) {
      arena.release(spare)
      spare = slot
    }
    return spare
  }

  /// Records that a value was written concurrently with live values.
  private mutating func keepRoot(_ index: Int, by dot: Dot, _ ledger: Ledger) {
    if !keepsPast { return }
    let cell = cells[index]
    var head = cell.past
    let released: [ByteArena.Slot]
    if cell.others >= 0 {
      released = past.goOn(by: dot.point, nothing: .empty, in: &head, ledger)
    } else {
      arena.release(releaseUnneeded(of: &head, ledger))
      let value = arena.store(Array(arena.bytes(cell.live.value)))
      released = past.beginContest(
        by: dot.point, beside: cell.live.dot.point, value, nothing: .empty, in: &head, ledger)
    }
    for slot in released { arena.release(slot) }
    cells.update(index) { $0.past = head }
  }

  /// Ends a contest if an event has seen all of its values, recording what it showed.
  ///
  /// - Returns: Whether the contest ended.
  private mutating func keepContest(
    _ index: Int, by dot: Dot, _ ledger: Ledger, _ rank: WriteRank
  ) -> Bool {
    let values = liveValues(index)
    guard values.allSatisfy({ isReplaced($0, index, by: dot, ledger, rank) }) else { return false }
    let shown = shown(index, ledger)
    let others = values.filter { $0.dot.point != shown.dot.point }
    for value in others { arena.release(value.value) }
    var head = cells[index].past
    let released =
      keepsPast
      ? past.add(
        shown.dot.point, beside: others.map(\.dot.point), shown.value, nothing: .empty,
        replacedBy: dot.point, to: &head, ledger)
      : [shown.value]
    for slot in released { arena.release(slot) }
    let list = cells[index].others
    contested[Int(list)] = Others(cell: Int32(index), values: [])
    freeLists.append(list)
    cells.update(index) {
      $0.others = -1
      $0.past = head
    }
    changeCount &+= 1
    return true
  }

  @inline(never)
  private mutating func writeBeside(
    _ index: Int, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot, _ ledger: Ledger,
    _ named: WriteRank? = nil
  ) {
    keepRoot(index, by: dot, ledger)
    // Several values of one history may be live if the register has earlier names.
    if named == nil, writeAmongMany(index, source, range, by: dot, ledger) { return }
    let rank = named ?? .only
    if keepContest(index, by: dot, ledger, rank) {
      cells[index].live = LiveValue(dot: dot, value: arena.store(source, range))
      return
    }
    var live: [LiveValue] = []
    for value in liveValues(index) {
      if isReplaced(value, index, by: dot, ledger, rank) {
        arena.release(value.value)
      } else {
        live.append(value)
      }
    }
    live.append(LiveValue(dot: dot, value: arena.store(source, range)))
    cells[index].live = live.removeLast()
    changeCount &+= 1
    let list = cells[index].others
    let others = Others(cell: Int32(index), values: live)
    if list >= 0 {
      contested[Int(list)] = others
    } else if let free = freeLists.popLast() {
      contested[Int(free)] = others
      cells[index].others = free
    } else {
      contested.append(others)
      cells[index].others = Int32(contested.count - 1)
    }
  }

  /// Writes a register that has many live values by the entries of the event's clock, if these are
  /// fewer.
  ///
  /// - Returns: Whether it was written.
  /// - Complexity: O(clock entries that no earlier write of the event's history had seen).
  private mutating func writeAmongMany(
    _ index: Int, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot, _ ledger: Ledger
  ) -> Bool {
    let list = Int(cells[index].others)
    guard list >= 0, contested[list].values.count > Others.unindexedMax else { return false }
    let last = cells[index].live
    // An earlier write of this history has already replaced all values that it had seen.
    func earlier(_ branch: Int32) -> Int64? {
      if last.dot.branch == branch { return last.dot.sequence }
      return contested[list].indexes[branch].map { contested[list].values[$0].dot.sequence }
    }
    let count = contested[list].values.count
    let others = [last.dot.point] + contested[list].values.suffix(8).map(\.dot.point)
    guard
      let seen = ledger.seen(by: dot.branch, among: count, after: earlier, apartFrom: others)
    else { return false }
    let value = LiveValue(dot: dot, value: arena.store(source, range))
    var replaced: [LiveValue] = []
    contested.update(list) { others in
      others.append(last)
      let known = seen.filter { others.indexes[$0.key] != nil }
      for (branch, sequence) in known.sorted(by: { $0.key < $1.key }) {
        if let value = others.remove(by: branch, upTo: sequence) { replaced.append(value) }
      }
      if others.values.count <= Others.unindexedMax {
        others = Others(cell: others.cell, values: others.values)
      }
    }
    for value in replaced { arena.release(value.value) }
    cells[index].live = value
    changeCount &+= 1
    if contested[list].values.isEmpty {
      freeLists.append(Int32(list))
      cells[index].others = -1
    }
    return true
  }

  // MARK: - Reading

  /// The registers whose live values differ.
  ///
  /// - Complexity: O(registers that ever had several live values).
  var contestedCells: [Int] {
    contested.indices.map { contested[$0] }.filter { !$0.values.isEmpty }.map { Int($0.cell) }
      .filter(isContested)
  }

  /// All live values.
  package func liveValues(_ index: Int) -> [LiveValue] {
    let cell = cells[index]
    return cell.others < 0 ? [cell.live] : [cell.live] + contested[Int(cell.others)].values
  }

  /// The value of a contested register in a cut: `.some(nil)` if nothing would be shown, nil if it
  /// is unknown.
  ///
  /// - Parameter cut: The events that all candidates had seen. It must be closed.
  func shown(_ index: Int, in cut: PastCut) -> ArraySlice<UInt8>?? {
    switch past.find(cells[index].past, in: cut) {
    case .nothing: .some(nil)
    case .value(let slot): arena.bytes(slot)
    case nil: nil
    }
  }

  package func bytes(_ value: LiveValue) -> ArraySlice<UInt8> { arena.bytes(value.value) }

  /// The value that is shown: the latest live one.
  package func shown(_ index: Int, _ ledger: Ledger) -> LiveValue {
    let cell = cells[index]
    if cell.others < 0 { return cell.live }
    return liveValues(index).reduce(cell.live) { $1.dot.isLater(than: $0.dot, ledger) ? $1 : $0 }
  }

  /// Whether `null` is shown.
  @inline(__always)
  func showsNull(_ index: Int, _ ledger: Ledger) -> Bool {
    bytes(shown(index, ledger)).first == UInt8(ascii: "n")
  }

  /// Whether live values differ.
  package func isContested(_ index: Int) -> Bool {
    let cell = cells[index]
    if cell.others < 0 { return false }
    let first = bytes(cell.live)
    let value = JSONValue(canonical: first)
    return contested[Int(cell.others)].values.contains { other in
      let bytes = bytes(other)
      return bytes != first && JSONValue(canonical: bytes) != value
    }
  }
}

// MARK: - Tables

extension Registers {
  /// A live value of a register besides its first.
  private struct Further {
    var live = LiveValue(dot: Dot(branch: 0, sequence: 0, at: 0), value: .empty)
    var cell: Int32 = 0
  }

  /// - Parameter ledger: Needed only for writing.
  mutating func forEachTable(
    _ visitor: inout TableVisitor, _ rowCount: Int, _ fieldCount: Int, _ ledger: Ledger?
  ) throws(ColumnFault) {
    visitor.derived(&cells)
    visitor.derived(&contested)
    visitor.derived(&freeLists)
    visitor.derived(&arena)
    visitor.derived(&past)
    if visitor.task == .sharing { return try ranks.forEachTable(&visitor, cellCount: 0) }
    typealias Past = OverwriteHistory<ByteArena.Slot>
    let branchCount = visitor.events.count
    var stored = cells.elements
    var links = past.stored(&stored, ledger) { cells[$0].others >= 0 }
    try visitor.rows(
      &stored, Cell(live: Further().live, others: -1, row: 0, field: 0, next: -1),
      [
        Column(\.row, below: rowCount), Column(\.field, below: fieldCount),
        Column(\.past, in: Int64(Past.forgotten)...Int64(Past.none)),
      ] + Column.dot(\.live.dot))
    try visitor.values(of: &stored, \.live.value, in: &arena)
    var further = self.further
    try visitor.rows(
      &further, Further(),
      [Column(\.cell, below: stored.count)] + Column.dot(\.live.dot))
    try visitor.values(of: &further, \.live.value, in: &arena)
    try visitor.rows(
      &links, Past.Stored(.empty),
      Past.columns(cellCount: stored.count, branchCount: branchCount))
    try visitor.values(of: &links, \.link.value, in: &arena, orNone: true)
    try ranks.forEachTable(&visitor, cellCount: stored.count)
    guard visitor.isReading else { return }
    for run in try further.runs(by: \.cell) {
      let cell = further[run.lowerBound].cell
      stored[Int(cell)].others = Int32(contested.count)
      contested.append(Others(cell: cell, values: further[run].map(\.live)))
    }
    guard links.allSatisfy({ $0.link.hasValue == ($0.link.value.count > 0) }) else {
      throw ColumnFault()
    }
    try past.add(links, to: &stored)
    cells = PagedArray(flat: stored)
  }

  /// Sorted by cell, so that equal states have equal bytes, whatever the order of the lists.
  private var further: [Further] {
    contested.elements.sorted { $0.cell < $1.cell }
      .flatMap { list in list.values.map { Further(live: $0, cell: list.cell) } }
  }
}
