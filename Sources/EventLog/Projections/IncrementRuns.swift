/// The increments of counters: those of one counter by one branch stand side by side, oldest first.
///
/// A run that is full goes on where it stands, if nothing stands behind it, or else moves to a
/// place whose room is the next power of two; its old place is kept for another run. Memory: 16
/// bytes for an increment, and as much again or more for room and old places.
struct IncrementRuns: Sendable, Paginated {
  /// An increment with the sum of its run up to it.
  struct Increment: Sendable {
    var sequence: Int64
    var sum: Int64
  }

  /// Where a run stands.
  struct Run: Sendable {
    fileprivate var start: Int32 = 0
    fileprivate(set) var count: Int32 = 0
    /// For how many there is room.
    fileprivate var room: Int32 = 0
  }

  private var increments = PagedArray<Increment>()
  /// Places that were outgrown, by the binary logarithm of their room, rounded down.
  private var free = Array(repeating: PagedArray<Int32>(), count: Int32.bitWidth)

  init() {}

  /// Runs that were stored one behind the other.
  init(_ increments: [Increment]) { self.increments = PagedArray(flat: increments) }

  /// A run that was stored behind another one; nil if there are not so many increments.
  func run(behind last: Run, count: Int32) -> Run? {
    let start = Int(last.start) + Int(last.count)
    guard start + Int(count) <= increments.count else { return nil }
    return Run(start: Int32(start), count: count, room: count)
  }

  mutating func paginate() {
    increments.paginate()
    for order in free.indices { free[order].paginate() }
  }

  /// Puts an increment behind the others of its run. Amortised O(1).
  @inline(__always)
  mutating func append(_ sequence: Int64, _ amount: Int64, to run: inout Run) {
    let sum = newest(run)?.sum ?? 0
    if run.count == run.room { makeRoom(in: &run) }
    increments[Int(run.start &+ run.count)] = Increment(sequence: sequence, sum: sum &+ amount)
    run.count &+= 1
  }

  /// Gives a full run more room, an empty one room for one.
  @inline(never)
  private mutating func makeRoom(in run: inout Run) {
    if run.room > 0, Int(run.start + run.room) == increments.count {
      addRoom(run.room)
      run.room *= 2
      return
    }
    let order = run.room == 0 ? 0 : Self.order(run.room) + 1
    let start: Int32
    if let found = free[order].popLast() {
      start = found
    } else {
      start = Int32(increments.count)
      addRoom(1 << order)
    }
    for place in 0..<run.count {
      increments[Int(start + place)] = increments[Int(run.start + place)]
    }
    if run.room > 0 { free[Self.order(run.room)].append(run.start) }
    (run.start, run.room) = (start, 1 << order)
  }

  /// The binary logarithm of a room, rounded down.
  private static func order(_ room: Int32) -> Int {
    Int32.bitWidth - 1 - room.leadingZeroBitCount
  }

  private mutating func addRoom(_ count: Int32) {
    for _ in 0..<count { increments.append(Increment(sequence: 0, sum: 0)) }
  }

  // MARK: - Reading

  /// The increments of a run, oldest first.
  func all(_ run: Run) -> some Sequence<Increment> {
    (run.start..<(run.start + run.count)).lazy.map { increments[Int($0)] }
  }

  /// The newest increment of a run; nil for an empty one.
  @inline(__always)
  func newest(_ run: Run) -> Increment? {
    run.count == 0 ? nil : increments[Int(run.start &+ run.count &- 1)]
  }

  /// The newest increment of a run up to a sequence; nil for none.
  ///
  /// - Complexity: O(log increments); O(1) where it is the newest of all.
  func newest(_ run: Run, upTo sequence: Int64) -> Increment? {
    guard let newest = newest(run) else { return nil }
    if newest.sequence <= sequence { return newest }
    let places = Int(run.start)..<Int(run.start + run.count)
    let end = places.partitioningIndex { increments[$0].sequence > sequence }
    return end == places.lowerBound ? nil : increments[end - 1]
  }
}
