/// Tells of cuts whether they hold what their events had seen.
///
/// An event states what its device had then, and with it all that those had seen; only what was
/// written by hand, or by another program, may state less.
struct ClosedCuts {
  /// Whether the common past of any events does: looked into once, where many are asked for.
  let areAll: Bool
  private var known: [PastCut: Bool] = [:]
  /// How many entries of clocks may still be compared before a reading is the lesser cost.
  private var comparisonsLeft = 1 << 24

  init() { areAll = false }

  /// - Parameter count: how many cuts will be asked for, each with about as many entries as there
  ///   are devices, of each of which as many are compared.
  init(_ count: Int, _ ledger: Ledger) {
    let branchCount = Double(ledger.branches.count)
    areAll =
      Double(count) * branchCount * branchCount > Double(ledger.history.markCount)
      && ledger.areClocksClosed
  }

  mutating func contains(_ cut: PastCut, _ ledger: Ledger) -> Bool {
    if areAll { return true }
    if let known = known[cut] { return known }
    // The clock of a branch's last event in the cut holds those of all before it.
    let closed = cut.limits.allSatisfy { branch, sequence in
      let entries = ledger.entries(of: .init(branch: branch, sequence: sequence))
      comparisonsLeft -= entries.count
      return comparisonsLeft >= 0
        && entries.allSatisfy { cut.contains(.init(branch: $0.key, sequence: $0.value)) }
    }
    guard comparisonsLeft >= 0 else { return false }
    known[cut] = closed
    return closed
  }
}
