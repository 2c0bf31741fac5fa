extension Ledger {
  /// The sequences of each branch's events, including missing ones.
  package var sequences: [ClosedRange<Int64>] { branches.map { $0.first...$0.last } }

  package var bytes: [UInt8] {
    var ledger = self
    return TableVisitor.bytes { (visitor) throws(ColumnFault) in
      try ledger.forEachTable(&visitor)
    }
  }

  package init(from bytes: ArraySlice<UInt8>) throws(ColumnFault) {
    self = try TableVisitor.read(bytes) { (visitor) throws(ColumnFault) in
      var ledger = Ledger()
      try ledger.forEachTable(&visitor)
      return ledger
    }
    guard broken.isEmpty else { throw ColumnFault() }
  }

  /// Lets copies share the parts that neither changes.
  package mutating func paginate() {
    TableVisitor.share { (visitor) throws(ColumnFault) in try forEachTable(&visitor) }
  }

  private mutating func forEachTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    try visitor.names(&names)
    try visitor.names(&sources)
    visitor.derived(&history)
    if visitor.task == .sharing { return shareChains() }
    var foreign = devices.map(\.isForeign)
    try visitor.rows(&foreign, false, [Column(flag: \.self)])
    if visitor.isReading {
      guard foreign.count <= names.count,
        (0..<names.count).allSatisfy({ DeviceID(names.text($0)) != nil })
      else { throw ColumnFault() }
      devices = foreign.map { isForeign in
        var device = Device()
        device.isForeign = isForeign
        return device
      }
    }
    try forEachBranchTable(&visitor)
    try forEachClockTable(&visitor)
    try index.forEachTable(&visitor, branchCount: branches.count)
    var lost = losses.sorted { $0.key < $1.key }.map { (event: Optional($0.key), first: $0.value) }
    try visitor.list(&lost, (nil, 0)) { (loss, visitor) throws(ColumnFault) in
      try visitor.optional(&loss.event, \.description, { FullEventID($0) })
      try visitor.number(&loss.first, in: 1...LineLimits.sequenceMax)
    }
    for loss in lost { if let event = loss.event { losses[event] = loss.first } }
    try users.forEachTable(&visitor, deviceCount: devices.count)
    try erasures.forEachTable(&visitor)
    if visitor.isReading { try erasures.restore(self) }
  }

  // MARK: - Branches

  /// A branch without the chains of its events.
  private struct StoredBranch {
    var after: Int64 = 0
    var first: Int64 = 0
    var lastAt: Int64 = 0
    var device: Int32 = 0
    var parent: Int32 = 0
    var count: Int32 = 0
    var source: Int32 = -1
    var isMissing = false
  }

  private struct StoredNaming {
    var naming = Naming(line: 0, byte: 0)
    var branch: Int32 = 0
  }

  private mutating func forEachBranchTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    var stored = branches.map {
      StoredBranch(
        after: $0.after, first: $0.first, lastAt: $0.lastAt, device: $0.device, parent: $0.parent,
        count: Int32($0.chains.count), source: $0.source, isMissing: $0.isMissing)
    }
    try visitor.rows(
      &stored, StoredBranch(),
      [
        Column(\.device, below: devices.count), Column(\.parent, in: -1...Int64(Int32.max)),
        Column(\.after, in: 0...LineLimits.sequenceMax),
        Column(\.first, in: 1...LineLimits.sequenceMax), Column(flag: \.isMissing),
        Column(\.lastAt, in: Timestamp.range), Column(\.count, in: 1...Int64(Int32.max)),
        Column(\.source, in: -1...Int64(sources.count) - 1),
      ])
    var chains = branches.flatMap(\.chains.elements)
    try visitor.rows(&chains, 0, [Column(\.self, in: 0...Int64(UInt32.max))])
    if visitor.isReading { try addBranches(stored, chains) }
    var named = namings.sorted { $0.key < $1.key }
      .map { StoredNaming(naming: $0.value, branch: $0.key) }
    try visitor.rows(
      &named, StoredNaming(),
      [
        Column(\.branch, below: branches.count),
        Column(\.naming.line, in: 0...LineLimits.sequenceMax),
        Column(\.naming.byte, in: 0...(1 << 60)),
      ])
    for entry in named { namings[entry.branch] = entry.naming }
  }

  private mutating func addBranches(
    _ stored: [StoredBranch], _ chains: [UInt32]
  ) throws(ColumnFault) {
    var rest = chains[...]
    for branch in stored {
      let own = rest.prefix(Int(branch.count))
      guard let last = own.last, own.count == branch.count else { throw ColumnFault() }
      rest = rest.dropFirst(own.count)
      try append(
        Branch(
          device: branch.device, parent: branch.parent, after: branch.after, first: branch.first,
          isMissing: branch.isMissing, source: branch.source, chains: PagedArray(Array(own)),
          lastChain: last,
          lastAt: branch.lastAt))
    }
    guard rest.isEmpty else { throw ColumnFault() }
    for device in devices.indices
    where devices[device].branches.count > Self.unindexedBranchesMax {
      index(device: device)
    }
  }

  /// Adds a stored branch if it is valid.
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
    if branch.isMissing, (branch.first, branch.chains[0]) > devices[device].greatestMissing {
      devices[device].greatestMissing = (branch.first, branch.chains[0])
    }
  }

  // MARK: - Clocks

  /// The last event of another branch that a branch has seen.
  private struct ClockEntry {
    var sequence: Int64 = 0
    var branch: Int32 = 0
    var other: Int32 = 0
  }

  private mutating func forEachClockTable(_ visitor: inout TableVisitor) throws(ColumnFault) {
    var entries = rows.enumerated().flatMap { branch, row in
      row.entries.map {
        ClockEntry(sequence: $0.sequence, branch: Int32(branch), other: $0.branch)
      }
    }
    try visitor.rows(
      &entries, ClockEntry(),
      [
        Column(\.branch, below: branches.count), Column(\.other, below: branches.count),
        Column(\.sequence, in: 1...LineLimits.sequenceMax),
      ])
    try history.forEachTable(&visitor, branchCount: branches.count)
    guard visitor.isReading else { return }
    rows = [ClockRow](repeating: ClockRow(), count: branches.count)
    for entry in entries { rows[Int(entry.branch)][Int(entry.other)] = entry.sequence }
    for branch in branches.indices {
      let markCount = history.markCount(of: branch)
      if markCount > 0 {
        branches[branch].firstMark = history.mark(0, of: branch).sequence
        branches[branch].lastMark = history.mark(markCount - 1, of: branch).sequence
      }
      link(branch)
    }
  }
}

extension JournalUsers {
  fileprivate mutating func forEachTable(
    _ visitor: inout TableVisitor, deviceCount: Int
  ) throws(ColumnFault) {
    try visitor.text(&user)
    guard user.map(Self.isValid) ?? true else { throw ColumnFault() }
    var adopted = adoptedUsers
    try visitor.list(&adopted, "") { (user, visitor) throws(ColumnFault) in
      try visitor.text(&user)
    }
    self.adopted = Set(adopted.map { Array($0.utf8) })
    let devices = 0...Int64(max(0, deviceCount - 1))
    var joined = joinings.sorted { $0.key < $1.key }.flatMap { device, all in
      all.sorted { $0.precedes($1) }.map {
        (device: device, user: Self.text($0.user), name: Self.text($0.name))
      }
    }
    try visitor.list(&joined, (0, "", "")) { (joining, visitor) throws(ColumnFault) in
      try visitor.number(&joining.device, in: devices)
      try visitor.text(&joining.user)
      try visitor.text(&joining.name)
      guard Self.isValid(user: joining.user) else { throw ColumnFault() }
    }
    var adoptions = adoptions.sorted { one, other in
      if one.device != other.device { return one.device < other.device }
      return one.from == other.from
        ? one.to.precedes(other.to) : one.from.precedes(other.from)
    }.map { (device: $0.device, from: Self.text($0.from), to: Self.text($0.to)) }
    try visitor.list(&adoptions, (0, "", "")) { (adoption, visitor) throws(ColumnFault) in
      try visitor.number(&adoption.device, in: devices)
      try visitor.text(&adoption.from)
      try visitor.text(&adoption.to)
    }
    guard visitor.isReading else { return }
    guard deviceCount > 0 || joined.isEmpty && adoptions.isEmpty else { throw ColumnFault() }
    for joining in joined {
      _ = add(Joining(user: joining.user, name: joining.name), of: joining.device)
    }
    for adoption in adoptions {
      _ = add(Adoption(device: adoption.device, from: adoption.from, to: adoption.to))
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
