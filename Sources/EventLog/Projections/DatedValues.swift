/// The values of dated registers, by the days from which they apply.
///
/// A write adds an entry. It replaces the entries that it has seen and whose days aren't earlier
/// than its own. As long as all entries of a register apply from the beginning, they are its live
/// values, and none is stored.
struct DatedValues: Sendable {
  /// A value and the first day to which it applies.
  struct Entry: Sendable, BitwiseCopyable {
    var dot: Dot
    /// The day, or ``beginning``.
    var from: Int32
    var value: ByteArena.Slot
    /// The lowest rank of the write's names.
    var low: Int32 = 0
  }

  /// The entries of a register; empty if they are its live values.
  private struct List: Sendable {
    var register: Int32
    var entries: [Entry] = []
  }

  /// The day of a write that applies from the beginning.
  static let beginning = Fold.Row.noDay

  private var lists = PagedArray<List>()
  /// The list of each register.
  private var indexes = IndexTable()
  private var arena = ByteArena()

  // MARK: - Writing

  /// Stores the live values of a register as entries, before a write that applies from a day.
  mutating func begin(_ register: Int32, _ registers: Registers) {
    let index = list(of: register)
    guard lists[index].entries.isEmpty else { return }
    lists[index].entries = registers.liveValues(Int(register)).map { live in
      Entry(
        dot: live.dot, from: Self.beginning, value: arena.store(Array(registers.bytes(live))),
        low: Int32(registers.ranks.low(of: live.dot.point, in: Int(register))))
    }
  }

  /// Adds the entry of a write that `registers` already contains.
  ///
  /// A write from the beginning to a register without entries has none.
  ///
  /// In the ledger, the current clock of the dot's branch must be that of the writing event.
  mutating func write(
    _ register: Int32, from: Int32, _ source: Span<UInt8>, _ range: ByteRange, by dot: Dot,
    _ registers: Registers, _ ledger: Ledger, _ rank: WriteRank
  ) {
    let index = list(of: register)
    var entries: [Entry] = []
    for entry in lists[index].entries {
      if entry.from >= from, entry.low <= rank.high, entry.dot.isSeen(by: dot.branch, ledger) {
        arena.release(entry.value)
      } else {
        entries.append(entry)
      }
    }
    entries.append(
      Entry(dot: dot, from: from, value: arena.store(source, range), low: Int32(rank.low)))
    if entries.allSatisfy({ $0.from == Self.beginning }),
      Set(entries.map(\.dot)) == Set(registers.liveValues(Int(register)).map(\.dot))
    {
      for entry in entries { arena.release(entry.value) }
      entries = []
    }
    lists[index].entries = entries
  }

  private mutating func list(of register: Int32) -> Int {
    let found = indexes.find(register, 0)
    if found >= 0 { return Int(found) }
    indexes.insert(register, 0, Int32(lists.count))
    lists.append(List(register: register))
    return lists.count - 1
  }

  // MARK: - Reading

  /// The stored entries of a register. If there are none, its live values apply from the beginning.
  func entries(of register: Int32) -> [Entry] {
    let index = indexes.find(register, 0)
    return index < 0 ? [] : lists[Int(index)].entries
  }

  @inline(__always)
  func hasEntries(_ register: Int32) -> Bool {
    !lists.isEmpty && !entries(of: register).isEmpty
  }

  func bytes(_ entry: Entry) -> ArraySlice<UInt8> { arena.bytes(entry.value) }

  /// All registers with entries.
  var registers: [Int32] {
    lists.indices.map { lists[$0] }.filter { !$0.entries.isEmpty }.map(\.register)
  }
}

// MARK: - Tables

extension DatedValues {
  private struct StoredEntry: BitwiseCopyable {
    var register: Int32 = 0
    var entry = Entry(
      dot: Dot(branch: 0, sequence: 0, at: 0), from: DatedValues.beginning, value: .empty)
  }

  mutating func forEachTable(
    _ visitor: inout TableVisitor, registerCount: Int
  ) throws(ColumnFault) {
    visitor.derived(&lists)
    visitor.derived(&indexes)
    visitor.derived(&arena)
    if visitor.task == .sharing { return }
    var stored = lists.elements.sorted { $0.register < $1.register }.flatMap { list in
      list.entries.map { StoredEntry(register: list.register, entry: $0) }
    }
    try visitor.rows(
      &stored, StoredEntry(),
      [
        Column(\.register, below: registerCount),
        Column(\.entry.from, in: Int64(Self.beginning)...Day.range.upperBound),
        Column(\.entry.low, in: 0...Int64(UInt8.max)),
      ] + Column.dot(\.entry.dot))
    try visitor.values(of: &stored, \.entry.value, in: &arena)
    guard visitor.isReading else { return }
    for run in try stored.runs(by: \.register) {
      let entries = stored[run].map(\.entry)
      guard
        entries.allSatisfy({
          $0.from == Self.beginning || Day.range.contains(Int64($0.from))
        })
      else { throw ColumnFault() }
      let index = list(of: stored[run.lowerBound].register)
      lists[index].entries = entries
    }
  }
}
