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
    /// Whether ``Ledger/branchOfEvent`` tells of its events.
    var isIndexed = false
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
    /// What is before it, so that nobody has to go from branch to branch.
    var ancestry = Ancestry()
    /// Its first and its last event that tell what it has seen; the first is `.max` for none.
    var firstMark = Int64.max
    var lastMark: Int64 = 0
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
    /// Adds an event; nil for a time that is not known.
    @inline(__always)
    mutating func append(_ chain: UInt32, at time: Int64?) {
      chains.append(chain)
      lastChain = chain
      if let time { lastAt = time }
    }
    @inline(__always)
    func chain(at sequence: Int64) -> UInt32 { chains[Int(sequence &- first)] }
  }

  /// An event, held or missing: a branch, and a sequence there.
  package struct Point: Sendable, Hashable, BitwiseCopyable {
    package var sequence: Int64
    package var branch: Int32

    package init(branch: Int32, sequence: Int64) {
      self.branch = branch
      self.sequence = sequence
    }
  }

  /// What a short ID names.
  struct ShortID: Sendable, Hashable {
    var device: Int32
    var sequence: Int64
  }

  @Boxed package internal(set) var names = ByteInterner()
  package internal(set) var devices: [Device] = []
  package internal(set) var branches: [Branch] = []
  /// `rows[b]`: the highest sequence of each other branch that b has seen, beyond what the event
  /// had that it goes on from.
  var rows: [ClockRow] = []
  /// The branch of each event of the devices that have many branches.
  var branchOfEvent: [WaitingLines.Key: Int32] = [:]
  /// Of these devices how many events are held of each sequence.
  var namesakeCounts: [ShortID: Int32] = [:]
  /// What the rows were.
  package internal(set) var history = ClockHistory()
  /// Whether the history was told by an earlier reading of the same lines, and holds what is still
  /// to be read.
  var isHistoryTold = false
  /// Where in the file the events of each branch stand.
  @Boxed package internal(set) var index = LineIndex()
  /// Which line named each missing event first, by its branch; of a fork, which line began it.
  var namings: [Int32: Naming] = [:]
  /// What was acknowledged to be lost: the last event, and the first sequence.
  var losses: [FullEventID: Int64] = [:]
  @Boxed package internal(set) var users = JournalUsers()
  /// Whether what an earlier line has seen has changed: then the journal has to be read from its
  /// start.
  var mustReread = false
  private(set) var isPaginated = false
  var previousDevice = -1
  /// The devices under the numbers that a reading gives to their names.
  var numberedNames = NumberedNames()
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

  /// Cuts the chains of the branches into pages.
  mutating func shareChains() {
    isPaginated = true
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
  ///
  /// - Complexity: O(log branches + branches before it that tell what they have seen).
  @inline(never)
  func seenBefore(_ branch: Int, _ other: Int) -> Int64 {
    let own = sequence(on: other, before: branch) ?? 0
    var teller = branches[branch].ancestry.teller
    while teller.branch >= 0 {
      let known = history.seen(other, by: Int(teller.branch), at: teller.sequence)
      // Who comes later in a history has seen more.
      if known > 0 { return max(own, known) }
      teller = branches[Int(teller.branch)].ancestry.teller
    }
    return own
  }

  /// The highest sequence of branch `other` that an event has seen; its own of its own branch.
  func seen(_ other: Int32, by point: Point) -> Int64 {
    if other == point.branch { return point.sequence }
    let branch = Int(point.branch)
    let own = history.seen(Int(other), by: branch, at: point.sequence)
    return branches[branch].parent < 0 ? own : max(own, seenBefore(branch, Int(other)))
  }

  /// Whether the event at `later` has seen the one at `earlier`, or is it.
  package func hasSeen(_ later: Point, _ earlier: Point) -> Bool {
    seen(earlier.branch, by: later) >= earlier.sequence
  }

  /// The clock of an event: per branch the highest sequence that it has seen, itself counted.
  ///
  /// - Complexity: O(branches · log marks).
  package func clock(of branch: Int, at sequence: Int64) -> [Int64] {
    var clock = history.clock(of: branch, at: sequence)
    // Each branch comes behind those that it goes on from.
    func raise(_ other: Int32, _ sequence: Int64) {
      clock[Int(other)] = max(clock[Int(other)], sequence)
    }
    var at = branches[branch]
    while at.parent >= 0 {
      raise(at.parent, at.after)
      at = branches[Int(at.parent)]
    }
    var teller = branches[branch].ancestry.teller
    while teller.branch >= 0 {
      let before = history.clock(of: Int(teller.branch), at: teller.sequence)
      while clock.count < before.count { clock.append(0) }
      for other in before.indices { raise(Int32(other), before[other]) }
      teller = branches[Int(teller.branch)].ancestry.teller
    }
    return clock
  }

  /// Orders two branches by the bytes of their devices' IDs.
  package func isBefore(_ left: Int, _ right: Int) -> Bool {
    names.bytes(Int(branches[left].device))
      .precedes(names.bytes(Int(branches[right].device)))
  }
}
