/// What is known of each device while a journal is read: its histories, and what each has seen.
///
/// A device has one history; after a fork it has several with a common beginning. Each *branch*
/// holds what one history has for itself: consecutive events behind the point where it parted. A
/// missing event that some line names has a place, without content, at the beginning of a branch.
///
/// One clock row per branch, updated in place: when an event is handed on, its branch's row is the
/// event's clock. What older clocks were is told by ``ClockHistory``.
package struct Ledger: Sendable {
  /// One writer, by its ID.
  package struct Device: Sendable {
    /// In the order in which they came to be known.
    package internal(set) var branches: [Int32] = []
    /// The branch that grew last.
    var current: Int32 = -1
    /// The greatest missing event that is named; its sequence is 0 for none.
    var greatestPlace: (sequence: Int64, chain: UInt32) = (0, 0)
    /// Whether it joined as somebody who does not belong here: its lines count as not held.
    package internal(set) var isForeign = false
  }

  /// Consecutive events of one device.
  package struct Branch: Sendable {
    package let device: Int32
    /// The branch that it goes on from, and the last event there; −1 and 0 for none.
    package let parent: Int32
    package let after: Int64
    /// The sequence of its first event.
    package let first: Int64
    /// Whether the first event is missing: a line names it, and nobody has brought it.
    package let isMissing: Bool
    /// The chain of each event.
    package internal(set) var chains = PagedArray<UInt32>()
    package internal(set) var lastChain: UInt32 = 0
    /// `at` of the last event held.
    package internal(set) var lastAt: Int64 = 0

    @inline(__always)
    package var last: Int64 { first &+ Int64(chains.count) &- 1 }
    /// How many events of it are held.
    package var eventCount: Int { chains.count - (isMissing ? 1 : 0) }
    /// Whether an event of it has that sequence, held or missing.
    @inline(__always)
    func contains(_ sequence: Int64) -> Bool { sequence >= first && sequence <= last }
    @inline(__always)
    func chain(at sequence: Int64) -> UInt32 { chains[Int(sequence &- first)] }
  }

  /// An event, held or missing: a branch, and a sequence there.
  package struct Point: Sendable, Hashable {
    package var branch: Int32
    package var sequence: Int64

    package init(branch: Int32, sequence: Int64) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  package internal(set) var names = ByteInterner()
  package internal(set) var devices: [Device] = []
  package internal(set) var branches: [Branch] = []
  /// `rows[b]`: the highest sequence of each other branch that b has seen, beyond what the event
  /// had that it goes on from.
  var rows: [ClockRow] = []
  /// What the rows were.
  package internal(set) var history = ClockHistory()
  /// Where in the file the events of each branch stand.
  package internal(set) var index = LineIndex()
  /// Which line named each missing event first, by its branch; of a fork, which line began it.
  var namings: [Int32: Naming] = [:]
  /// What was acknowledged to be lost: the last event, and the first sequence.
  var losses: [FullEventID: Int64] = [:]
  package internal(set) var users = JournalUsers()
  /// Whether what an earlier line has seen has changed: then the journal has to be read from its
  /// start.
  var mustReread = false
  private(set) var isPaginated = false
  var previousDevice = -1
  /// What the entries of `seen` at hand mean.
  var resolved: [Point] = []

  /// The line that names a missing event.
  struct Naming: Sendable, Hashable {
    var line: Int
    var byte: Int64
  }

  package init() {}

  /// - Parameter users: what was found out about users by an earlier reading.
  init(users: JournalUsers) { self.users = users }

  /// Lets copies share what neither changes.
  package mutating func paginate() {
    isPaginated = true
    names.paginate()
    for index in branches.indices where !branches[index].chains.isPaginated {
      branches[index].chains.paginate()
    }
  }

  // MARK: - Questions

  /// The ID of a branch's device.
  package func name(_ branch: Int) -> String { names.text(Int(branches[branch].device)) }

  /// The device of a branch.
  package func device(of branch: Int) -> DeviceID { DeviceID(trusted: name(branch)) }

  /// The number of a device; nil for one that nothing names.
  package func find(_ device: DeviceID) -> Int? {
    names.find(device.text).flatMap { $0 < devices.count ? $0 : nil }
  }

  /// The highest sequence of branch `other` that `branch` has seen.
  @inline(__always)
  package func seen(_ other: Int, by branch: Int) -> Int64 {
    if other == branch { return branches[branch].last }
    let own = rows[branch][other]
    if branches[branch].parent < 0 { return own }
    return max(own, seenBefore(branch, other))
  }

  /// What the event that a branch goes on from had seen of another branch.
  @inline(never)
  func seenBefore(_ branch: Int, _ other: Int) -> Int64 {
    var (at, known) = (branch, Int64(0))
    while branches[at].parent >= 0 {
      let (parent, after) = (Int(branches[at].parent), branches[at].after)
      if parent == other { return max(known, after) }
      known = max(known, history.seen(other, by: parent, at: after))
      at = parent
    }
    return known
  }

  /// The clock of an event: per branch the highest sequence that it has seen, itself counted.
  ///
  /// - Complexity: O(branches · log marks).
  package func clock(of branch: Int, at sequence: Int64) -> [Int64] {
    var clock = history.clock(of: branch, at: sequence)
    var at = branch
    while branches[at].parent >= 0 {
      let (parent, after) = (Int(branches[at].parent), branches[at].after)
      let before = history.clock(of: parent, at: after)
      while clock.count < before.count { clock.append(0) }
      for other in before.indices { clock[other] = max(clock[other], before[other]) }
      at = parent
    }
    return clock
  }

  /// Whether the event at `earlier` stands in the history that `later` ends.
  package func isInHistory(_ earlier: Point, of later: Point) -> Bool {
    var (branch, sequence) = (later.branch, later.sequence)
    while branch >= 0 {
      if branch == earlier.branch { return earlier.sequence <= sequence }
      (branch, sequence) = (branches[Int(branch)].parent, branches[Int(branch)].after)
    }
    return false
  }

  /// Orders two branches by the bytes of their devices' IDs.
  package func isBefore(_ left: Int, _ right: Int) -> Bool {
    names.bytes(Int(branches[left].device))
      .lexicographicallyPrecedes(names.bytes(Int(branches[right].device)))
  }
}
