import Testing

@testable import EventLog

/// The order in which deferred lines are admitted, as a graph of nodes.
@Suite struct NodeOrderTests {
  /// The need of a node for another, and its `seen` entry, or nil if the need can't be absent.
  private typealias Need = (node: Int, other: Int, entry: Int?)

  private func sorted(_ nodes: [Int], _ needs: [Need]) -> [(node: Int, absent: Set<Int>)] {
    var order = CausalOrder(count: (nodes.max() ?? -1) + 1)
    for node in nodes { order.add(node) }
    for need in needs { order.need(need.other, for: need.node, entry: need.entry ?? -1) }
    return order.sorted()
  }

  @Test func `nodes without needs are sorted by number`() {
    #expect(sorted([0, 1, 2, 5], []).map(\.node) == [0, 1, 2, 5])
    #expect(sorted([], []).isEmpty)
  }

  @Test func `a node comes after the nodes that it needs`() {
    let found = sorted([0, 1, 2, 3], [(0, 3, nil), (3, 2, 0), (1, 0, nil)])
    #expect(found.map(\.node) == [2, 3, 0, 1])
    #expect(found.allSatisfy { $0.absent.isEmpty })
  }

  @Test func `only the entries of a cycle are absent`() {
    // 0 and 1 need each other. 2 needs both and 3, and no node needs 2.
    let found = sorted(
      [0, 1, 2, 3], [(0, 1, 0), (1, 0, 4), (2, 0, 0), (2, 1, 1), (2, 3, 2)])
    #expect(Set(found.map(\.node)) == [0, 1, 2, 3])
    #expect(found.last?.node == 2)
    #expect(found.first { $0.node == 0 }?.absent == [0])
    #expect(found.first { $0.node == 1 }?.absent == [4])
    #expect(found.first { $0.node == 2 }?.absent == [])
  }

  @Test func `a node doesn't wait for itself or for its own successors`() {
    #expect(sorted([0], [(0, 0, 3)]).map(\.absent) == [[3]])
    let found = sorted([0, 1, 2], [(1, 0, nil), (2, 1, nil), (0, 2, 7)])
    #expect(found.map(\.node) == [0, 1, 2] && found[0].absent == [7])
  }

  /// By definition, an entry is absent if it leads back to its own node.
  private func expectedAbsent(_ count: Int, _ needs: [Need]) -> [Int: Set<Int>] {
    var reaches = [[Bool]](repeating: [Bool](repeating: false, count: count), count: count)
    for node in 0..<count { reaches[node][node] = true }
    for need in needs { reaches[need.node][need.other] = true }
    for middle in 0..<count {
      for from in 0..<count where reaches[from][middle] {
        for to in 0..<count where reaches[middle][to] { reaches[from][to] = true }
      }
    }
    var absent: [Int: Set<Int>] = [:]
    for need in needs {
      if let entry = need.entry, reaches[need.other][need.node] {
        absent[need.node, default: []].insert(entry)
      }
    }
    return absent
  }

  @Test func `the order matches the definition on random graphs`() throws {
    for seed in RandomRounds(2000) {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 1...9, using: &random)
      var needs: [Need] = []
      // Needs without an entry form no cycle: an event continues an earlier one.
      for node in 1..<max(2, count) where node < count && Bool.random(using: &random) {
        needs.append((node, Int.random(in: 0..<node, using: &random), nil))
      }
      for entry in 0..<Int.random(in: 0...count, using: &random) {
        let node = Int.random(in: 0..<count, using: &random)
        needs.append((node, Int.random(in: 0..<count, using: &random), entry))
      }
      let found = sorted(Array(0..<count), needs)
      let expected = expectedAbsent(count, needs)
      try #require(found.map(\.node).sorted() == Array(0..<count), "EVENTLOG_SEED=\(seed)")
      var earlier: Set<Int> = []
      for (node, absent) in found {
        try #require(absent == expected[node] ?? [], "EVENTLOG_SEED=\(seed), node \(node)")
        for need in needs where need.node == node {
          let isAbsent = need.entry.map(absent.contains) ?? false
          try #require(isAbsent || earlier.contains(need.other), "EVENTLOG_SEED=\(seed)")
        }
        earlier.insert(node)
      }
    }
  }
}
