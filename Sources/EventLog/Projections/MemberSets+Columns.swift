extension MemberSets {
  /// - Parameter rows: the row of each set, which the sets do not know.
  func encode(into encoder: inout ColumnEncoder, rows: [Int32]) {
    var memberCounts: [Int32] = []
    var members: [Int32] = []
    var inclusionCounts: [Int32] = []
    var inclusions: [(branch: Int32, sequence: Int64)] = []
    for index in cells.indices {
      let live = cells[index].live.sorted { $0.key < $1.key }
      memberCounts.append(Int32(live.count))
      for (member, dots) in live {
        members.append(member)
        inclusionCounts.append(Int32(dots.count))
        inclusions += dots.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      }
    }
    texts.encode(into: &encoder)
    encoder.write(column: rows)
    encoder.write(column: cells.indices.map { cells[$0].field })
    encoder.write(column: members)
    encoder.write(column: memberCounts)
    encoder.write(column: inclusions.map(\.branch))
    encoder.write(column: inclusions.map(\.sequence))
    encoder.write(column: inclusionCounts)
  }

  /// Reads sets, in pages; `heads` gets the first set of each row, `table` each one's number.
  init(
    from decoder: inout ColumnDecoder, _ names: FoldNames, _ heads: inout RowHeads,
    _ table: inout IndexTable
  ) throws(ColumnFault) {
    self.init()
    texts = try ByteInterner(from: &decoder)
    let rows: [Int32] = try decoder.column(below: heads.first.count)
    let fields: [Int32] = try decoder.column(rows.count, below: names.fieldCount)
    let members: [Int32] = try decoder.column(below: texts.count)
    let memberCounts = try decoder.counts(rows.count, total: members.count)
    let branches: [Int32] = try decoder.column(below: names.branches.count)
    let sequences: [Int64] = try decoder.column(branches.count, in: 1...LineLimits.sequenceMax)
    let counts = try decoder.counts(members.count, from: 1, total: branches.count)
    guard branches.indices.allSatisfy({ names.holds(branches[$0], sequences[$0]) }) else {
      throw ColumnFault()
    }
    var member = 0
    var start = 0
    for index in rows.indices {
      guard table.insertIfNew(rows[index], fields[index], Int32(index)) else {
        throw ColumnFault()
      }
      var cell = Cell(field: fields[index], next: heads.add(index, row: rows[index]))
      for _ in 0..<memberCounts[index] {
        let end = start + Int(counts[member])
        guard cell.live[members[member]] == nil else { throw ColumnFault() }
        cell.live[members[member]] = Dictionary(
          zip(branches[start..<end], sequences[start..<end]), uniquingKeysWith: max)
        start = end
        member += 1
      }
      cells.append(cell)
    }
    paginate()
  }
}
