/// What fields showed before their last writes, as far as somebody may still write beside those.
///
/// The writes after each of which one value was live form a chain: each had seen the one before it,
/// and with it all that came earlier. So what a cut shows of a field is the last link of the chain
/// within the cut, if the cut holds what its events had seen. A link is kept with the one behind
/// it, which tells that it is the last.
///
/// Where somebody wrote beside the last of the chain, a contest begins. Each write of it is one of
/// its *roots*, or had seen one. So where a cut holds none of them, it holds no write of the
/// contest, and shows what the links before it tell. A write that ends a contest begins a chain
/// anew: where a cut holds all that was live before it, and not the write itself, it shows the
/// latest of that.
///
/// A link may be needed while some branch is not known to have seen the one behind it. The branches
/// that began later do not count: so what is not needed never is again, and need not be stored.
/// Where there are too many, those stay that a branch is known to have seen last, and the latest.
///
/// Memory: at most ``linksMax`` links for each field that was written more than once.
struct Predecessors<Value: Sendable & BitwiseCopyable>: Sendable, Paginated {
  struct Link: Sendable, BitwiseCopyable {
    /// A write that was replaced, or a root of a contest; its branch is −1 where the chain begins,
    /// and nothing was written before.
    var write: Ledger.Point
    /// The link or root before it, or less than 0.
    var next: Int32 = -1
    /// The write that replaced it; its branch is −1 for a root.
    var later: Ledger.Point
    /// How many branches there were then.
    var branchCount: UInt16
    /// How many links behind this one name what was live beside it; ``isBeside`` for one of those.
    var besideCount: UInt16 = 0
    /// What it showed.
    var value: Value

    static var isBeside: UInt16 { .max }
    var isRoot: Bool { later.branch < 0 }
    var isBeside: Bool { besideCount == Self.isBeside }
    /// Whether something showed, and is kept.
    var hasValue: Bool { write.branch >= 0 && later.branch >= 0 && !isBeside }
  }

  /// What is known of a cut.
  enum Finding {
    /// Nothing was written in it.
    case nothing
    case value(Value)
  }

  /// Stands for the links of a field: it was written once, or not at all.
  static var none: Int32 { -1 }
  /// Stands for the links of a field: some are not known any more, and none are kept.
  static var forgotten: Int32 { -2 }
  /// Of one field, roots counted.
  static var linksMax: Int { 8 }
  /// Of one field, without roots.
  private static var replacedMax: Int { 4 }
  /// Of what was live beside a write.
  private static var besideMax: Int { 3 }
  /// So many branches are asked whether they need a link, the last of them.
  private static var askedMax: Int { 16 }

  /// Whether anybody but the writer is known, who may need a link.
  @inline(__always)
  static func areKept(_ ledger: Ledger) -> Bool { ledger.branches.count > 1 }

  private var links = PagedArray<Link>()
  private var free = PagedArray<Int32>()

  init() {}

  mutating func paginate() {
    links.paginate()
    free.paginate()
  }

  // MARK: - Keeping

  /// Takes note that a write was replaced.
  ///
  /// - Parameters:
  ///   - head: the field's links; ``removeUnneeded(of:_:)`` and ``removeExcess(of:)`` come first.
  ///   - before: what `head` was before those.
  mutating func add(
    _ write: Ledger.Point, _ value: Value, nothing: Value, replacedBy later: Ledger.Point,
    to head: inout Int32, before: Int32, _ ledger: Ledger
  ) {
    if before == Self.none {
      let beginning = link(.init(branch: -1, sequence: 0), nothing, write, ledger)
      if isNeeded(beginning, ledger) { add(beginning, to: &head) } else { head = Self.forgotten }
    }
    add(link(write, value, later, ledger), to: &head)
  }

  /// Takes note that a write replaced several that were live.
  ///
  /// - Parameters:
  ///   - write: the one that showed.
  ///   - others: the others.
  /// - Returns: values that are not kept any more.
  mutating func add(
    _ write: Ledger.Point, beside others: [Ledger.Point], _ value: Value, nothing: Value,
    replacedBy later: Ledger.Point, to head: inout Int32, _ ledger: Ledger
  ) -> [Value] {
    if others.count > Self.besideMax { return [value] }
    var released: [Value] = []
    for _ in 0...others.count { makeRoom(in: &head, &released, upTo: others.count + 1) }
    for other in others {
      var link = link(other, nothing, later, ledger)
      link.besideCount = Link.isBeside
      add(link, to: &head)
    }
    var link = link(write, value, later, ledger)
    link.besideCount = UInt16(others.count)
    add(link, to: &head)
    return released
  }

  /// Takes note that the event at hand wrote a field beside the only write that was live.
  ///
  /// - Parameters:
  ///   - live: that one.
  ///   - value: what that showed, of which a copy is kept.
  ///   - head: the field's links, without any that ``removeUnneeded(of:_:)`` finds.
  /// - Returns: values that are not kept any more.
  mutating func beginContest(
    by write: Ledger.Point, beside live: Ledger.Point, _ value: Value, nothing: Value,
    in head: inout Int32, _ ledger: Ledger
  ) -> [Value] {
    var released: [Value] = []
    let before = head
    while let value = removeExcess(of: &head, ledger) { released.append(value) }
    add(live, value, nothing: nothing, replacedBy: write, to: &head, before: before, ledger)
    makeRoom(in: &head, &released)
    add(root(write, nothing), to: &head)
    return released
  }

  /// Takes note that the event at hand wrote a field that is contested.
  ///
  /// - Returns: values that are not kept any more.
  mutating func goOn(
    by write: Ledger.Point, nothing: Value, in head: inout Int32, _ ledger: Ledger
  ) -> [Value] {
    var place = head
    while place >= 0, links[Int(place)].isRoot {
      let root = links[Int(place)].write
      if ledger.seen(Int(root.branch), by: Int(write.branch)) >= root.sequence { return [] }
      place = links[Int(place)].next
    }
    var released: [Value] = []
    makeRoom(in: &head, &released)
    add(root(write, nothing), to: &head)
    return released
  }

  private func link(
    _ write: Ledger.Point, _ value: Value, _ later: Ledger.Point, _ ledger: Ledger
  ) -> Link {
    Link(
      write: write, later: later, branchCount: UInt16(clamping: ledger.branches.count),
      value: value)
  }

  private func root(_ write: Ledger.Point, _ nothing: Value) -> Link {
    Link(write: write, later: .init(branch: -1, sequence: 0), branchCount: 0, value: nothing)
  }

  /// Puts a link before the others of a field.
  mutating func add(_ link: Link, to head: inout Int32) {
    var link = link
    link.next = head
    if let place = free.popLast() {
      links[Int(place)] = link
      head = place
    } else {
      head = Int32(truncatingIfNeeded: links.count)
      links.append(link)
    }
  }

  // MARK: - Giving up

  /// Takes away one link of a field that has one live value, if it is not needed, and returns what
  /// it showed; nil if there is none.
  mutating func removeUnneeded(of head: inout Int32, _ ledger: Ledger) -> Value? {
    var (before, place) = (Int32(-1), head)
    var besideCount: UInt16 = 0
    while place >= 0 {
      let link = links[Int(place)]
      if isUnneeded(link, behind: &besideCount, ledger) {
        return remove(place, behind: before, of: &head)
      }
      (before, place) = (place, link.next)
    }
    return nil
  }

  /// - Parameter besideCount: how many links are to follow that belong to those before.
  private func isUnneeded(
    _ link: Link, behind besideCount: inout UInt16, _ ledger: Ledger
  ) -> Bool {
    if link.isBeside {
      guard besideCount > 0 else { return true }
      besideCount -= 1
      return false
    }
    // Roots are of use for what is before them.
    if link.isRoot ? link.next < 0 : !isNeeded(link, ledger) { return true }
    besideCount = link.besideCount
    return false
  }

  /// Takes away one link of a field for which no more are kept; nil where there is room.
  mutating func removeExcess(of head: inout Int32, _ ledger: Ledger) -> Value? {
    var (count, replacedCount) = (0, 0)
    var (before, place) = (Int32(-1), head)
    // The first one that no branch is known to have seen last, and the one behind it.
    var found: (before: Int32, place: Int32)?
    while place >= 0 {
      let link = links[Int(place)]
      count += 1
      if !link.isRoot, !link.isBeside { replacedCount += 1 }
      place = link.next
    }
    if replacedCount < Self.replacedMax {
      return count >= Self.linksMax ? removeLast(of: &head) : nil
    }
    place = head
    while place >= 0 {
      let link = links[Int(place)]
      if !link.isRoot, !link.isBeside, found == nil || !isNeeded(link, ledger, certainly: true) {
        found = (before, place)
      }
      (before, place) = (place, link.next)
    }
    return found.map { remove($0.place, behind: $0.before, of: &head) }
  }

  private mutating func makeRoom(
    in head: inout Int32, _ released: inout [Value], upTo added: Int = 1
  ) {
    if count(head) + added > Self.linksMax { released.append(removeLast(of: &head)) }
  }

  /// Takes away what a field showed first: what is behind it does not depend on it.
  private mutating func removeLast(of head: inout Int32) -> Value {
    var (before, place) = (Int32(-1), head)
    while links[Int(place)].next >= 0 { (before, place) = (place, links[Int(place)].next) }
    return remove(place, behind: before, of: &head)
  }

  private mutating func remove(
    _ place: Int32, behind before: Int32, of head: inout Int32
  ) -> Value {
    let link = links[Int(place)]
    if before >= 0 {
      links.update(Int(before)) { $0.next = link.next }
    } else {
      head = link.next >= 0 ? link.next : Self.forgotten
    }
    free.append(place)
    return link.value
  }

  private func count(_ head: Int32) -> Int {
    var (count, place) = (0, head)
    while place >= 0 {
      count += 1
      place = links[Int(place)].next
    }
    return count
  }

  /// Whether a branch isn't known to have seen the write that replaced the link: if each is, the
  /// link is never needed again.
  ///
  /// - Parameter isCertain: Whether that branch has to be known to have seen the link's write.
  private func isNeeded(
    _ link: Link, _ ledger: Ledger, certainly isCertain: Bool = false
  ) -> Bool {
    let end = Int(link.branchCount)
    var branch = max(0, end &- Self.askedMax)
    while branch < end {
      if ledger.seen(Int(link.later.branch), by: branch) < link.later.sequence,
        !isCertain || link.write.branch < 0
          || ledger.seen(Int(link.write.branch), by: branch) >= link.write.sequence
      {
        return true
      }
      branch &+= 1
    }
    return false
  }

  // MARK: - Reading

  /// The links of a field, the last first.
  func all(_ head: Int32) -> [Link] {
    var (found, place) = ([Link](), head)
    while place >= 0 {
      found.append(links[Int(place)])
      place = links[Int(place)].next
    }
    return found
  }

  /// The links of a field that has one live value, without those that are never needed again.
  func lasting(_ head: Int32, _ ledger: Ledger) -> [Link] {
    var found: [Link] = []
    var besideCount: UInt16 = 0
    for var link in all(head) {
      link.next = 0
      if !isUnneeded(link, behind: &besideCount, ledger) { found.append(link) }
    }
    while found.last?.isRoot == true { found.removeLast() }
    return found
  }

  /// What a cut shows of a contested field, if it holds what its events had seen, and what all
  /// candidates had seen; nil where the links do not tell.
  func find(_ head: Int32, in cut: PastCut) -> Finding? {
    var place = head
    while place >= 0 {
      let link = links[Int(place)]
      if link.isRoot {
        if cut.contains(link.write) { return nil }
      } else if !link.isBeside, !cut.contains(link.later) {
        if link.write.branch < 0 { return .nothing }
        if cut.contains(link.write), holdsBeside(link, cut) { return .value(link.value) }
      }
      place = link.next
    }
    return nil
  }

  /// Whether a cut holds all that was live beside a write.
  private func holdsBeside(_ link: Link, _ cut: PastCut) -> Bool {
    var place = link.next
    for _ in 0..<link.besideCount {
      guard place >= 0, links[Int(place)].isBeside, cut.contains(links[Int(place)].write) else {
        return false
      }
      place = links[Int(place)].next
    }
    return true
  }
}

// MARK: - Tables

extension Predecessors {
  /// A link with the cell that it belongs to.
  struct Stored: BitwiseCopyable {
    var link: Link
    var cell: Int32

    init(_ link: Link, of cell: Int32) { (self.link, self.cell) = (link, cell) }

    /// A link of no values.
    init(_ nothing: Value) {
      let none = Ledger.Point(branch: -1, sequence: 0)
      self.init(Link(write: none, later: none, branchCount: 0, value: nothing), of: 0)
    }
  }

  /// All columns but that of the values.
  static func columns(cellCount: Int, branchCount: Int) -> [Column<Stored>] {
    [
      Column(\.cell, below: cellCount),
      Column(\.link.branchCount, in: 0...Int64(UInt16(clamping: branchCount))),
      Column(\.link.besideCount, in: 0...Int64(UInt16.max)),
    ] + Column.event(\.link.write.branch, \.link.write.sequence, orNone: true)
      + Column.event(\.link.later.branch, \.link.later.sequence, orNone: true)
  }

  /// Takes the links out of cells, without those never needed again; all links of those that have
  /// several live values.
  ///
  /// - Parameter ledger: nil before reading, when there are no links.
  func stored<Cell: OverwrittenCell>(
    _ cells: inout [Cell], _ ledger: Ledger?, isContested: (Int) -> Bool
  ) -> [Stored] {
    var stored: [Stored] = []
    for index in cells.indices where cells[index].past >= 0 {
      if let ledger {
        let head = cells[index].past
        let links = isContested(index) ? all(head) : lasting(head, ledger)
        stored += links.map { Stored($0, of: Int32(index)) }
      }
      cells[index].past = Self.forgotten
    }
    return stored
  }

  /// Adds stored links to their cells.
  mutating func add<Cell: OverwrittenCell>(
    _ stored: [Stored], to cells: inout [Cell]
  ) throws(ColumnFault) {
    for run in try stored.runs(by: \.cell) {
      var head = Self.forgotten
      guard run.count <= Self.linksMax else { throw ColumnFault() }
      for index in run.reversed() {
        let link = stored[index].link
        guard !link.isRoot || link.write.branch >= 0 else { throw ColumnFault() }
        add(link, to: &head)
      }
      let cell = Int(stored[run.lowerBound].cell)
      guard cells[cell].past == Self.forgotten else { throw ColumnFault() }
      cells[cell].past = head
    }
  }
}
