extension Ledger {
  /// The forks: where the histories of a device diverge, and the last events of each.
  ///
  /// Forks of imports aren't included: two devices that import the same file create one.
  ///
  /// - Complexity: O(branches, and for each fork the branches after it, up to
  ///   ``JournalFork/tipsMax``).
  package var forks: [JournalFork] {
    if devices.allSatisfy({ $0.branches.count <= 1 }) { return [] }
    // The children of each branch, and the first branches of each device.
    var children: [Int32: [Int32]] = [:]
    var roots: [Int32: [Int32]] = [:]
    for index in branches.indices.map(Int32.init)
    where !isSourceOnly(Int(branches[Int(index)].device)) {
      let branch = branches[Int(index)]
      if branch.parent >= 0 {
        children[branch.parent, default: []].append(index)
      } else {
        roots[branch.device, default: []].append(index)
      }
    }
    let holdsEvents = branchesWithEvents
    var forks: [JournalFork] = []
    for (parent, all) in children {
      let branch = branches[Int(parent)]
      for (after, found) in Dictionary(grouping: all, by: { branches[Int($0)].after }) {
        let continues = branch.last > after
        // A missing event starts a history of its own only once an event after it is held.
        guard found.count(where: { holdsEvents[Int($0)] }) + (continues ? 1 : 0) > 1
        else { continue }
        var heads = found
        if continues { heads.append(parent) }
        forks.append(
          JournalFork(
            device: device(of: Int(parent)),
            after: fullID(Point(branch: parent, sequence: after)),
            tips: tips(of: heads, after: (parent, after), children, holdsEvents)))
      }
    }
    for (device, found) in roots where found.count(where: { holdsEvents[Int($0)] }) > 1 {
      forks.append(
        JournalFork(
          device: DeviceID(trusted: names.text(Int(device))), after: nil,
          tips: tips(of: found, after: nil, children, holdsEvents)))
    }
    return forks.sorted {
      ($0.device, $0.after?.sequence ?? 0) < ($1.device, $1.after?.sequence ?? 0)
    }
  }

  /// For each branch, whether it or a branch that continues it contains an event.
  private var branchesWithEvents: [Bool] {
    var holds = branches.map { $0.eventCount > 0 }
    // A branch follows its parent.
    for index in branches.indices.reversed() where holds[index] && branches[index].parent >= 0 {
      holds[Int(branches[index].parent)] = true
    }
    return holds
  }

  /// The tips of some branches and of the branches that continue them.
  ///
  /// For `after`, only the tips after that point.
  private func tips(
    of start: [Int32], after: (branch: Int32, sequence: Int64)?, _ children: [Int32: [Int32]],
    _ holdsEvents: [Bool]
  ) -> [FullEventID] {
    var open = Array(start.reversed())
    var tips: [FullEventID] = []
    while tips.count < JournalFork.tipsMax, let index = open.popLast() {
      let branch = branches[Int(index)]
      var isTip = branch.eventCount > 0
      for child in children[index] ?? [] where holdsEvents[Int(child)] {
        if let after, index == after.branch, branches[Int(child)].after <= after.sequence {
          continue
        }
        open.append(child)
        if branches[Int(child)].after == branch.last { isTip = false }
      }
      if isTip { tips.append(fullID(Point(branch: index, sequence: branch.last))) }
    }
    return tips.sorted()
  }
}

/// A device ID whose history diverges because two copies wrote under it.
///
/// Both histories count.
package struct JournalFork: Sendable, Hashable {
  /// The maximum number of tips that a fork contains.
  public static let tipsMax = 100

  /// The device ID under which both copies wrote.
  public let device: DeviceID
  /// The last event that the histories have in common, or nil if they have none.
  public let after: FullEventID?
  /// The point at which the histories diverge.
  ///
  /// It identifies the fork.
  package struct Point: Hashable {
    let device: DeviceID
    let after: FullEventID?
  }

  package var point: Point { Point(device: device, after: after) }

  /// The last event of each history, or some of them if there are more than ``tipsMax``.
  public let tips: [FullEventID]
}
