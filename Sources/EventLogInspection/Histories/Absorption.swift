import EventLog

/// The sets and increments of a counter that its sets had seen.
///
/// A set of an import replaces only sets of imports, and absorbs nothing.
struct Absorption {
  private let order: WriteOrder
  private let isImport: [Bool]
  private let isSet: [Bool]
  /// The sets that people wrote, in one list per branch.
  private let sets: [[Int]]
  /// The sets that imports wrote, in one list per branch.
  private let importedSets: [[Int]]
  /// The increments, in one list per branch.
  private let increments: [[Int]]

  init(_ writes: [WriteCollector.Write], _ order: WriteOrder, _ ledger: Ledger) {
    self.order = order
    let isSet = writes.map { $0.action == .set }
    let isImport = writes.map { ledger.isSource($0.dot.branch) }
    (self.isSet, self.isImport) = (isSet, isImport)
    sets = order.lists { isSet[$0] && !isImport[$0] }
    importedSets = order.lists { isSet[$0] && isImport[$0] }
    increments = order.lists { !isSet[$0] }
  }

  /// Returns the writes that a set replaced: the latest of those that it had seen.
  func replaced(by write: Int) -> [Int] {
    isImport[write]
      ? order.latest(of: importedSets, seenBy: write) : order.latestSeen(by: write)
  }

  /// Returns the increments that a set had seen, except those that an earlier set had seen.
  ///
  /// Earlier sets are those of people that the set itself had seen.
  ///
  /// - Complexity: O(devices² · log writes), plus the size of the result.
  func absorbed(by write: Int) -> [Int] {
    guard isSet[write], !isImport[write] else { return [] }
    let earlier = order.latest(of: sets, seenBy: write)
    return increments.flatMap { list in
      let first = earlier.map { order.seenCount(of: list, by: $0) }.max() ?? 0
      return list[first..<max(first, order.seenCount(of: list, by: write))]
    }
  }
}
