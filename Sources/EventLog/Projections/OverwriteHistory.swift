/// Overwritten values that may still become the base of a conflict.
///
/// The writes after which only one value was live form a chain: each had seen the one before it,
/// and so all earlier ones. A closed cut therefore shows the last write of the chain that it
/// contains. A link stores a write with the write that replaced it: if a cut contains only the
/// first of them, the link's value is shown.
///
/// A write concurrent with the last one of the chain begins a contest. Every write of the contest
/// is one of its *roots*, or had seen one. So a cut without roots contains no write of the contest,
/// and an earlier link has the value. A write that ends a contest begins a new chain: a cut that
/// contains everything that was live before this write, but not the write itself, shows the latest
/// of these values.
///
/// A link is needed while a branch isn't known to have seen the write that replaced it. Branches
/// that began later don't count, so an unneeded link never becomes needed again, and isn't stored.
/// If there are too many links, the latest are kept, and those whose write is the last one that a
/// branch is known to have seen.
///
/// Memory: at most ``linksMax`` links for each field that was written more than once.
struct OverwriteHistory<Value: Sendable & BitwiseCopyable>: Sendable, Paginated {
  struct Link: Sendable, BitwiseCopyable {
    /// A write that was replaced, or a root of a contest. Its branch is −1 in the first link of a
    /// chain, for the state before the first write.
    var write: Ledger.Point
    /// The next older link or root, or a negative number.
    var next: Int32 = -1
    /// The write that replaced it. Its branch is −1 for a root.
    var later: Ledger.Point
    /// The number of branches at that time.
    var branchCount: UInt16
    /// The number of links after this one, in the list, for the other writes that were live then;
    /// ``isBeside`` for such a link.
    var besideCount: UInt16 = 0
    /// The value that the write showed.
    var value: Value

    static var isBeside: UInt16 { .max }
    var isRoot: Bool { later.branch < 0 }
    var isBeside: Bool { besideCount == Self.isBeside }
    /// Whether the link contains a value.
    var hasValue: Bool { write.branch >= 0 && later.branch >= 0 && !isBeside }
  }

  /// The value of a field in a cut.
  enum Finding {
    /// The cut contains no write of the field.
    case nothing
    case value(Value)
  }

  /// The head of a field that was written at most once.
  static var none: Int32 { -1 }
  /// The head of a field whose links were dropped or never recorded.
  static var forgotten: Int32 { -2 }
  /// The maximum number of links of a field, including roots.
  static var linksMax: Int { 8 }
  /// The maximum number of links of a field, without roots and ``Link/isBeside`` links.
  private static var replacedMax: Int { 4 }
  /// The maximum number of ``Link/isBeside`` links of a write.
  private static var besideMax: Int { 3 }
  /// The maximum number of branches that are checked for needing a link: the latest ones.
  private static var maxBranchesChecked: Int { 16 }

  /// Whether there is a branch besides the writer's, which may need a link.
  @inline(__always)
  static func areKept(_ ledger: Ledger) -> Bool { ledger.branches.count > 1 }

  private var links = PagedArray<Link>()
  private var free = PagedArray<Int32>()

  init() {}

  mutating func paginate() {
    links.paginate()
    free.paginate()
  }

  // MARK: - Recording

  /// Records that a write was replaced.
  ///
  /// - Parameters:
  ///   - head: The field's links, after ``removeUnneeded(of:_:)`` and ``removeExcess(of:_:)``.
  ///   - before: The value of `head` before these calls.
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

  /// Records that a write replaced several live ones.
  ///
  /// - Parameters:
  ///   - write: The live write that was shown.
  ///   - others: The other live writes.
  /// - Returns: The values that are no longer kept.
  mutating func add(
    _ write: Ledger.Point, beside others: [Ledger.Point], _ value: Value, nothing: Value,
    replacedBy later: Ledger.Point, to head: inout Int32, _ ledger: Ledger
  ) -> [Value] {
    if others.count > Self.besideMax { return [value] }
    var released: [Value] = []
    for _ in 0...others.count { evictOldest(in: &head, &released, upTo: others.count + 1) }
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

  /// Records that the current event wrote a field concurrently with its only live write.
  ///
  /// - Parameters:
  ///   - live: The live write.
  ///   - value: A copy of its value.
  ///   - head: The field's links, without any that ``removeUnneeded(of:_:)`` finds.
  /// - Returns: The values that are no longer kept.
  mutating func beginContest(
    by write: Ledger.Point, beside live: Ledger.Point, _ value: Value, nothing: Value,
    in head: inout Int32, _ ledger: Ledger
  ) -> [Value] {
    var released: [Value] = []
    let before = head
    while let value = removeExcess(of: &head, ledger) { released.append(value) }
    add(live, value, nothing: nothing, replacedBy: write, to: &head, before: before, ledger)
    evictOldest(in: &head, &released)
    add(root(write, nothing), to: &head)
    return released
  }

  /// Records that the current event wrote a contested field.
  ///
  /// - Returns: The values that are no longer kept.
  mutating func goOn(
    by write: Ledger.Point, nothing: Value, in head: inout Int32, _ ledger: Ledger
  ) -> [Value] {
    var index = head
    while index >= 0, links[Int(index)].isRoot {
      let root = links[Int(index)].write
      if ledger.seen(Int(root.branch), by: Int(write.branch)) >= root.sequence { return [] }
      index = links[Int(index)].next
    }
    var released: [Value] = []
    evictOldest(in: &head, &released)
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

  /// Prepends a link to the list of a field.
  mutating func add(_ link: Link, to head: inout Int32) {
    var link = link
    link.next = head
    if let index = free.popLast() {
      links[Int(index)] = link
      head = index
    } else {
      head = Int32(truncatingIfNeeded: links.count)
      links.append(link)
    }
  }

  // MARK: - Removing

  /// Removes one unneeded link of a field that has one live value, and returns the link's value;
  /// nil if there is none.
  mutating func removeUnneeded(of head: inout Int32, _ ledger: Ledger) -> Value? {
    var (before, index) = (Int32(-1), head)
    var besideCount: UInt16 = 0
    while index >= 0 {
      let link = links[Int(index)]
      if isUnneeded(link, allowing: &besideCount, ledger) {
        return remove(index, after: before, of: &head)
      }
      (before, index) = (index, link.next)
    }
    return nil
  }

  /// - Parameter besideCount: The number of ``Link/isBeside`` links that may still follow.
  private func isUnneeded(
    _ link: Link, allowing besideCount: inout UInt16, _ ledger: Ledger
  ) -> Bool {
    if link.isBeside {
      guard besideCount > 0 else { return true }
      besideCount -= 1
      return false
    }
    // A root is needed only for the links before it.
    if link.isRoot ? link.next < 0 : !isNeeded(link, ledger) { return true }
    besideCount = link.besideCount
    return false
  }

  /// Removes one link of a field that has the maximum number, and returns its value; nil if it has
  /// fewer.
  mutating func removeExcess(of head: inout Int32, _ ledger: Ledger) -> Value? {
    var (count, replacedCount) = (0, 0)
    var (before, index) = (Int32(-1), head)
    // The oldest link whose write no branch is known to have seen last, or else the newest link;
    // and its neighbor in the list.
    var found: (before: Int32, index: Int32)?
    while index >= 0 {
      let link = links[Int(index)]
      count += 1
      if !link.isRoot, !link.isBeside { replacedCount += 1 }
      index = link.next
    }
    if replacedCount < Self.replacedMax {
      return count >= Self.linksMax ? removeLast(of: &head) : nil
    }
    index = head
    while index >= 0 {
      let link = links[Int(index)]
      if !link.isRoot, !link.isBeside, found == nil || !isNeeded(link, ledger, certainly: true) {
        found = (before, index)
      }
      (before, index) = (index, link.next)
    }
    return found.map { remove($0.index, after: $0.before, of: &head) }
  }

  private mutating func evictOldest(
    in head: inout Int32, _ released: inout [Value], upTo added: Int = 1
  ) {
    if count(head) + added > Self.linksMax { released.append(removeLast(of: &head)) }
  }

  /// Removes the oldest link of a field. No other link depends on it.
  private mutating func removeLast(of head: inout Int32) -> Value {
    var (before, index) = (Int32(-1), head)
    while links[Int(index)].next >= 0 { (before, index) = (index, links[Int(index)].next) }
    return remove(index, after: before, of: &head)
  }

  private mutating func remove(
    _ index: Int32, after before: Int32, of head: inout Int32
  ) -> Value {
    let link = links[Int(index)]
    if before >= 0 {
      links.update(Int(before)) { $0.next = link.next }
    } else {
      head = link.next >= 0 ? link.next : Self.forgotten
    }
    free.append(index)
    return link.value
  }

  private func count(_ head: Int32) -> Int {
    var (count, index) = (0, head)
    while index >= 0 {
      count += 1
      index = links[Int(index)].next
    }
    return count
  }

  /// Whether a branch isn't known to have seen the write that replaced the link's.
  ///
  /// Only the last branches at that time are checked. Once all of them have seen it, the link is
  /// never needed again.
  ///
  /// - Parameter isCertain: Whether that branch must also be known to have seen the link's write.
  private func isNeeded(
    _ link: Link, _ ledger: Ledger, certainly isCertain: Bool = false
  ) -> Bool {
    let end = Int(link.branchCount)
    var branch = max(0, end &- Self.maxBranchesChecked)
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

  /// The links of a field, newest first.
  func all(_ head: Int32) -> [Link] {
    var (found, index) = ([Link](), head)
    while index >= 0 {
      found.append(links[Int(index)])
      index = links[Int(index)].next
    }
    return found
  }

  /// The links of a field that has one live value, without those that are never needed again.
  func lasting(_ head: Int32, _ ledger: Ledger) -> [Link] {
    var found: [Link] = []
    var besideCount: UInt16 = 0
    for var link in all(head) {
      link.next = 0
      if !isUnneeded(link, allowing: &besideCount, ledger) { found.append(link) }
    }
    while found.last?.isRoot == true { found.removeLast() }
    return found
  }

  /// The value of a contested field in a cut, or nil if the links don't determine it.
  ///
  /// - Parameter cut: The events that all candidates had seen. It must be closed.
  func find(_ head: Int32, in cut: PastCut) -> Finding? {
    var index = head
    while index >= 0 {
      let link = links[Int(index)]
      if link.isRoot {
        if cut.contains(link.write) { return nil }
      } else if !link.isBeside, !cut.contains(link.later) {
        if link.write.branch < 0 { return .nothing }
        if cut.contains(link.write), holdsBeside(link, cut) { return .value(link.value) }
      }
      index = link.next
    }
    return nil
  }

  /// Whether a cut contains all writes that were live beside the link's.
  private func holdsBeside(_ link: Link, _ cut: PastCut) -> Bool {
    var index = link.next
    for _ in 0..<link.besideCount {
      guard index >= 0, links[Int(index)].isBeside, cut.contains(links[Int(index)].write) else {
        return false
      }
      index = links[Int(index)].next
    }
    return true
  }
}

// MARK: - Tables

extension OverwriteHistory {
  /// A link and its cell.
  struct Stored: BitwiseCopyable {
    var link: Link
    var cell: Int32

    init(_ link: Link, of cell: Int32) { (self.link, self.cell) = (link, cell) }

    /// A placeholder without a write.
    init(_ nothing: Value) {
      let none = Ledger.Point(branch: -1, sequence: 0)
      self.init(Link(write: none, later: none, branchCount: 0, value: nothing), of: 0)
    }
  }

  /// All columns except the values.
  static func columns(cellCount: Int, branchCount: Int) -> [Column<Stored>] {
    [
      Column(\.cell, below: cellCount),
      Column(\.link.branchCount, in: 0...Int64(UInt16(clamping: branchCount))),
      Column(\.link.besideCount, in: 0...Int64(UInt16.max)),
    ] + Column.event(\.link.write.branch, \.link.write.sequence, orNone: true)
      + Column.event(\.link.later.branch, \.link.later.sequence, orNone: true)
  }

  /// Moves the links out of the cells, without those that are never needed again.
  ///
  /// The result includes all links of contested cells.
  ///
  /// - Parameter ledger: The ledger, or nil before reading, when there are no links.
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
