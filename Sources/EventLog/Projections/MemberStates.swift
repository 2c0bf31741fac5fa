/// Tells what became of the writes of a set, member by member.
struct MemberStates {
  private let writes: [WriteCollector.Write]
  private let order: WriteOrder
  /// Per member and device its inclusions and exclusions, by sequence.
  private var changes: [[UInt8]: [[Int]]] = [:]
  /// Per member the last exclusion of each device, which has seen all that its earlier ones had.
  private var exclusions: [[UInt8]: [Int]] = [:]
  /// The members that are in.
  private var inside: Set<[UInt8]> = []

  init(_ writes: [WriteCollector.Write], _ order: WriteOrder) {
    self.writes = writes
    self.order = order
    var changes: [[UInt8]: [Int32: [Int]]] = [:]
    for (index, write) in writes.enumerated() {
      for member in Set(Self.members(write)) {
        changes[member, default: [:]][write.dot.branch, default: []].append(index)
      }
    }
    self.changes = changes.mapValues { Array($0.values) }
    exclusions = changes.mapValues { lists in
      lists.values.compactMap { list in list.last { writes[$0].action == .excluded } }
    }
    for (index, write) in writes.enumerated() where write.action == .included {
      inside.formUnion(Self.members(write).filter { isLive(index, $0) })
    }
  }

  private static func members(_ write: WriteCollector.Write) -> [[UInt8]] {
    guard case .array(let values) = write.value else { return [] }
    return values.compactMap { if case .string(let text) = $0 { Array(text.utf8) } else { nil } }
  }

  /// Whether no exclusion of the member had seen the inclusion.
  private func isLive(_ inclusion: Int, _ member: [UInt8]) -> Bool {
    !(exclusions[member] ?? []).contains { order.hasSeen($0, inclusion) }
  }

  /// An inclusion shows if one of its members is in by it; an exclusion if one of its members is
  /// out.
  func state(of index: Int) -> FieldHistory.State {
    let members = Self.members(writes[index])
    let isShown =
      writes[index].action == .included
      ? members.contains { isLive(index, $0) } : members.contains { !inside.contains($0) }
    return isShown ? .shown : .replaced
  }

  /// The inclusions that an exclusion took out.
  func replaced(by index: Int) -> [Int] {
    guard writes[index].action == .excluded else { return [] }
    let found = Self.members(writes[index]).flatMap { member in
      order.latest(of: changes[member] ?? [], seenBy: index)
    }
    return Array(Set(found.filter { writes[$0].action == .included }))
  }
}
