/// The sets that imports wrote, by counter and source.
///
/// Another app may have counted the same as people did here. So the total of an import's set
/// contains only the increments that had seen a set of its source, and it replaces only sets of
/// imports. An increment that had seen no set at all is *loose*: as long as no person has set the
/// counter, the sum of all increments is a candidate of its own.
struct ImportedSets: Sendable, Paginated {
  /// The first set of a source in a branch. A counter's list is in the order of their application.
  struct First: BitwiseCopyable, Sendable {
    /// The increments that had seen a set of the source, in the first element of each source.
    var sum = CounterSum.zero
    var sequence: Int64 = 0
    var branch: Int32 = 0
    var source: Int32 = 0
    /// The next element of the counter, or −1.
    var next: Int32 = -1

    var point: Ledger.Point { Ledger.Point(branch: branch, sequence: sequence) }
  }

  var firsts = PagedArray<First>()
  /// The latest loose increment of each counter that imports have set, and no person.
  fileprivate(set) var loose: [Int32: Dot] = [:]

  mutating func paginate() { firsts.paginate() }

  /// The counters with loose increments, in ascending order.
  var looseCells: [Int] { loose.keys.map { Int($0) }.sorted() }
}

extension Counters {
  // MARK: - Applying

  /// Sets a counter that an import sets or has set.
  ///
  /// - Complexity: O(live sets, and branches in which imports have set it).
  @inline(never)
  mutating func setBesideImports(
    _ index: Int, to value: CounterSum, by dot: Dot, from source: Int32, _ ledger: Ledger
  ) {
    let isImport = source >= 0
    var live = keptSets(index).filter { set in
      isImport && set.source == KeptSet.person || !set.dot.isSeen(by: dot.branch, ledger)
    }
    if isImport {
      let before = cells[index].set
      if !before.isSet, before.dot.branch >= 0 { imported.loose[Int32(index)] = before.dot }
      addFirst(of: source, to: index, by: dot, ledger)
      live.append(KeptSet(dot: dot, offset: value, source: source))
    } else {
      imported.loose[Int32(index)] = nil
      let seen = cells[index].firstTrack < 0 ? .zero : seenSum(index, by: dot, ledger)
      live.append(KeptSet(dot: dot, offset: value - seen))
    }
    cells.update(index) { $0.past = OverwriteHistory<CounterSum>.forgotten }
    setLive(live, of: index)
  }

  /// Records a set of an import, unless its history has set the counter before.
  private mutating func addFirst(
    of source: Int32, to index: Int, by dot: Dot, _ ledger: Ledger
  ) {
    var last: Int32 = -1
    var node = cells[index].firstImport
    while node >= 0 {
      let first = imported.firsts[Int(node)]
      // Seeing a set isn't enough: another event may have seen this one and not that one.
      if first.source == source, ledger.isInHistory(first.point, of: dot.point) { return }
      (last, node) = (node, first.next)
    }
    let added = Int32(imported.firsts.count)
    imported.firsts.append(
      ImportedSets.First(sequence: dot.sequence, branch: dot.branch, source: source))
    if last < 0 {
      cells.update(index) { $0.firstImport = added }
    } else {
      imported.firsts.update(Int(last)) { $0.next = added }
    }
  }

  /// Adds an increment to the sums of the sources whose sets it has seen.
  ///
  /// - Complexity: O(branches in which imports have set the counter).
  @inline(never)
  mutating func addToImports(
    _ index: Int, _ amount: CounterSum, by dot: Dot, _ ledger: Ledger
  ) {
    changeCount &+= 1
    let seen = Set(
      firsts(of: index).filter { ledger.seen(Int($0.branch), by: Int(dot.branch)) >= $0.sequence }
        .map(\.source))
    for source in seen {
      guard let node = firstNode(of: source, in: index) else { continue }
      imported.firsts.update(node) { $0.sum += amount }
    }
    guard seen.isEmpty, !keptSets(index).contains(where: { $0.source == KeptSet.person }) else {
      return
    }
    if imported.loose[Int32(index)].map({ dot.isLater(than: $0, ledger) }) ?? true {
      imported.loose[Int32(index)] = dot
    }
  }

  // MARK: - Reading

  /// The sum of the increments that had seen a set of a source.
  func importedSum(_ index: Int, of source: Int32) -> CounterSum {
    firstNode(of: source, in: index).map { imported.firsts[$0].sum } ?? .zero
  }

  /// The latest loose increment, unless the sum of all increments is no value.
  func shownIncrement(_ index: Int) -> KeptSet? {
    guard cells[index].firstImport >= 0, let dot = imported.loose[Int32(index)] else { return nil }
    let set = KeptSet(dot: dot, offset: .zero, source: KeptSet.noSet)
    return total(of: set, index) == .none ? nil : set
  }

  /// Whether the total of a live set, or of the increments alone, contains an increment.
  package func counts(_ increment: Ledger.Point, in set: KeptSet, _ index: Int, _ ledger: Ledger)
    -> Bool
  {
    if !set.isSet { return true }
    if set.source == KeptSet.person { return !ledger.hasSeen(set.dot.point, increment) }
    return firsts(of: index).contains {
      $0.source == set.source && ledger.hasSeen(increment, $0.point)
    }
  }

  /// The total that a counter would show without some of its writes.
  ///
  /// It is right only if no other set was replaced by `set`.
  ///
  /// - Complexity: O(increments of the counter · branches in which imports have set it).
  package func shown(
    _ index: Int, without left: [(amount: CounterSum, dot: Dot)], _ set: Dot?, _ ledger: Ledger
  ) -> CounterSum.Total {
    let firsts = firsts(of: index)
    let points = Set(left.map(\.dot.point))
    func total(of set: KeptSet) -> CounterSum.Total {
      left.reduce(sum(of: set, index)) { sum, increment in
        counts(increment.dot.point, in: set, index, ledger) ? sum - increment.amount : sum
      }.total(isAssigned: set.isSet)
    }
    let sets = keptSets(index).filter { $0.dot.point != set?.point }
    let hasLoose = tracks(of: index).contains { track in
      increments.all(track.run).contains { increment in
        let point = Ledger.Point(branch: track.branch, sequence: increment.sequence)
        return !points.contains(point) && !firsts.contains { ledger.hasSeen(point, $0.point) }
      }
    }
    let all = total(of: .none)
    if hasLoose, all != .none, sets.allSatisfy({ $0.source >= 0 }) { return all }
    return sets.max { $1.dot.isLater(than: $0.dot, ledger) }.map { total(of: $0) } ?? all
  }

  private func firstNode(of source: Int32, in index: Int) -> Int? {
    var node = cells[index].firstImport
    while node >= 0 {
      if imported.firsts[Int(node)].source == source { return Int(node) }
      node = imported.firsts[Int(node)].next
    }
    return nil
  }

  private func firsts(of index: Int) -> [ImportedSets.First] {
    var found: [ImportedSets.First] = []
    var node = cells[index].firstImport
    while node >= 0 {
      found.append(imported.firsts[Int(node)])
      node = imported.firsts[Int(node)].next
    }
    return found
  }
}

// MARK: - Tables

extension Counters {
  private struct StoredFirst: BitwiseCopyable {
    var first = ImportedSets.First()
    var cell: Int32 = 0
  }

  private struct StoredLoose: BitwiseCopyable {
    var dot = Dot(branch: 0, sequence: 0, at: 0)
    var cell: Int32 = 0
  }

  /// - Parameter cells: The cells, whose lists are linked after reading.
  mutating func forEachImportTable(
    _ visitor: inout TableVisitor, _ cells: inout [Cell]
  ) throws(ColumnFault) {
    var stored = visitor.isWriting ? storedFirsts : []
    try visitor.rows(
      &stored, StoredFirst(),
      [
        Column(\.cell, below: cells.count), Column(\.first.source, in: 0...Int64(Int32.max)),
      ] + Column.event(\.first.branch, \.first.sequence) + Column.counterSum(\.first.sum))
    var loose = imported.loose.sorted { $0.key < $1.key }
      .map { StoredLoose(dot: $0.value, cell: $0.key) }
    try visitor.rows(
      &loose, StoredLoose(), [Column(\.cell, below: cells.count)] + Column.dot(\.dot))
    guard visitor.isReading else { return }
    for run in try stored.runs(by: \.cell) {
      cells[Int(stored[run.lowerBound].cell)].firstImport = Int32(run.lowerBound)
      for index in run.dropLast() { stored[index].first.next = Int32(index + 1) }
    }
    imported.firsts = PagedArray(flat: stored.map(\.first))
    for entry in loose {
      guard cells[Int(entry.cell)].firstImport >= 0 else { throw ColumnFault() }
      imported.loose[entry.cell] = entry.dot
    }
    // Only a counter that imports have set has other sets than those of people.
    guard
      cells.allSatisfy({ cell in
        cell.set.isSet
          ? cell.set.dot.branch >= 0 && (cell.set.source < 0 || cell.firstImport >= 0)
          : cell.firstImport < 0
      })
    else { throw ColumnFault() }
  }

  private var storedFirsts: [StoredFirst] {
    cells.indices.filter { cells[$0].firstImport >= 0 }.flatMap { index in
      firsts(of: index).map { StoredFirst(first: $0, cell: Int32(index)) }
    }
  }
}
