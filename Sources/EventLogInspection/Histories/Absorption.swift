import EventLog

/// The increments that the totals of a counter include.
struct Absorption {
  private let order: WriteOrder
  private let sets: [[Int]]
  private let increments: [[Int]]
  private let isSet: [Bool]

  init(_ writes: [WriteCollector.Write], _ order: WriteOrder) {
    self.order = order
    isSet = writes.map { $0.action == .set }
    let isSet = isSet
    sets = order.lists { isSet[$0] }
    increments = order.lists { !isSet[$0] }
  }

  /// Returns the increments that a set had seen, except those that an earlier set had seen.
  ///
  /// Earlier sets are those that the set itself had seen.
  ///
  /// - Complexity: O(devices² · log writes), plus the size of the result.
  func absorbed(by write: Int) -> [Int] {
    guard isSet[write] else { return [] }
    let earlier = order.latest(of: sets, seenBy: write)
    return increments.flatMap { list in
      let first = earlier.map { order.seenCount(of: list, by: $0) }.max() ?? 0
      return list[first..<max(first, order.seenCount(of: list, by: write))]
    }
  }
}
