extension Ledger {
  /// Stops a debug build if an invariant is violated.
  ///
  /// Tests check them in every build.
  ///
  /// - Complexity: O(branches and clock entries).
  package func checkInvariants() {
    assert(broken.isEmpty, broken.joined(separator: "\n"))
  }

  /// A message for each violated invariant.
  package var broken: [String] {
    branches.indices.flatMap(broken(branch:)) + brokenLists + rows.indices.flatMap(broken(row:))
      + devices.indices.flatMap(broken(device:)) + history.broken + brokenMarks
      + (rows.count == branches.count ? [] : ["A branch has no clock row."])
      + (branches.indices.allSatisfy { !branches[$0].isMissing || namings[Int32($0)] != nil }
        ? [] : ["A missing event is not known by the line that names it."])
  }

  private func broken(branch index: Int) -> [String] {
    let branch = branches[index]
    var broken: [String] = []
    func require(_ holds: Bool, _ rule: String) {
      if !holds { broken.append("Branch \(index) of \(name(index)): \(rule)") }
    }
    require(!branch.chains.isEmpty, "it has at least one event.")
    require(branch.lastChain == branch.chains.last, "its last chain is that of its last event.")
    require(branch.parent < index, "it goes on from an older branch.")
    guard branch.parent >= 0, branch.parent < index else {
      require(branch.after == 0, "without a parent it goes on from nothing.")
      return broken
    }
    let parent = branches[Int(branch.parent)]
    require(parent.device == branch.device, "it goes on from an event of its own device.")
    require(parent.contains(branch.after), "the event that it goes on from is there.")
    require(
      branch.ancestry.depth == parent.ancestry.depth + 1, "it is one deeper than its parent.")
    require(
      branch.isMissing ? branch.after < branch.first : branch.after + 1 == branch.first,
      "it goes on from the event before it.")
    return broken
  }

  private var brokenLists: [String] {
    let listed = devices.indices.flatMap { device in devices[device].branches.map { ($0, device) } }
    let isRight =
      listed.count == branches.count && Set(listed.map(\.0)).count == listed.count
      && listed.allSatisfy { Int(branches[Int($0)].device) == $1 }
    return isRight ? [] : ["The devices do not know which branches are theirs."]
  }

  /// Checks that a branch that has seen an event has seen its whole history.
  private func broken(row index: Int) -> [String] {
    guard index < branches.count else { return [] }
    return rows[index].entries.compactMap { entry in
      let (other, seen) = (Int(entry.branch), entry.sequence)
      let branch = branches[other]
      if !branch.contains(seen) { return "Branch \(index) has seen what branch \(other) is not." }
      if history.seen(other, by: index, at: .max) == 0 {
        return "Branch \(index) has seen branch \(other), and its history does not tell when."
      }
      if branch.parent >= 0, self.seen(Int(branch.parent), by: index) < branch.after {
        return "Branch \(index) has seen branch \(other), and not what that goes on from."
      }
      return nil
    }
  }

  /// Checks that the marks agree with the rows.
  private var brokenMarks: [String] {
    history.branches.flatMap { index in
      (0..<history.markCount(of: index)).compactMap { markIndex in
        let mark = history.mark(markIndex, of: index)
        let other = Int(mark.other)
        guard index < branches.count, other < branches.count,
          branches[index].contains(mark.sequence), branches[other].contains(mark.seen),
          history.seen(other, by: index, at: .max) == rows[index][other]
        else { return "Branch \(index) has not seen of branch \(other) what its history tells." }
        return nil
      }
    }
  }

  private func broken(device index: Int) -> [String] {
    let device = devices[index]
    let missing = device.branches.map { branches[Int($0)] }.filter(\.isMissing)
      .map { ($0.first, $0.chains[0]) }
    var broken: [String] = []
    if device.isForeign, !device.branches.isEmpty, !missing.isEmpty,
      device.branches.contains(where: { branches[Int($0)].eventCount > 0 })
    {
      broken.append("\(names.text(index)) does not belong, and has events.")
    }
    if let greatest = missing.max(by: <), greatest != device.greatestMissing {
      broken.append("\(names.text(index)) has a greater missing event than is known.")
    }
    return broken
  }
}

extension ClockHistory {
  /// Checks that marks about another branch ascend in both sequences.
  fileprivate var broken: [String] {
    branches.flatMap { branch in
      (0..<markCount(of: branch)).compactMap { markIndex in
        let mark = mark(markIndex, of: branch)
        let follows =
          markIndex == 0 || self.mark(markIndex - 1, of: branch).sequence <= mark.sequence
        let before = mark.before < 0 ? nil : self.mark(Int(mark.before), of: branch)
        let grows = before.map { $0.sequence < mark.sequence && $0.seen < mark.seen } ?? true
        return follows && grows
          ? nil : "Branch \(branch) forgets what it has seen of branch \(mark.other)."
      }
    }
  }
}
