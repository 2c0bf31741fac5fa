/// The increments of counters.
///
/// The increments of one counter and branch are a contiguous run, oldest first.
///
/// A full run grows in place if it is at the end of the array. Otherwise it moves to a slot of the
/// next power of two, and its old slot is reused for another run. Memory: 24 bytes per increment,
/// and as much again or more for spare capacity and free slots.
struct IncrementRuns: Sendable, Paginated {
  /// An increment, with the sum of its run up to and including it.
  struct Increment: Sendable {
    var sequence: Int64
    var sum: CounterSum
  }

  /// The position of a run.
  struct Run: Sendable {
    fileprivate var start: Int32 = 0
    fileprivate(set) var count: Int32 = 0
    /// The capacity of its slot.
    fileprivate var capacity: Int32 = 0
  }

  private var increments = PagedArray<Increment>()
  /// The starts of free slots, by the binary logarithm of their capacity, rounded down.
  private var free = Array(repeating: PagedArray<Int32>(), count: Int32.bitWidth)

  init() {}

  /// Creates the runs from increments that were stored back to back.
  init(_ increments: [Increment]) { self.increments = PagedArray(flat: increments) }

  /// The run that was stored directly after `last`, or nil if there are fewer increments.
  func run(after last: Run, count: Int32) -> Run? {
    let start = Int(last.start) + Int(last.count)
    guard start + Int(count) <= increments.count else { return nil }
    return Run(start: Int32(start), count: count, capacity: count)
  }

  mutating func paginate() {
    increments.paginate()
    for order in free.indices { free[order].paginate() }
  }

  /// Appends an increment to a run.
  ///
  /// - Complexity: Amortized O(1).
  @inline(__always)
  mutating func append(_ sequence: Int64, _ amount: CounterSum, to run: inout Run) {
    let sum = newest(run)?.sum ?? .zero
    if run.count == run.capacity { grow(in: &run) }
    increments[Int(run.start &+ run.count)] = Increment(sequence: sequence, sum: sum + amount)
    run.count &+= 1
  }

  /// Doubles the capacity of a full run, or gives an empty one a capacity of 1.
  @inline(never)
  private mutating func grow(in run: inout Run) {
    if run.capacity > 0, Int(run.start + run.capacity) == increments.count {
      addCapacity(run.capacity)
      run.capacity *= 2
      return
    }
    let order = run.capacity == 0 ? 0 : Self.order(run.capacity) + 1
    let start: Int32
    if let found = free[order].popLast() {
      start = found
    } else {
      start = Int32(increments.count)
      addCapacity(1 << order)
    }
    for offset in 0..<run.count {
      increments[Int(start + offset)] = increments[Int(run.start + offset)]
    }
    if run.capacity > 0 { free[Self.order(run.capacity)].append(run.start) }
    (run.start, run.capacity) = (start, 1 << order)
  }

  /// The binary logarithm of a capacity, rounded down.
  private static func order(_ capacity: Int32) -> Int {
    Int32.bitWidth - 1 - capacity.leadingZeroBitCount
  }

  private mutating func addCapacity(_ count: Int32) {
    for _ in 0..<count { increments.append(Increment(sequence: 0, sum: .zero)) }
  }

  // MARK: - Reading

  /// The increments of a run, oldest first.
  func all(_ run: Run) -> some Sequence<Increment> {
    (run.start..<(run.start + run.count)).lazy.map { increments[Int($0)] }
  }

  /// The newest increment of a run, or nil if it is empty.
  @inline(__always)
  func newest(_ run: Run) -> Increment? {
    run.count == 0 ? nil : increments[Int(run.start &+ run.count &- 1)]
  }

  /// The newest increment of a run up to a sequence, or nil if there is none.
  ///
  /// - Complexity: O(1) for the newest increment of the run, otherwise O(log increments).
  func newest(_ run: Run, upTo sequence: Int64) -> Increment? {
    guard let newest = newest(run) else { return nil }
    if newest.sequence <= sequence { return newest }
    let indexes = Int(run.start)..<Int(run.start + run.count)
    let end = indexes.partitioningIndex { increments[$0].sequence > sequence }
    return end == indexes.lowerBound ? nil : increments[end - 1]
  }
}
