extension Registers {
  func encode(into encoder: inout ColumnEncoder, _ ledger: Ledger) {
    var before = Predecessors<ByteArena.Slot>.Columns()
    var rows: [Int32] = []
    var fields: [Int32] = []
    var live: [LiveValue] = []
    cells.forEachPage { page in
      for cell in page {
        rows.append(cell.row)
        fields.append(cell.field)
        live.append(cell.live)
        before.add(cell.past, of: past, isContested: cell.others >= 0, ledger)
      }
    }
    var lists: [Int32] = []
    var counts: [Int32] = []
    // Sorted, so that equal states are written alike, whatever lists were free in between.
    let lasting = contested.indices.map { contested[$0] }.filter { !$0.values.isEmpty }
    for others in lasting.sorted(by: { $0.cell < $1.cell }) {
      lists.append(others.cell)
      counts.append(Int32(others.values.count))
      live += others.values
    }
    encoder.write(column: rows)
    encoder.write(column: fields)
    encoder.write(dots: live.map(\.dot))
    encoder.write(values: live.map { arena.bytes($0.value) })
    encoder.write(column: lists)
    encoder.write(column: counts)
    before.encode(into: &encoder)
    encoder.write(values: before.links.filter(\.hasValue).map { arena.bytes($0.value) })
  }

  /// Reads registers, in pages, and stores their values anew, without gaps.
  ///
  /// `heads` gets the first register of each row, `table` each one's number.
  init(
    from decoder: inout ColumnDecoder, _ names: FoldNames, _ heads: inout RowHeads,
    _ table: inout IndexTable
  ) throws(ColumnFault) {
    self.init()
    var rows: PackedColumn<Int32> = try decoder.packed(below: heads.first.count)
    var fields: PackedColumn<Int32> = try decoder.packed(rows.count, below: names.fieldCount)
    var dots = try decoder.packedDots(names)
    let values = try CanonicalValues(dots.count, from: &decoder)
    guard dots.count >= rows.count else { throw ColumnFault() }
    arena.reserve(values.ranges)
    var read: [Cell] = []
    read.reserveCapacity(rows.count)
    table.reserve(rows.count)
    for index in 0..<rows.count {
      let (row, field) = (rows.take(), fields.take())
      guard table.insertIfNew(row, field, Int32(index)) else { throw ColumnFault() }
      let value = arena.store(values.bytes.span, values.ranges[index])
      read.append(
        Cell(
          live: LiveValue(dot: try dots.take(), value: value), others: -1, row: row, field: field,
          next: heads.add(index, row: row)))
    }
    var further: [LiveValue] = []
    for index in rows.count..<dots.count {
      let value = arena.store(values.bytes.span, values.ranges[index])
      further.append(LiveValue(dot: try dots.take(), value: value))
    }
    try decodeContested(from: &decoder, further, &read)
    try decodePast(from: &decoder, names, &read)
    cells = PagedArray(read)
    paginate()
  }

  private mutating func decodeContested(
    from decoder: inout ColumnDecoder, _ values: [LiveValue], _ cells: inout [Cell]
  ) throws(ColumnFault) {
    let lists: [Int32] = try decoder.column(below: cells.count)
    let counts = try decoder.counts(lists.count, from: 1, total: values.count)
    var start = 0
    for (index, cell) in lists.enumerated() {
      guard cells[Int(cell)].others < 0 else { throw ColumnFault() }
      cells[Int(cell)].others = Int32(index)
      let end = start + Int(counts[index])
      contested.append(Others(cell: cell, values: Array(values[start..<end])))
      start = end
    }
  }
  private mutating func decodePast(
    from decoder: inout ColumnDecoder, _ names: FoldNames, _ cells: inout [Cell]
  ) throws(ColumnFault) {
    past = try Predecessors(
      from: &decoder, cellCount: cells.count, names, nothing: .empty,
      values: { (count, decoder) throws(ColumnFault) in
        let values = try CanonicalValues(count, from: &decoder)
        return values.ranges.map { arena.store(values.bytes.span, $0) }
      },
      set: { cells[$0].past = $1 })
  }
}
