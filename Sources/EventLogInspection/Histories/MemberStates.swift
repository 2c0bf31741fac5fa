import EventLog

/// Determines the states of a set's writes, member by member.
struct MemberStates {
  private let writes: [WriteCollector.Write]
  private let order: WriteOrder
  /// The numbers of the members in each write, without duplicates.
  private var members: [[Int]] = []
  /// For each member that was ever excluded, and each device, the member's writes by sequence.
  private var changes: [[[Int]]] = []
  /// For each member, the last exclusion of each device, which has seen all that earlier ones had.
  private var exclusions: [[Int]] = []
  /// Whether each member is in the set.
  private var isInside: [Bool] = []

  init(_ writes: [WriteCollector.Write], _ order: WriteOrder) {
    self.writes = writes
    self.order = order
    var names = ByteInterner()
    var all: [[Int]] = []
    for (index, write) in writes.enumerated() {
      members.append([])
      for name in Self.names(in: write) {
        let member = names.intern(name)
        if member == all.count { all.append([]) }
        // A write may contain a member twice.
        if all[member].last == index { continue }
        all[member].append(index)
        members[index].append(member)
      }
    }
    changes = all.map { list in
      list.contains { writes[$0].action == .excluded }
        ? Array(Dictionary(grouping: list) { writes[$0].dot.branch }.values) : []
    }
    exclusions = changes.map { lists in
      lists.compactMap { list in list.last(where: { writes[$0].action == .excluded }) }
    }
    isInside = all.indices.map { member in
      all[member].contains { writes[$0].action == .included && isLive($0, member) }
    }
  }

  private static func names(in write: WriteCollector.Write) -> [String] {
    guard case .array(let values) = write.value else { return [] }
    return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Whether no exclusion of the member had seen the inclusion.
  private func isLive(_ inclusion: Int, _ member: Int) -> Bool {
    !exclusions[member].contains { order.hasSeen($0, inclusion) }
  }

  /// Returns the state of a write.
  ///
  /// An inclusion is shown if it puts any of its members in the set, and an exclusion if any of its
  /// members isn't in the set.
  func state(of index: Int) -> FieldHistory.State {
    let isShown =
      writes[index].action == .included
      ? members[index].contains { isLive(index, $0) }
      : members[index].contains { !isInside[$0] }
    return isShown ? .shown : .replaced
  }

  /// Returns the inclusions that an exclusion replaced.
  func replaced(by index: Int) -> [Int] {
    guard writes[index].action == .excluded else { return [] }
    let found = members[index].flatMap { member in
      order.latest(of: changes[member], seenBy: index)
    }
    return Array(Set(found.filter { writes[$0].action == .included }))
  }
}
