extension ClockHistory {
  func encode(into encoder: inout ColumnEncoder) {
    var devices: [Int32] = []
    var others: [Int32] = []
    var counts: [Int32] = []
    var sequences: [Int64] = []
    var seen: [Int64] = []
    // A dictionary's order differs from process to process; what is written does not.
    for (device, known) in marks.sorted(by: { $0.key < $1.key }) {
      for (other, marks) in known.sorted(by: { $0.key < $1.key }) {
        devices.append(Int32(device))
        others.append(Int32(other))
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
    var start = 0
    for index in devices.indices {
      let range = start..<(start + Int(counts[index]))
      start = range.upperBound
      // A search by halves asks for both in order.
      for place in range.dropFirst() {
        guard sequences[place - 1] < sequences[place], seen[place - 1] < seen[place] else {
          throw ColumnFault()
        }
      }
      let (device, other) = (Int(devices[index]), Int(others[index]))
      guard marks[device]?[other] == nil else { throw ColumnFault() }
      add(
        range.map { Mark(sequence: sequences[$0], seen: seen[$0]) }, of: device, about: other)
    }
    sortLog()
  }
}
