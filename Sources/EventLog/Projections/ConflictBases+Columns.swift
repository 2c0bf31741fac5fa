extension ConflictBases {
  package func encode(into encoder: inout ColumnEncoder) {
    let entries = values.sorted { $0.key.isBefore($1.key) }
    encoder.write(column: entries.map(\.key.row))
    encoder.write(column: entries.map(\.key.field))
    encoder.write(dots: entries.flatMap(\.key.candidates))
    encoder.write(column: entries.map { Int32($0.key.candidates.count) })
    encoder.write(column: entries.map { $0.value == nil ? 0 : 1 as UInt8 })
    encoder.write(values: entries.compactMap { $0.value.map { Array($0.text.utf8)[...] } })
  }

  /// - Parameter branches: the events of each branch of the ledger that belongs to them.
  package init(
    from decoder: inout ColumnDecoder, branches: [ClosedRange<Int64>]
  ) throws(ColumnFault) {
    let names = FoldNames(branches: branches)
    let rows: [Int32] = try decoder.column(in: 0...Int64(Int32.max))
    let fields: [Int32] = try decoder.column(rows.count, in: -1...Int64(Int32.max))
    let dots = try decoder.dots(names)
    let counts = try decoder.counts(rows.count, total: dots.count)
    let present: [UInt8] = try decoder.column(rows.count, in: 0...1)
    let values = try CanonicalValues(present.count { $0 == 1 }, from: &decoder)
    var found: [Key: JSONValue?] = [:]
    var start = 0
    var place = 0
    for index in rows.indices {
      let end = start + Int(counts[index])
      var value: JSONValue?
      if present[index] == 1 {
        value = JSONValue(canonical: values.bytes[values.ranges[place].range])
        place += 1
      }
      found.updateValue(
        value,
        forKey: Key(row: rows[index], field: fields[index], candidates: Array(dots[start..<end])))
      start = end
    }
    self.init(found)
  }
}

extension ConflictBases.Key {
  fileprivate init(row: Int32, field: Int32, candidates: [Dot]) {
    self.row = row
    self.field = field
    self.candidates = candidates
  }

  /// An order that says nothing, but is the same each time.
  fileprivate func isBefore(_ other: Self) -> Bool {
    if row != other.row { return row < other.row }
    func numbers(_ key: Self) -> [Int64] {
      [Int64(key.field)] + key.candidates.flatMap { [Int64($0.branch), $0.sequence, $0.at] }
    }
    return numbers(self).lexicographicallyPrecedes(numbers(other))
  }
}
