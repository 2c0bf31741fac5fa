extension Counters {
  func encode(into encoder: inout ColumnEncoder, _ ledger: Ledger) {
    var before = Predecessors<Int64>.Columns()
    var rows: [Int32] = []
    var fields: [Int32] = []
    var live: [KeptSet] = []
    cells.forEachPage { page in
      for cell in page {
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
    encodeTracks(into: &encoder)
  }

  /// Writes the tracks counter by counter, and the increments of each.
  private func encodeTracks(into encoder: inout ColumnEncoder) {
    var cellOfTrack: [Int32] = []
    var branches: [Int32] = []
    var counts: [Int32] = []
    var sequences: [Int64] = []
    var sums: [Int64] = []
    for cell in cells.indices {
      // The last one first: reading puts each before the others.
      for track in tracks(of: cell).reversed() {
        cellOfTrack.append(Int32(cell))
        branches.append(track.branch)
        counts.append(track.run.count)
        for increment in increments.all(track.run) {
          sequences.append(increment.sequence)
          sums.append(increment.sum)
        }
      }
    }
    encoder.write(column: cellOfTrack)
    encoder.write(column: branches)
    encoder.write(column: sequences)
    encoder.write(column: sums)
    encoder.write(column: counts)
  }

  private func tracks(of cell: Int) -> [Track] {
    var found: [Track] = []
    var track = cells[cell].firstTrack
    while track >= 0 {
      found.append(tracks[Int(track)])
      track = tracks[Int(track)].next
    }
    return found
  }

  /// Reads counters, in pages; `heads` gets the first counter of each row.
  init(
    from decoder: inout ColumnDecoder, _ names: FoldNames, _ heads: inout RowHeads
  ) throws(ColumnFault) {
    self.init()
    var rows: PackedColumn<Int32> = try decoder.packed(below: heads.first.count)
    var fields: PackedColumn<Int32> = try decoder.packed(rows.count, below: names.fieldCount)
    var dots = try decoder.packedDots(names, orNone: true)
    var offsets: PackedColumn<Int64> = try decoder.packed(dots.count, in: .min ... .max)
    guard dots.count >= rows.count else { throw ColumnFault() }
    var read: [Cell] = []
    read.reserveCapacity(rows.count)
    for index in 0..<rows.count {
      let row = rows.take()
      read.append(
        Cell(
          row: row, field: fields.take(), next: heads.add(index, row: row),
          set: KeptSet(dot: try dots.take(), offset: offsets.take())))
    }
    var further: [KeptSet] = []
    for _ in rows.count..<dots.count {
      further.append(KeptSet(dot: try dots.take(), offset: offsets.take()))
    }
    try decodeSets(from: &decoder, further, &read)
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
    from decoder: inout ColumnDecoder, _ sets: [KeptSet], _ cells: inout [Cell]
  ) throws(ColumnFault) {
    let lists: [Int32] = try decoder.column(below: cells.count)
    let counts = try decoder.counts(lists.count, from: 1, total: sets.count)
    guard sets.allSatisfy({ $0.dot.branch >= 0 }) else { throw ColumnFault() }
    var start = 0
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
    var cellOfTrack: PackedColumn<Int32> = try decoder.packed(below: cells.count)
    var branches: PackedColumn<Int32> = try decoder.packed(
      cellOfTrack.count, below: names.branches.count)
    var sequences: PackedColumn<Int64> = try decoder.packed(in: 1...LineLimits.sequenceMax)
    let sums: PackedColumn<Int64> = try decoder.packed(sequences.count, in: .min ... .max)
    let counts = try decoder.counts(branches.count, from: 1, total: sequences.count)
    increments = IncrementRuns(sequences: sequences.detached, sums: sums.detached)
    tracks.reserve(branches.count)
    var run = IncrementRuns.Run()
    for count in counts {
      let cell = cellOfTrack.take()
      let branch = branches.take()
      let events = names.branches[Int(branch)]
      var last: Int64 = 0
      for _ in 0..<count {
        let sequence = sequences.take()
        guard last < sequence, events.contains(sequence) else { throw ColumnFault() }
        last = sequence
      }
      guard let found = increments.run(behind: run, count: count),
        let newest = increments.newest(found)
      else { throw ColumnFault() }
      run = found
      cells.update(Int(cell)) { $0.sum &+= newest.sum }
      addTrack(Track(branch: branch, run: run), to: cell)
    }
  }
}
