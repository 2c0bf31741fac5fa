extension ClockHistory {
  /// Writes the marks branch by branch, in the order in which each learned.
  func encode(into encoder: inout ColumnEncoder) {
    let counts = branches.map { Int32(markCount(of: $0)) }
    let marks = branches.flatMap { branch in
      (0..<markCount(of: branch)).map { mark($0, of: branch) }
    }
    encoder.write(column: counts)
    encoder.write(column: marks.map(\.sequence))
    encoder.write(column: marks.map(\.other))
    encoder.write(column: marks.map(\.seen))
  }

  init(from decoder: inout ColumnDecoder, branchCount: Int) throws(ColumnFault) {
    self.init()
    let counts: [Int32] = try decoder.column(in: 0...Int64(Int32.max))
    let total = counts.reduce(0) { $0 + Int($1) }
    guard counts.count <= branchCount else { throw ColumnFault() }
    var sequences: PackedColumn<Int64> = try decoder.packed(total, in: 1...LineLimits.sequenceMax)
    var others: PackedColumn<Int32> = try decoder.packed(total, below: branchCount)
    var seen: PackedColumn<Int64> = try decoder.packed(total, in: 1...LineLimits.sequenceMax)
    for (branch, count) in counts.enumerated() where count > 0 {
      reserve(Int(count), of: branch)
      var last: Int64 = 0
      for _ in 0..<count {
        let (sequence, other, seen) = (sequences.take(), Int(others.take()), seen.take())
        // Searches rely on both ascending.
        guard last <= sequence, self.seen(other, by: branch, at: .max) < seen else {
          throw ColumnFault()
        }
        add(branch, sequence, sees: other, upTo: seen)
        last = sequence
      }
      // What one event has seen of another branch stands once.
      guard markCount(of: branch) == Int(count) else { throw ColumnFault() }
    }
  }
}
