extension Ledger {
  /// The result of admitting a line.
  package enum Admission {
    /// The event was added at the end of this branch.
    case applied(Int)
    /// The event is already held in this branch.
    case duplicate(Int)
    /// An event that it needs was not read yet: its predecessor or one that it has seen.
    case waiting
    /// Its device belongs to another user or begins without a `device.joined`.
    case refused(JournalProblem.Code)
  }

  /// Admits one event and advances its branch's clock to it.
  ///
  /// - Parameters:
  ///   - absent: The indexes of entries of `seen` that don't count.
  ///   - isSettling: Whether all lines are known and missing events are placed.
  @inline(__always)
  package mutating func admit(
    _ layout: LineLayout, canonical: Span<UInt8>, without absent: Set<Int> = [],
    isSettling: Bool = false
  ) -> Admission {
    let device = self.device(of: layout, canonical)
    if layout.sequence == 1 {
      guard let joining = Joining(layout, canonical) else { return .refused(.notJoined) }
      note(joining, of: device)
    }
    if devices[device].isForeign { return .refused(.otherUser) }
    let placement = self.placement(layout, device, isSettling)
    switch placement {
    case .after, .root: break
    case .held(let branch): return .duplicate(branch)
    case .unknown: return .waiting
    }
    guard resolve(layout, canonical, without: absent) else { return .waiting }
    let branch = grow(layout, device, placement)
    if layout.sequence == 1 { noteSource(of: branch, layout, canonical) }
    for point in resolved { see(point, by: branch, at: layout.sequence) }
    return .applied(branch)
  }

  /// A line's relation to the histories.
  private enum Placement {
    /// It continues this event.
    case after(Point)
    /// It begins a history.
    case root
    /// It is already held in this branch.
    case held(Int)
    /// Its predecessor was not read yet.
    case unknown
  }

  @inline(__always)
  private mutating func placement(
    _ layout: LineLayout, _ device: Int, _ isSettling: Bool
  ) -> Placement {
    let current = Int(devices[device].current)
    if current >= 0, branches[current].last &+ 1 == layout.sequence,
      branches[current].lastChain == layout.checksum.before,
      isSettling || devices[device].greatestMissing.sequence == 0
    {
      return .after(
        Point(branch: Int32(truncatingIfNeeded: current), sequence: layout.sequence &- 1))
    }
    return slowPlacement(layout, device, isSettling)
  }

  @inline(never)
  private mutating func slowPlacement(
    _ layout: LineLayout, _ device: Int, _ isSettling: Bool
  ) -> Placement {
    if let point = locate(device, layout.sequence, layout.checksum.chain) {
      if isHeld(point) { return .held(Int(point.branch)) }
      mustReread = true
      return .unknown
    }
    // The presumed predecessor of missing events may change.
    if !isSettling, layout.sequence <= devices[device].greatestMissing.sequence {
      mustReread = true
      return .unknown
    }
    if layout.sequence == 1 { return .root }
    return locate(device, layout.sequence - 1, layout.checksum.before).map { .after($0) }
      ?? .unknown
  }

  /// Finds the events that a line has seen.
  ///
  /// Returns false if one of them was not read yet.
  @inline(__always)
  private mutating func resolve(
    _ layout: LineLayout, _ canonical: Span<UInt8>, without absent: Set<Int>
  ) -> Bool {
    while !resolved.isEmpty { resolved.removeLast() }
    for index in layout.seen.indices {
      let entry = layout.seen[index]
      let other = self.device(of: entry, in: layout, canonical)
      if !absent.isEmpty, absent.contains(index) { continue }
      guard let point = locate(other, entry.sequence, entry.chain) else { return false }
      resolved.append(point)
    }
    return true
  }

  /// Adds an event after its predecessor.
  @inline(__always)
  private mutating func grow(_ layout: LineLayout, _ device: Int, _ placement: Placement) -> Int {
    var branch = -1
    if case .after(let point) = placement, branches[Int(point.branch)].last == point.sequence {
      branch = Int(point.branch)
    } else {
      var parent: Point?
      if case .after(let point) = placement { parent = point }
      branch = begin(device, layout.sequence, after: parent, isMissing: false)
    }
    append(
      layout.checksum.chain, at: layout.version == 1 ? layout.atMilliseconds : nil, to: branch)
    if devices[device].current != branch {
      devices[device].current = Int32(truncatingIfNeeded: branch)
    }
    return branch
  }

  /// Adds an event to the end of a branch.
  @inline(__always)
  private mutating func append(_ chain: UInt32, at time: Int64? = nil, to branch: Int) {
    branches[branch].append(chain, at: time)
    let device = branches[branch].device
    guard devices[Int(device)].isIndexed else { return }
    index(Point(branch: Int32(branch), sequence: branches[branch].last))
  }

  /// Begins a branch without events.
  @inline(never)
  private mutating func begin(
    _ device: Int, _ first: Int64, after parent: Point?, isMissing: Bool
  ) -> Int {
    let branch = branches.count
    branches.append(
      Branch(
        device: Int32(device), parent: parent?.branch ?? -1, after: parent?.sequence ?? 0,
        first: first, isMissing: isMissing,
        source: parent.map { branches[Int($0.branch)].source } ?? -1))
    link(branch)
    if isPaginated { branches[branch].chains.paginate() }
    rows.append(ClockRow())
    devices[device].branches.append(Int32(branch))
    if devices[device].branches.count > Self.unindexedBranchesMax, !devices[device].isIndexed {
      index(device: device)
    }
    return branch
  }

  /// Records the line that begins a branch as a fork, unless it is the first of its device.
  @inline(never)
  mutating func noteFork(_ branch: Int, at position: LinePosition) {
    let device = Int(branches[branch].device)
    guard branches[branch].parent >= 0 || devices[device].branches.first != Int32(branch) else {
      return
    }
    namings[Int32(branch)] = Naming(line: position.number, byte: position.offset)
  }

  /// Adds a missing event after its presumed predecessor.
  mutating func addMissing(
    _ device: Int, _ sequence: Int64, _ chain: UInt32, after parent: Point?, named naming: Naming
  ) {
    let branch = begin(device, sequence, after: parent, isMissing: true)
    append(chain, to: branch)
    namings[Int32(branch)] = naming
    if (sequence, chain) > devices[device].greatestMissing {
      devices[device].greatestMissing = (sequence, chain)
    }
  }

  /// Adds a missing event that no line has named yet, as if this line named it.
  mutating func addMissing(of event: FullEventID, named naming: Naming) {
    let device = add(names.intern(event.device.text))
    guard locate(device, event.sequence, event.chain) == nil else { return }
    // Others may have been presumed to follow another event.
    if (event.sequence, event.chain) <= devices[device].greatestMissing { mustReread = true }
    addMissing(
      device, event.sequence, event.chain, after: presumedPredecessor(of: event), named: naming)
  }

  /// The predecessor that would be presumed for a missing event if a line named it.
  func presumedPredecessor(of event: FullEventID) -> Point? {
    guard let device = find(event.device) else { return nil }
    var histories = GapPlacement(of: device, self, [])
    return histories.place(
      .init(device: Int32(device), sequence: event.sequence, chain: event.chain)
    ).flatMap { locate(device, $0.sequence, $0.chain) }
  }

  /// Records that an event has seen another one and its history.
  @inline(__always)
  private mutating func see(_ point: Point, by branch: Int, at sequence: Int64) {
    if seen(Int(point.branch), by: branch) >= point.sequence { return }
    raise(point, by: branch, at: sequence)
  }

  private mutating func raise(_ point: Point, by branch: Int, at sequence: Int64) {
    var (other, known) = (Int(point.branch), point.sequence)
    // An event that has seen the start of a branch has also seen the history before it.
    while other >= 0, seen(other, by: branch) < known {
      rows[branch][other] = known
      if !isHistoryTold { history.add(branch, sequence, sees: other, upTo: known) }
      branches[branch].firstMark = min(branches[branch].firstMark, sequence)
      branches[branch].lastMark = sequence
      (other, known) = (Int(branches[other].parent), branches[other].after)
    }
  }

  /// Returns the number of a line's device and assigns one if it is new.
  @inline(__always)
  mutating func device(of layout: LineLayout, _ canonical: Span<UInt8>) -> Int {
    let known = numberedNames.value(layout.names.device, of: layout.names.reading)
    if known >= 0 { return known }
    previousDevice = add(names.intern(canonical, layout.device, likely: previousDevice))
    numberedNames.note(previousDevice, under: layout.names.device, of: layout.names.reading)
    return previousDevice
  }

  /// Returns the number of the device of a `seen` entry and assigns one if it is new.
  @inline(__always)
  mutating func device(
    of entry: SeenEntry, in layout: LineLayout, _ canonical: Span<UInt8>
  ) -> Int {
    let known = numberedNames.value(entry.name, of: layout.names.reading)
    if known >= 0 { return known }
    let device = add(names.intern(canonical, entry.device))
    numberedNames.note(device, under: entry.name, of: layout.names.reading)
    return device
  }

  mutating func add(_ device: Int) -> Int {
    while devices.count <= device { devices.append(Device()) }
    return device
  }
}
