/// The state of each device while a journal is read: its histories, and what each has seen.
///
/// A device has one history, or several with a common beginning after a fork. Each *branch*
/// contains the events of one history after its divergence: consecutive events. A missing event
/// that a line names is the first event of a branch, without content.
///
/// Each branch has one clock row, which is updated in place: when an event is applied, its branch's
/// row is the event's clock. ``ClockHistory`` has the older clocks.
package struct Ledger: Sendable {
  /// A writer, identified by its ID.
  package struct Device: Sendable {
    /// The branches in the order of their discovery.
    package internal(set) var branches: [Int32] = []
    /// The branch that grew last.
    var current: Int32 = -1
    /// The greatest named missing event, or sequence 0.
    var greatestMissing: (sequence: Int64, chain: UInt32) = (0, 0)
    /// Whether ``Ledger/branchOfEvent`` contains its events.
    var isIndexed = false
    /// Whether the device joined as a user who doesn't belong here, so that its lines aren't held.
    package internal(set) var isForeign = false
  }

  /// Consecutive events of one device.
  package struct Branch: Sendable {
    package let device: Int32
    /// The parent branch and the event in it that this branch continues, or −1 and 0.
    package let parent: Int32
    package let after: Int64
    /// The sequence of its first event.
    package let first: Int64
    /// Whether the first event is missing: a line names it, but no line contains it.
    package let isMissing: Bool
    /// The source of an import whose values it contains, in ``Ledger/sources``, or −1.
    package internal(set) var source: Int32 = -1
    /// References to earlier branches, for searches in few steps.
    var ancestry = Ancestry()
    /// Its first and last events with marks.
    ///
    /// The first is `.max` if there are none.
    var firstMark = Int64.max
    var lastMark: Int64 = 0
    /// The chain of each event.
    package internal(set) var chains = PagedArray<UInt32>()
    package internal(set) var lastChain: UInt32 = 0
    /// The `at` of the last held event.
    package internal(set) var lastAt: Int64 = 0

    @inline(__always)
    package var last: Int64 { first &+ Int64(chains.count) &- 1 }
    /// The number of held events.
    package var eventCount: Int { chains.count - (isMissing ? 1 : 0) }
    /// Whether the branch has an event with this sequence, held or missing.
    @inline(__always)
    func contains(_ sequence: Int64) -> Bool { sequence >= first && sequence <= last }
    /// Adds an event.
    ///
    /// `time` is nil if it is unknown.
    @inline(__always)
    mutating func append(_ chain: UInt32, at time: Int64?) {
      chains.append(chain)
      lastChain = chain
      if let time { lastAt = time }
    }
    @inline(__always)
    func chain(at sequence: Int64) -> UInt32 { chains[Int(sequence &- first)] }
  }

  /// An event, held or missing: a branch and a sequence in it.
  package struct Point: Sendable, Hashable, BitwiseCopyable {
    package var sequence: Int64
    package var branch: Int32

    package init(branch: Int32, sequence: Int64) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  /// A short ID, by the number of its device.
  struct ShortID: Sendable, Hashable {
    var device: Int32
    var sequence: Int64
  }

  @Boxed package internal(set) var names = ByteInterner()
  /// The sources that devices joined as.
  @Boxed var sources = ByteInterner()
  package internal(set) var devices: [Device] = []
  package internal(set) var branches: [Branch] = []
  /// `rows[b]`: the highest sequence of each other branch that b has seen, beyond what the event
  /// that b continues had seen.
  var rows: [ClockRow] = []
  /// The branch of each event of devices with many branches.
  var branchOfEvent: [DeferredLines.Key: Int32] = [:]
  /// For these devices, the number of held events with each sequence.
  var namesakeCounts: [ShortID: Int32] = [:]
  /// The earlier values of the rows.
  package internal(set) var history = ClockHistory()
  /// Whether the history is from an earlier reading of the same lines, and already covers the lines
  /// that are still to be read.
  var isHistoryTold = false
  /// The positions of each branch's events in the file.
  @Boxed package internal(set) var index = LineIndex()
  /// The line that first named each missing event, by its branch.
  ///
  /// For a fork, the line that began it.
  var namings: [Int32: Naming] = [:]
  /// The acknowledged losses: the last event and the first sequence of each.
  var losses: [FullEventID: Int64] = [:]
  @Boxed package internal(set) var users = JournalUsers()
  @Boxed package internal(set) var erasures = Erasures()
  /// Whether the clocks of earlier lines have changed, so that the journal has to be read from its
  /// start.
  var mustReread = false
  private(set) var isPaginated = false
  var previousDevice = -1
  /// The devices by the numbers that a reading assigns to their names.
  var numberedNames = NumberedNames()
  /// The resolved entries of the current `seen`.
  var resolved: [Point] = []

  /// The line that names a missing event.
  struct Naming: Sendable, Hashable {
    var line: Int
    var byte: Int64
  }

  package init() {}

  /// - Parameters:
  ///   - users: The users from an earlier reading.
  ///   - erasures: The erasures from that reading.
  init(users: JournalUsers, erasures: Erasures) {
    (self.users, self.erasures) = (users, erasures)
  }

  /// The users and erasures that a repeated reading starts with.
  package var begun: (users: JournalUsers, erasures: Erasures) {
    (users.begun(names), erasures.begun)
  }

  /// Divides the chains of the branches into pages.
  mutating func shareChains() {
    isPaginated = true
    for index in branches.indices where !branches[index].chains.isPaginated {
      branches[index].chains.paginate()
    }
  }

  // MARK: - Queries

  /// The ID of a branch's device.
  package func name(_ branch: Int) -> String { names.text(Int(branches[branch].device)) }

  /// The device of a branch.
  package func device(of branch: Int) -> DeviceID { DeviceID(trusted: name(branch)) }

  /// The number of a device, or nil if nothing names it.
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

  /// The highest sequence of a branch that the event before another branch has seen.
  ///
  /// - Complexity: O(log branches + earlier branches with marks).
  @inline(never)
  func seenBefore(_ branch: Int, _ other: Int) -> Int64 {
    let own = sequence(on: other, before: branch) ?? 0
    var teller = branches[branch].ancestry.teller
    while teller.branch >= 0 {
      let known = history.seen(other, by: Int(teller.branch), at: teller.sequence)
      // Later events of a history have seen more.
      if known > 0 { return max(own, known) }
      teller = branches[Int(teller.branch)].ancestry.teller
    }
    return own
  }

  /// The highest sequence of branch `other` that an event has seen.
  ///
  /// For its own branch, its own sequence.
  func seen(_ other: Int32, by point: Point) -> Int64 {
    if other == point.branch { return point.sequence }
    let branch = Int(point.branch)
    let own = history.seen(Int(other), by: branch, at: point.sequence)
    return branches[branch].parent < 0 ? own : max(own, seenBefore(branch, Int(other)))
  }

  /// Whether the event at `later` has seen the one at `earlier` or is the same.
  package func hasSeen(_ later: Point, _ earlier: Point) -> Bool {
    seen(earlier.branch, by: later) >= earlier.sequence
  }

  /// The clock of an event: the highest sequence of each branch that it has seen, including its
  /// own.
  ///
  /// - Complexity: O(branches · log marks).
  package func clock(of branch: Int, at sequence: Int64) -> [Int64] {
    var clock = history.clock(of: branch, at: sequence)
    // A branch has also seen its ancestors, up to where it forked.
    forEachSeen(before: branch) { other, sequence in
      while clock.count <= other { clock.append(0) }
      clock[Int(other)] = max(clock[Int(other)], sequence)
    }
    return clock
  }

  /// Orders two branches by the bytes of their device IDs.
  package func isBefore(_ left: Int, _ right: Int) -> Bool {
    names.bytes(Int(branches[left].device))
      .precedes(names.bytes(Int(branches[right].device)))
  }
}
