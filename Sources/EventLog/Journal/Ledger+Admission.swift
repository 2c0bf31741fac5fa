extension Ledger {
  /// What becomes of a line.
  package enum Admission {
    /// It is an event of this branch, the last there.
    case applied(Int)
    /// It is held already.
    case duplicate(Int)
    /// Something that it needs was not read yet: the event before it, or one that it has seen.
    case waiting
    /// Its device belongs to another user, or begins without a `device.joined`.
    case refused(JournalProblem.Code)
  }

  /// Takes one event into account and moves its branch's clock to it.
  ///
  /// - Parameters:
  ///   - absent: entries of `seen` that count for nothing, by their place.
  ///   - isSettling: whether all lines are known, and missing events have their places.
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
    let place = self.place(layout, device, isSettling)
    switch place {
    case .behind, .root: break
    case .held(let branch): return .duplicate(branch)
    case .unknown: return .waiting
    }
    guard resolve(layout, canonical, without: absent) else { return .waiting }
    let branch = grow(layout, device, place)
    for point in resolved { see(point, by: branch, at: layout.sequence) }
    return .applied(branch)
  }

  /// Where a line goes.
  private enum Place {
    /// It goes on from this event.
    case behind(Point)
    /// It begins a history.
    case root
    /// It is held already, in this branch.
    case held(Int)
    /// What it goes on from was not read yet.
    case unknown
  }

  @inline(__always)
  private mutating func place(_ layout: LineLayout, _ device: Int, _ isSettling: Bool) -> Place {
    let current = Int(devices[device].current)
    if current >= 0, branches[current].last &+ 1 == layout.sequence,
      branches[current].lastChain == layout.checksum.before,
      isSettling || devices[device].greatestPlace.sequence == 0
    {
      return .behind(
        Point(branch: Int32(truncatingIfNeeded: current), sequence: layout.sequence &- 1))
    }
    return placeSlowly(layout, device, isSettling)
  }

  @inline(never)
  private mutating func placeSlowly(
    _ layout: LineLayout, _ device: Int, _ isSettling: Bool
  ) -> Place {
    if let point = locate(device, layout.sequence, layout.checksum.chain) {
      if isHeld(point) { return .held(Int(point.branch)) }
      mustReread = true
      return .unknown
    }
    // What others go on from may be another event than was presumed.
    if !isSettling, layout.sequence <= devices[device].greatestPlace.sequence {
      mustReread = true
      return .unknown
    }
    if layout.sequence == 1 { return .root }
    return locate(device, layout.sequence - 1, layout.checksum.before).map { .behind($0) }
      ?? .unknown
  }

  /// Finds the events that a line has seen; false if one of them was not read yet.
  @inline(__always)
  private mutating func resolve(
    _ layout: LineLayout, _ canonical: Span<UInt8>, without absent: Set<Int>
  ) -> Bool {
    while !resolved.isEmpty { resolved.removeLast() }
    for place in layout.seen.indices {
      let entry = layout.seen[place]
      let other = self.device(of: entry, in: layout, canonical)
      if !absent.isEmpty, absent.contains(place) { continue }
      guard let point = locate(other, entry.sequence, entry.chain) else { return false }
      resolved.append(point)
    }
    return true
  }

  /// Puts a line behind the event that it goes on from.
  @inline(__always)
  private mutating func grow(_ layout: LineLayout, _ device: Int, _ place: Place) -> Int {
    var branch = -1
    if case .behind(let point) = place, branches[Int(point.branch)].last == point.sequence {
      branch = Int(point.branch)
    } else {
      var parent: Point?
      if case .behind(let point) = place { parent = point }
      branch = begin(device, layout.sequence, after: parent, isMissing: false)
    }
    append(
      layout.checksum.chain, at: layout.version == 1 ? layout.atMilliseconds : nil, to: branch)
    if devices[device].current != branch {
      devices[device].current = Int32(truncatingIfNeeded: branch)
    }
    return branch
  }

  /// Puts one more event at the end of a branch.
  @inline(__always)
  private mutating func append(_ chain: UInt32, at time: Int64? = nil, to branch: Int) {
    branches[branch].append(chain, at: time)
    let device = branches[branch].device
    guard devices[Int(device)].isIndexed else { return }
    index(Point(branch: Int32(branch), sequence: branches[branch].last))
  }

  /// Begins a branch, which has no event yet.
  @inline(never)
  private mutating func begin(
    _ device: Int, _ first: Int64, after parent: Point?, isMissing: Bool
  ) -> Int {
    let branch = branches.count
    branches.append(
      Branch(
        device: Int32(device), parent: parent?.branch ?? -1, after: parent?.sequence ?? 0,
        first: first, isMissing: isMissing))
    link(branch)
    if isPaginated { branches[branch].chains.paginate() }
    rows.append(ClockRow())
    devices[device].branches.append(Int32(branch))
    if devices[device].branches.count > Self.unindexedBranchesMax, !devices[device].isIndexed {
      index(device: device)
    }
    return branch
  }

  /// Takes note of a line that begins a branch: a fork, unless it is the first of its device.
  @inline(never)
  mutating func noteFork(_ branch: Int, at position: LinePosition) {
    let device = Int(branches[branch].device)
    guard branches[branch].parent >= 0 || devices[device].branches.first != Int32(branch) else {
      return
    }
    namings[Int32(branch)] = Naming(line: position.number, byte: position.offset)
  }

  /// Gives a missing event its place.
  mutating func addPlace(
    _ device: Int, _ sequence: Int64, _ chain: UInt32, after parent: Point?, named naming: Naming
  ) {
    let branch = begin(device, sequence, after: parent, isMissing: true)
    append(chain, to: branch)
    namings[Int32(branch)] = naming
    if (sequence, chain) > devices[device].greatestPlace {
      devices[device].greatestPlace = (sequence, chain)
    }
  }

  /// Gives an event that nothing names the place that it gets from a line which names it.
  mutating func addPlace(of event: FullEventID, named naming: Naming) {
    let device = add(names.intern(event.device.text))
    guard locate(device, event.sequence, event.chain) == nil else { return }
    // Others may have been presumed to follow another event.
    if (event.sequence, event.chain) <= devices[device].greatestPlace { mustReread = true }
    addPlace(
      device, event.sequence, event.chain, after: presumedPredecessor(of: event), named: naming)
  }

  /// The event that one which nothing names would be presumed to follow, if a line named it.
  func presumedPredecessor(of event: FullEventID) -> Point? {
    guard let device = find(event.device) else { return nil }
    var histories = PresumedHistories(of: device, self, [])
    return histories.place(
      .init(device: Int32(device), sequence: event.sequence, chain: event.chain)
    ).flatMap { locate(device, $0.sequence, $0.chain) }
  }

  /// Takes note that an event has seen another one, and with it that one's history.
  @inline(__always)
  private mutating func see(_ point: Point, by branch: Int, at sequence: Int64) {
    if seen(Int(point.branch), by: branch) >= point.sequence { return }
    raise(point, by: branch, at: sequence)
  }

  private mutating func raise(_ point: Point, by branch: Int, at sequence: Int64) {
    var (other, known) = (Int(point.branch), point.sequence)
    // Whoever has seen the event that a branch goes on from has seen what is before it, too.
    while other >= 0, seen(other, by: branch) < known {
      rows[branch][other] = known
      if !isHistoryTold { history.add(branch, sequence, sees: other, upTo: known) }
      branches[branch].firstMark = min(branches[branch].firstMark, sequence)
      branches[branch].lastMark = sequence
      (other, known) = (Int(branches[other].parent), branches[other].after)
    }
  }

  /// The number of a line's device, given now if it has none.
  @inline(__always)
  mutating func device(of layout: LineLayout, _ canonical: Span<UInt8>) -> Int {
    let known = numberedNames.value(layout.names.device, of: layout.names.reading)
    if known >= 0 { return known }
    previousDevice = add(names.intern(canonical, layout.device, likely: previousDevice))
    numberedNames.note(previousDevice, under: layout.names.device, of: layout.names.reading)
    return previousDevice
  }

  /// The number of a device of whose events a line has seen one, given now if it has none.
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
