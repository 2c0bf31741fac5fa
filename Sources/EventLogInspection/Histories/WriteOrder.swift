import EventLog

/// What writes of one field had seen of one another, from their full clocks.
struct WriteOrder {
  private let writes: [WriteCollector.Write]
  /// Per branch its writes, by sequence: indices into `writes`.
  private var columns: [[Int]] = []
  /// `seen[w][c]`: how many writes of column c the write w had seen, itself not counted.
  private var seen: [[Int]] = []
  private var columnOf: [Int] = []

  /// About how many comparisons are made at most, in less than a second.
  private static let effortMax = Double(1 << 26)

  /// Refuses what would take very long: each write is compared with those of each two histories.
  ///
  /// A person's devices stay far below: twenty may write one field 160,000 times.
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

  /// - Complexity: O(writes · devices · log writes).
  init(_ writes: [WriteCollector.Write], _ ledger: Ledger) {
    self.writes = writes
    var places: [Int32: Int] = [:]
    columnOf = [Int](repeating: 0, count: writes.count)
    for (index, write) in writes.enumerated() {
      let column = places[write.dot.branch] ?? columns.count
      if column == columns.count {
        places[write.dot.branch] = column
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

  /// Whether `later` had seen `earlier`.
  func hasSeen(_ later: Int, _ earlier: Int) -> Bool {
    let count = seen[later][columnOf[earlier]]
    return count > 0
      && writes[columns[columnOf[earlier]][count - 1]].dot.sequence
        >= writes[earlier].dot.sequence
  }

  /// The writes that a write had seen and that no other write it had seen had seen.
  ///
  /// - Complexity: O(devices · log writes + devices²).
  func latestSeen(by write: Int) -> [Int] { latest(of: columns, seenBy: write) }

  /// Of some writes, those that `write` had seen and that no other of them that it had seen had
  /// seen.
  ///
  /// - Parameter lists: each of one branch, by sequence.
  func latest(of lists: [[Int]], seenBy write: Int) -> [Int] {
    let latest = lists.compactMap { list in
      let count = seenCount(of: list, by: write)
      return count > 0 ? list[count - 1] : nil
    }
    return latest.filter { one in !latest.contains { $0 != one && hasSeen($0, one) } }
  }

  /// How many of a branch's writes, by sequence, `write` had seen.
  func seenCount(of list: [Int], by write: Int) -> Int {
    var low = 0
    var high = list.count
    while low < high {
      let middle = (low + high) / 2
      if hasSeen(write, list[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Those of the writes for which `isWanted` holds, branch by branch.
  func lists(where isWanted: (Int) -> Bool) -> [[Int]] {
    columns.map { $0.filter(isWanted) }.filter { !$0.isEmpty }
  }

  /// All writes: each time, of those that had seen none that is left, the one with the least (`at`,
  /// device, sequence, chain).
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
