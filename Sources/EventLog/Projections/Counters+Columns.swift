extension Counters {
  func encode(into encoder: inout ColumnEncoder, _ ledger: Ledger) {
    var before = Predecessors<Int64>.Columns()
    var rows: [Int32] = []
    var fields: [Int32] = []
    var live: [KeptSet] = []
    var cellOfTrack = [Int32](repeating: 0, count: tracks.count)
    cells.forEachPage { page in
      for cell in page {
        var track = cell.firstTrack
        while track >= 0 {
          cellOfTrack[Int(track)] = Int32(rows.count)
          track = tracks[Int(track)].next
        }
        rows.append(cell.row)
        fields.append(cell.field)
        live.append(cell.set)
        before.add(cell.past, of: past, isContested: hasSeveralSets(rows.count - 1), ledger)
      }
    }
    var lists: [Int32] = []
    var counts: [Int32] = []
    // Sorted, so that equal states are written alike, in whatever order the lists were made.
    let lasting = otherSets.indices.map { otherSets[$0] }.filter { !$0.sets.isEmpty }
    for others in lasting.sorted(by: { $0.cell < $1.cell }) {
      lists.append(others.cell)
      counts.append(Int32(others.sets.count))
      live += others.sets
    }
    encoder.write(column: rows)
    encoder.write(column: fields)
    encoder.write(dots: live.map(\.dot))
    encoder.write(column: live.map(\.offset))
    encoder.write(column: lists)
    encoder.write(column: counts)
    before.encode(into: &encoder)
    encoder.write(column: before.links.filter(\.hasValue).map(\.value))
    encoder.write(column: cellOfTrack)
    encodeTracks(into: &encoder)
  }

  /// Writes the increments of each track side by side, oldest first, without running sums.
  private func encodeTracks(into encoder: inout ColumnEncoder) {
    var counts: [Int32] = []
    var sequences: [Int64] = []
    var amounts: [Int64] = []
    sequences.reserveCapacity(increments.count)
    amounts.reserveCapacity(increments.count)
    for index in tracks.indices {
      let start = sequences.count
      var node = tracks[index].newest
      while node >= 0 {
        let increment = increments[Int(node)]
        let before = increment.previous < 0 ? 0 : increments[Int(increment.previous)].sum
        sequences.append(increment.sequence)
        amounts.append(increment.sum &- before)
        node = increment.previous
      }
      sequences[start...].reverse()
      amounts[start...].reverse()
      counts.append(Int32(sequences.count - start))
    }
    encoder.write(column: tracks.indices.map { tracks[$0].branch })
    encoder.write(column: sequences)
    encoder.write(column: amounts)
    encoder.write(column: counts)
  }

  /// Reads counters, in pages; `heads` gets the first counter of each row.
  init(
    from decoder: inout ColumnDecoder, _ names: FoldNames, _ heads: inout RowHeads
  ) throws(ColumnFault) {
    self.init()
    let rows: [Int32] = try decoder.column(below: heads.first.count)
    let fields: [Int32] = try decoder.column(rows.count, below: names.fieldCount)
    let dots = try decoder.dots(names, orNone: true)
    let offsets: [Int64] = try decoder.column(dots.count, in: .min ... .max)
    guard dots.count >= rows.count else { throw ColumnFault() }
    var read: [Cell] = []
    read.reserveCapacity(rows.count)
    for index in rows.indices {
      read.append(
        Cell(
          row: rows[index], field: fields[index], next: heads.add(index, row: rows[index]),
          set: KeptSet(dot: dots[index], offset: offsets[index])))
    }
    let further = (rows.count..<dots.count).map { KeptSet(dot: dots[$0], offset: offsets[$0]) }
    try decodeSets(from: &decoder, further[...], &read)
    past = try Predecessors(
      from: &decoder, cellCount: read.count, names, nothing: 0,
      values: { (count, decoder) throws(ColumnFault) in
        try decoder.column(count, in: .min ... .max)
      },
      set: { read[$0].past = $1 })
    // Adding their tracks changes each of them.
    cells = PagedArray(flat: read)
    try decodeTracks(from: &decoder, names)
    paginate()
  }

  private mutating func decodeSets(
    from decoder: inout ColumnDecoder, _ sets: ArraySlice<KeptSet>, _ cells: inout [Cell]
  ) throws(ColumnFault) {
    let lists: [Int32] = try decoder.column(below: cells.count)
    let counts = try decoder.counts(lists.count, from: 1, total: sets.count)
    guard sets.allSatisfy({ $0.dot.branch >= 0 }) else { throw ColumnFault() }
    var start = sets.startIndex
    for (index, cell) in lists.enumerated() {
      guard cells[Int(cell)].others < 0, cells[Int(cell)].set.dot.branch >= 0 else {
        throw ColumnFault()
      }
      cells[Int(cell)].others = Int32(index)
      let end = start + Int(counts[index])
      otherSets.append(Others(cell: cell, sets: Array(sets[start..<end])))
      start = end
    }
  }

  private mutating func decodeTracks(
    from decoder: inout ColumnDecoder, _ names: FoldNames
  ) throws(ColumnFault) {
    let cellOfTrack: [Int32] = try decoder.column(below: cells.count)
    let branches: [Int32] = try decoder.column(cellOfTrack.count, below: names.branches.count)
    let sequences: [Int64] = try decoder.column(in: 1...LineLimits.sequenceMax)
    let amounts: [Int64] = try decoder.column(sequences.count, in: .min ... .max)
    let counts = try decoder.counts(branches.count, from: 1, total: sequences.count)
    increments.reserve(sequences.count)
    tracks.reserve(branches.count)
    for (index, cell) in cellOfTrack.enumerated() {
      var newest: Int32 = -1
      for place in increments.count..<(increments.count + Int(counts[index])) {
        guard newest < 0 || sequences[place - 1] < sequences[place],
          names.holds(branches[index], sequences[place])
        else { throw ColumnFault() }
        newest = addIncrement(sequences[place], amounts[place], after: newest)
      }
      addTrack(Track(branch: branches[index], next: -1, newest: newest), to: cell)
      cells.update(Int(cell)) { $0.sum &+= increments[Int(newest)].sum }
    }
  }
}
