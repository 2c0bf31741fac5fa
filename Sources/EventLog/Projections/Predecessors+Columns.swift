extension Predecessors {
  /// The links of a state's cells, column by column, without those that are never needed again.
  struct Columns {
    /// Per cell whether it was written once only.
    var areFirst: [UInt8] = []
    /// The cells that have links, and how many.
    var cells: [Int32] = []
    var counts: [Int32] = []
    var links: [Link] = []

    /// Adds the next cell. Of one that has several values, all that is known is written.
    mutating func add(
      _ head: Int32, of past: Predecessors, isContested: Bool, _ ledger: Ledger
    ) {
      let found = isContested ? past.all(head) : past.lasting(head, ledger)
      if !found.isEmpty {
        cells.append(Int32(areFirst.count))
        counts.append(Int32(found.count))
        links += found
      }
      areFirst.append(head == Predecessors.none ? 1 : 0)
    }

    /// Writes all but the values.
    func encode(into encoder: inout ColumnEncoder) {
      encoder.write(column: areFirst)
      encoder.write(column: cells)
      encoder.write(column: counts)
      encoder.write(points: links.map(\.write))
      encoder.write(points: links.map(\.later))
      encoder.write(column: links.map(\.branchCount))
      encoder.write(column: links.map(\.besideCount))
    }
  }

  /// Reads the links of cells, in pages.
  ///
  /// - Parameters:
  ///   - values: reads so many values.
  ///   - set: sets the links of a cell.
  init(
    from decoder: inout ColumnDecoder, cellCount: Int, _ names: FoldNames, nothing: Value,
    values: (Int, inout ColumnDecoder) throws(ColumnFault) -> [Value],
    set: (Int, Int32) -> Void
  ) throws(ColumnFault) {
    let areFirst: [UInt8] = try decoder.column(cellCount, in: 0...1)
    let cells: [Int32] = try decoder.column(below: cellCount)
    let counts: [Int32] = try decoder.column(cells.count, in: 1...Int64(Self.linksMax))
    let writes = try decoder.points(names, orNone: true)
    let later = try decoder.points(names, orNone: true)
    let branchCounts: [UInt16] = try decoder.column(
      writes.count, in: 0...Int64(UInt16(clamping: names.branches.count)))
    let besideCounts: [UInt16] = try decoder.column(writes.count, in: 0...Int64(UInt16.max))
    guard later.count == writes.count, counts.reduce(0, { $0 + Int($1) }) == writes.count,
      zip(cells, cells.dropFirst()).allSatisfy(<)
    else { throw ColumnFault() }
    var read = writes.indices.map {
      Link(
        write: writes[$0], value: nothing, later: later[$0], branchCount: branchCounts[$0],
        besideCount: besideCounts[$0])
    }
    guard read.allSatisfy({ !$0.isRoot || $0.write.branch >= 0 }) else { throw ColumnFault() }
    let valued = read.indices.filter { read[$0].hasValue }
    let values = try values(valued.count, &decoder)
    for (place, value) in zip(valued, values) { read[place].value = value }
    for (cell, isFirst) in areFirst.enumerated() {
      set(cell, isFirst == 1 ? Self.none : Self.forgotten)
    }
    var place = 0
    for (index, cell) in cells.enumerated() {
      guard areFirst[Int(cell)] == 0 else { throw ColumnFault() }
      var head = Self.forgotten
      let end = place + Int(counts[index])
      for link in (place..<end).reversed() {
        add(read[link], to: &head)
      }
      set(Int(cell), head)
      place = end
    }
    paginate()
  }
}

extension ColumnEncoder {
  mutating func write(points: [Ledger.Point]) {
    write(column: points.map(\.branch))
    write(column: points.map(\.sequence))
  }
}

extension ColumnDecoder {
  /// Events that there are.
  ///
  /// - Parameter orNone: whether one may be of branch −1, which stands for none.
  mutating func points(
    _ names: FoldNames, orNone: Bool = false
  ) throws(ColumnFault) -> [Ledger.Point] {
    let branches: [Int32] = try column(below: names.branches.count, orNone: orNone)
    let sequences: [Int64] = try column(
      branches.count, in: (orNone ? 0 : 1)...LineLimits.sequenceMax)
    return try branches.indices.map { (index) throws(ColumnFault) in
      guard branches[index] < 0 || names.holds(branches[index], sequences[index]) else {
        throw ColumnFault()
      }
      return Ledger.Point(branch: branches[index], sequence: sequences[index])
    }
  }
}
