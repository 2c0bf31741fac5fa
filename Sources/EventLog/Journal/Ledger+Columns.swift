extension Ledger {
  package func encode(into encoder: inout ColumnEncoder) {
    names.encode(into: &encoder)
    encodeDevices(into: &encoder)
    encodeBranches(into: &encoder)
    let entries = rows.map(\.entries)
    encoder.write(column: entries.flatMap { $0.map(\.branch) })
    encoder.write(column: entries.flatMap { $0.map(\.sequence) })
    encoder.write(column: entries.map { Int32($0.count) })
    history.encode(into: &encoder)
    index.encode(into: &encoder)
    let lost = losses.sorted { $0.key < $1.key }
    encoder.write(strings: lost.map { Array($0.key.description.utf8)[...] })
    encoder.write(column: lost.map(\.value))
    users.encode(into: &encoder)
  }

  private func encodeDevices(into encoder: inout ColumnEncoder) {
    encoder.write(devices.count)
    for device in devices {
      encoder.write(device.isForeign)
    }
  }

  private func encodeBranches(into encoder: inout ColumnEncoder) {
    encoder.write(column: branches.map(\.device))
    encoder.write(column: branches.map(\.parent))
    encoder.write(column: branches.map(\.after))
    encoder.write(column: branches.map(\.first))
    encoder.write(column: branches.map { $0.isMissing ? 1 : 0 as UInt8 })
    encoder.write(column: branches.map(\.lastAt))
    encoder.write(column: branches.map { Int32($0.chains.count) })
    var chains: [UInt32] = []
    for branch in branches { branch.chains.forEachPage { chains += $0 } }
    encoder.write(column: chains)
    let places = namings.sorted { $0.key < $1.key }
    encoder.write(column: places.map(\.key))
    encoder.write(column: places.map(\.value.line))
    encoder.write(column: places.map(\.value.byte))
  }

  package init(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    self.init()
    names = try ByteInterner(from: &decoder)
    guard (0..<names.count).allSatisfy({ DeviceID(names.text($0)) != nil }) else {
      throw ColumnFault()
    }
    for _ in 0..<Int(try decoder.number(in: 0...Int64(names.count))) {
      var device = Device()
      device.isForeign = try decoder.flag()
      devices.append(device)
    }
    try decodeBranches(from: &decoder)
    try decodeRows(from: &decoder)
    history = try ClockHistory(from: &decoder, branchCount: branches.count)
    for branch in branches.indices {
      let markCount = history.markCount(of: branch)
      if markCount > 0 {
        branches[branch].firstMark = history.mark(0, of: branch).sequence
        branches[branch].lastMark = history.mark(markCount - 1, of: branch).sequence
      }
      link(branch)
    }
    index = try LineIndex(from: &decoder, branchCount: branches.count)
    let lost = try decoder.strings()
    let firsts: [Int64] = try decoder.column(lost.count, in: 1...LineLimits.sequenceMax)
    for (place, text) in lost.enumerated() {
      guard let event = FullEventID(String(decoding: text, as: UTF8.self)) else {
        throw ColumnFault()
      }
      losses[event] = firsts[place]
    }
    users = try JournalUsers(from: &decoder, deviceCount: devices.count)
    guard broken.isEmpty else { throw ColumnFault() }
  }

  private mutating func decodeBranches(
    from decoder: inout ColumnDecoder
  ) throws(ColumnFault) {
    let sequences = 0...LineLimits.sequenceMax
    let owners: [Int32] = try decoder.column(below: devices.count)
    let count = owners.count
    let parents: [Int32] = try decoder.column(count, below: count, orNone: true)
    let afters: [Int64] = try decoder.column(count, in: sequences)
    let firsts: [Int64] = try decoder.column(count, in: 1...LineLimits.sequenceMax)
    let missing: [UInt8] = try decoder.column(count, in: 0...1)
    let times: [Int64] = try decoder.column(count, in: Timestamp.range)
    let lengths: [Int32] = try decoder.column(count, in: 1...Int64(Int32.max))
    var chains: PackedColumn<UInt32> = try decoder.packed(
      lengths.reduce(0) { $0 + Int($1) }, in: 0...Int64(UInt32.max))
    for index in 0..<count {
      let own = chains.take(Int(lengths[index]))
      try append(
        Branch(
          device: owners[index], parent: parents[index], after: afters[index],
          first: firsts[index], isMissing: missing[index] == 1,
          chains: PagedArray(own), lastChain: own[own.count - 1], lastAt: times[index]))
    }
    for device in devices.indices
    where devices[device].branches.count > Self.unindexedBranchesMax {
      index(device: device)
    }
    try decodeNamings(from: &decoder)
  }

  /// Adds a branch that was stored, if it can be one.
  private mutating func append(_ branch: Branch) throws(ColumnFault) {
    guard branch.last <= LineLimits.sequenceMax, (branch.parent < 0) == (branch.after == 0),
      branch.parent < branches.count, branch.after < branch.first,
      branch.isMissing || branch.after + 1 == branch.first,
      branch.parent < 0
        || branches[Int(branch.parent)].device == branch.device
          && branches[Int(branch.parent)].contains(branch.after)
    else { throw ColumnFault() }
    let index = Int32(branches.count)
    branches.append(branch)
    let device = Int(branch.device)
    devices[device].branches.append(index)
    devices[device].current = index
    if branch.isMissing, (branch.first, branch.chains[0]) > devices[device].greatestPlace {
      devices[device].greatestPlace = (branch.first, branch.chains[0])
    }
  }

  private mutating func decodeNamings(
    from decoder: inout ColumnDecoder
  ) throws(ColumnFault) {
    let places: [Int32] = try decoder.column(below: branches.count)
    let lines: [Int] = try decoder.column(places.count, in: 0...LineLimits.sequenceMax)
    let bytes: [Int64] = try decoder.column(places.count, in: 0...(1 << 60))
    for index in places.indices {
      namings[places[index]] = Naming(line: lines[index], byte: bytes[index])
    }
  }

  private mutating func decodeRows(from decoder: inout ColumnDecoder) throws(ColumnFault) {
    let count = branches.count
    let others: [Int32] = try decoder.column(below: count)
    let seen: [Int64] = try decoder.column(others.count, in: 1...LineLimits.sequenceMax)
    let counts = try decoder.counts(count, total: others.count)
    rows = [ClockRow](repeating: ClockRow(), count: count)
    var place = 0
    for branch in 0..<count {
      for _ in 0..<counts[branch] {
        rows[branch][Int(others[place])] = seen[place]
        place += 1
      }
    }
  }
}

extension JournalUsers {
  fileprivate func encode(into encoder: inout ColumnEncoder) {
    encoder.write(optional: user)
    encoder.write(strings: adopted.sorted { $0.lexicographicallyPrecedes($1) }.map { $0[...] })
    let adoptions = adoptions.sorted { one, other in
      if one.device != other.device { return one.device < other.device }
      if one.from != other.from { return one.from.lexicographicallyPrecedes(other.from) }
      return one.to.lexicographicallyPrecedes(other.to)
    }
    let joinings = joinings.sorted { $0.key < $1.key }.flatMap { device, all in
      all.sorted { $0.precedes($1) }.map { (device: device, joining: $0) }
    }
    encoder.write(column: joinings.map { Int32($0.device) })
    encoder.write(strings: joinings.map { $0.joining.user[...] })
    encoder.write(strings: joinings.map { $0.joining.name[...] })
    encoder.write(adoptions.count)
    for adoption in adoptions {
      encoder.write(adoption.device)
      encoder.write(text: String(decoding: adoption.from, as: UTF8.self))
      encoder.write(text: String(decoding: adoption.to, as: UTF8.self))
    }
  }

  fileprivate init(
    from decoder: inout ColumnDecoder, deviceCount: Int
  ) throws(ColumnFault) {
    self.init()
    user = try decoder.optionalText()
    guard user.map(Self.isValid) ?? true else { throw ColumnFault() }
    for user in try decoder.strings() { adopted.insert(Array(user)) }
    let devices: [Int32] = try decoder.column(below: deviceCount)
    let (joined, called) = (try decoder.strings(), try decoder.strings())
    guard joined.count == devices.count, called.count == devices.count else { throw ColumnFault() }
    for (place, device) in devices.enumerated() {
      let user = String(decoding: joined[place], as: UTF8.self)
      guard Self.isValid(user: user) else { throw ColumnFault() }
      _ = add(
        Joining(user: user, name: String(decoding: called[place], as: UTF8.self)), of: Int(device))
    }
    for _ in 0..<(try decoder.count()) {
      let device = Int(try decoder.number(in: 0...Int64(max(0, deviceCount - 1))))
      _ = add(Adoption(device: device, from: try decoder.text(), to: try decoder.text()))
    }
  }
}
