extension ClockHistory {
  func encode(into encoder: inout ColumnEncoder) {
    var devices: [Int32] = []
    var others: [Int32] = []
    var counts: [Int32] = []
    var sequences: [Int64] = []
    var seen: [Int64] = []
    for branch in branches {
      let marks = (0..<markCount(of: branch)).map { mark($0, of: branch) }
      for (other, marks) in Dictionary(grouping: marks, by: \.other).sorted(by: { $0.key < $1.key })
      {
        devices.append(Int32(branch))
        others.append(other)
        counts.append(Int32(marks.count))
        sequences += marks.map(\.sequence)
        seen += marks.map(\.seen)
      }
    }
    encoder.write(column: devices)
    encoder.write(column: others)
    encoder.write(column: sequences)
    encoder.write(column: seen)
    encoder.write(column: counts)
  }

  init(from decoder: inout ColumnDecoder, branchCount: Int) throws(ColumnFault) {
    self.init()
    let devices: [Int32] = try decoder.column(below: branchCount)
    let others: [Int32] = try decoder.column(devices.count, below: branchCount)
    let sequences: [Int64] = try decoder.column(in: 1...LineLimits.sequenceMax)
    let seen: [Int64] = try decoder.column(sequences.count, in: 1...LineLimits.sequenceMax)
    let counts = try decoder.counts(devices.count, from: 1, total: sequences.count)
    var marks: [(sequence: Int64, other: Int32, seen: Int64)] = []
    var start = 0
    for index in devices.indices {
      if index > 0 {
        guard (devices[index - 1], others[index - 1]) < (devices[index], others[index]) else {
          throw ColumnFault()
        }
      }
      let range = start..<(start + Int(counts[index]))
      start = range.upperBound
      // Searches rely on both ascending.
      for place in range.dropFirst() {
        guard sequences[place - 1] < sequences[place], seen[place - 1] < seen[place] else {
          throw ColumnFault()
        }
      }
      for place in range { marks.append((sequences[place], others[index], seen[place])) }
      guard index + 1 == devices.count || devices[index + 1] != devices[index] else { continue }
      marks.sort { ($0.sequence, $0.other) < ($1.sequence, $1.other) }
      for mark in marks {
        add(Int(devices[index]), mark.sequence, sees: Int(mark.other), upTo: mark.seen)
      }
      marks.removeAll(keepingCapacity: true)
    }
  }
}
