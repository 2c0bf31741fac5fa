import EventLog

/// The causal order of a field's writes, from their full clocks.
struct WriteOrder {
  private let writes: [WriteCollector.Write]
  /// The writes of each branch by sequence, as indices into `writes`.
  private var columns: [[Int]] = []
  /// `seen[w][c]` is the number of writes of column c that the write w had seen, without itself.
  private var seen: [[Int]] = []
  private var columnOf: [Int] = []

  /// The approximate maximum number of comparisons, which take less than a second.
  private static let effortMax = Double(1 << 26)

  /// Throws if the effort is too high: each write is compared with those of each two histories.
  ///
  /// A user's devices stay far below the limit: twenty may write one field 160,000 times.
  ///
  /// - Throws: `tooManyDevices`.
  static func checkEffort(
    _ writes: [WriteCollector.Write], of field: String
  ) throws(EventLogError) {
    let columnCount = Set(writes.map(\.dot.branch)).count
    let valueCount = writes.reduce(0) { count, write in
      if case .array(let members) = write.value { count + max(1, members.count) } else { count + 1 }
    }
    guard Double(valueCount) * Double(columnCount) * Double(columnCount) > effortMax else { return }
    throw EventLogError(
      .tooManyDevices,
      "\(columnCount) devices and forks have written \"\(field)\", too many to show what each write"
        + " replaced. Nothing was changed.",
      hint: "Read its events one by one instead.")
  }

  /// Determines which writes each write had seen.
  ///
  /// - Complexity: O(writes · devices · log writes).
  init(_ writes: [WriteCollector.Write], _ ledger: Ledger) {
    self.writes = writes
    var columnOfBranch: [Int32: Int] = [:]
    columnOf = [Int](repeating: 0, count: writes.count)
    for (index, write) in writes.enumerated() {
      let column = columnOfBranch[write.dot.branch] ?? columns.count
      if column == columns.count {
        columnOfBranch[write.dot.branch] = column
        columns.append([])
      }
      columns[column].append(index)
      columnOf[index] = column
    }
    let columns = columns
    seen = writes.map { write in
      let clock = ledger.clock(of: Int(write.dot.branch), at: write.dot.sequence)
      return columns.map { column in
        let branch = Int(writes[column[0]].dot.branch)
        var limit = branch < clock.count ? clock[branch] : 0
        if branch == Int(write.dot.branch) { limit -= 1 }
        return Self.count(column, writes, upTo: limit)
      }
    }
  }

  private static func count(
    _ column: [Int], _ writes: [WriteCollector.Write], upTo sequence: Int64
  ) -> Int {
    var low = 0
    var high = column.count
    while low < high {
      let middle = (low + high) / 2
      if writes[column[middle]].dot.sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func hasSeen(_ later: Int, _ earlier: Int) -> Bool {
    let count = seen[later][columnOf[earlier]]
    return count > 0
      && writes[columns[columnOf[earlier]][count - 1]].dot.sequence
        >= writes[earlier].dot.sequence
  }

  /// Returns the writes that a write had seen, except those that another one of them had seen.
  ///
  /// - Complexity: O(devices · log writes + devices²).
  func latestSeen(by write: Int) -> [Int] { latest(of: columns, seenBy: write) }

  /// Returns the writes that each write of a register with earlier names was the first to replace.
  ///
  /// - Complexity: O(writes² · devices).
  func replacements(_ ledger: Ledger) -> [[Int]] {
    let inOrder = sorted(ledger)
    var found = [[Int]](repeating: [], count: writes.count)
    for write in writes.indices {
      var first: [Int] = []
      for later in inOrder
      where later != write && hasSeen(later, write)
        && writes[later].rank.replaces(writes[write].rank)
        && !first.contains(where: { hasSeen(later, $0) })
      {
        first.append(later)
        found[later].append(write)
      }
    }
    return found
  }

  /// Returns those of some writes that `write` had seen, except those that another one of them had
  /// seen.
  ///
  /// - Parameter lists: The writes, in one list per branch, by sequence.
  func latest(of lists: [[Int]], seenBy write: Int) -> [Int] {
    let latest = lists.compactMap { list in
      let count = seenCount(of: list, by: write)
      return count > 0 ? list[count - 1] : nil
    }
    return latest.filter { one in !latest.contains { $0 != one && hasSeen($0, one) } }
  }

  /// Returns how many writes of a branch, by sequence, `write` had seen.
  func seenCount(of list: [Int], by write: Int) -> Int {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if hasSeen(write, list[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the writes that satisfy `isWanted`, in one list per branch.
  func lists(where isWanted: (Int) -> Bool) -> [[Int]] {
    columns.map { $0.filter(isWanted) }.filter { !$0.isEmpty }
  }

  /// Returns all writes in causal order.
  ///
  /// The next write is always the one with the least (`at`, device, sequence, chain) among those
  /// that have seen only writes before it.
  ///
  /// - Complexity: O(writes · devices²).
  func sorted(_ ledger: Ledger) -> [Int] {
    var taken = [Int](repeating: 0, count: columns.count)
    var order: [Int] = []
    while order.count < writes.count {
      let heads = columns.indices.compactMap { column -> Int? in
        guard taken[column] < columns[column].count else { return nil }
        let head = columns[column][taken[column]]
        return zip(seen[head], taken).allSatisfy { $0 <= $1 } ? head : nil
      }
      guard
        let next = heads.min(by: { writes[$1].dot.isLater(than: writes[$0].dot, ledger) })
      else { break }
      taken[columnOf[next]] += 1
      order.append(next)
    }
    return order
  }
}
