extension Ledger {
  package func encode(into encoder: inout ColumnEncoder) {
    names.encode(into: &encoder)
    encoder.write(column: devices.map(\.last))
    encoder.write(column: devices.map(\.reached))
    encoder.write(column: devices.map { $0.fork ?? 0 })
    encoder.write(column: devices.map(\.checksum.line))
    encoder.write(column: devices.map(\.checksum.chain))
    encoder.write(column: devices.map { $0.isStopped ? 1 : 0 as UInt8 })
    encoder.write(column: devices.map(\.eventCount))
    encoder.write(column: devices.map(\.lastAt))
    encoder.write(strings: devices.map { Array($0.name.utf8)[...] })
    let entries = (hasAliases ? reissuedEvents[0].statedRows : rows).map(\.entries)
    encoder.write(column: entries.flatMap { $0.map(\.device) })
    encoder.write(column: entries.flatMap { $0.map(\.sequence) })
    encoder.write(column: entries.map { Int32($0.count) })
    history.encode(into: &encoder)
    index.encode(into: &encoder)
    encoder.write(!reissuedEvents.isEmpty)
    reissuedEvents.first?.encode(into: &encoder)
    encoder.write(optional: user)
    let adopted = adoptedUsers.sorted { $0.lexicographicallyPrecedes($1) }
    encoder.write(strings: adopted.map { $0[...] })
  }

  package init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    self.init()
    names = try ByteInterner(from: &decoder)
    let count = names.count
    guard (0..<count).allSatisfy({ DeviceID(names.text($0)) != nil }) else { throw ColumnFault() }
    try decodeDevices(count, from: &decoder)
    try decodeRows(count, from: &decoder)
    history = try ClockHistory(from: &decoder, deviceCount: count)
    index = try LineIndex(from: &decoder, deviceCount: count)
    if try decoder.flag() {
      reissuedEvents = [try ReissuedEvents(from: &decoder, lasts: devices.map(\.last))]
      raiseRows()
    }
    user = try decoder.optionalText()
    guard user.map(Self.isValid) ?? true else { throw ColumnFault() }
    for user in try decoder.strings() { adoptedUsers.insert(Array(user)) }
  }

  private mutating func decodeDevices(
    _ count: Int, from decoder: inout ColumnDecoder
  ) throws(ColumnFault) {
    let sequences = 0...LineLimits.sequenceMax
    let last: [Int64] = try decoder.column(count, in: sequences)
    let reached: [Int64] = try decoder.column(count, in: sequences)
    let forks: [Int64] = try decoder.column(count, in: sequences)
    let lines: [UInt32] = try decoder.column(count, in: 0...Int64(UInt32.max))
    let chains: [UInt32] = try decoder.column(count, in: 0...Int64(UInt32.max))
    let stopped: [UInt8] = try decoder.column(count, in: 0...1)
    let eventCounts: [Int] = try decoder.column(count, in: sequences)
    let times: [Int64] = try decoder.column(count, in: Timestamp.range)
    let strings = try decoder.strings()
    guard strings.count == count else { throw ColumnFault() }
    for index in 0..<count {
      guard reached[index] <= last[index], Int64(eventCounts[index]) <= last[index],
        let name = String(validating: strings[index], as: UTF8.self)
      else { throw ColumnFault() }
      devices.append(
        Device(
          last: last[index], reached: reached[index],
          fork: forks[index] == 0 ? nil : forks[index],
          checksum: LineChecksum(line: lines[index], chain: chains[index]),
          isStopped: stopped[index] == 1, eventCount: eventCounts[index], lastAt: times[index],
          name: name))
    }
  }

  /// Moves the rows that were stated by what was seen under another name.
  private mutating func raiseRows() {
    hasAliases = !reissuedEvents[0].aliases.isEmpty
    guard hasAliases else { return }
    reissuedEvents[0].statedRows = rows
    for (device, known) in reissuedEvents[0].history.marks {
      for (other, marks) in known {
        rows[device][other] = max(rows[device][other], marks.last?.seen ?? 0)
      }
    }
  }

  private mutating func decodeRows(
    _ count: Int, from decoder: inout ColumnDecoder
  ) throws(ColumnFault) {
    let others: [Int32] = try decoder.column(below: count)
    let seen: [Int64] = try decoder.column(others.count, in: 1...LineLimits.sequenceMax)
    let counts = try decoder.counts(count, total: others.count)
    rows = [ClockRow](repeating: ClockRow(), count: count)
    var place = 0
    for device in 0..<count {
      for _ in 0..<counts[device] {
        rows[device][Int(others[place])] = seen[place]
        place += 1
      }
    }
  }
}

extension ClockRow {
  /// What was seen, by device.
  var entries: [(device: Int32, sequence: Int64)] {
    let first = dense.enumerated().map { (device: Int32($0.offset), sequence: $0.element) }
    let further = sparse.map { (device: $0.key, sequence: $0.value) }
    return first.filter { $0.sequence > 0 } + further.sorted { $0.device < $1.device }
  }
}
