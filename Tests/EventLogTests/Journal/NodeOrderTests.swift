import Testing

@testable import EventLog

/// The order in which lines that wait are admitted, as a question about nodes.
@Suite struct NodeOrderTests {
  /// A need of a node: another one, and the entry that states it; nil for one that cannot be
  /// absent.
  private typealias Need = (node: Int, other: Int, entry: Int?)

  private func sorted(_ nodes: [Int], _ needs: [Need]) -> [(node: Int, absent: Set<Int>)] {
    var order = CausalOrder(count: (nodes.max() ?? -1) + 1)
    for node in nodes { order.add(node) }
    for need in needs { order.need(need.other, for: need.node, entry: need.entry ?? -1) }
    return order.sorted()
  }

  @Test func `without needs the order is that of the numbers`() {
    #expect(sorted([0, 1, 2, 5], []).map(\.node) == [0, 1, 2, 5])
    #expect(sorted([], []).isEmpty)
  }

  @Test func `each comes behind what it needs`() {
    let found = sorted([0, 1, 2, 3], [(0, 3, nil), (3, 2, 0), (1, 0, nil)])
    #expect(found.map(\.node) == [2, 3, 0, 1])
    #expect(found.allSatisfy { $0.absent.isEmpty })
  }

  @Test func `one of a higher rank comes only where none of a lower one can`() {
    var order = CausalOrder(count: 5)
    // 0 and 1 are of a higher rank; 3 needs 1, which needs 2.
    for (node, rank) in [(0, 2), (1, 1), (2, 0), (3, 0), (4, 0)] { order.add(node, rank: rank) }
    order.need(2, for: 1)
    order.need(1, for: 3)
    #expect(order.sorted().map(\.node) == [2, 4, 1, 3, 0])
  }

  @Test func `entries in a circle are absent, and only those`() {
    // 0 and 1 name each other; 2 names both and 3, which nobody needs it for.
    let found = sorted(
      [0, 1, 2, 3], [(0, 1, 0), (1, 0, 4), (2, 0, 0), (2, 1, 1), (2, 3, 2)])
    #expect(Set(found.map(\.node)) == [0, 1, 2, 3])
    #expect(found.last?.node == 2)
    #expect(found.first { $0.node == 0 }?.absent == [0])
    #expect(found.first { $0.node == 1 }?.absent == [4])
    #expect(found.first { $0.node == 2 }?.absent == [])
  }

  @Test func `a node that names itself, or its own history behind it, does not wait for that`() {
    #expect(sorted([0], [(0, 0, 3)]).map(\.absent) == [[3]])
    let found = sorted([0, 1, 2], [(1, 0, nil), (2, 1, nil), (0, 2, 7)])
    #expect(found.map(\.node) == [0, 1, 2] && found[0].absent == [7])
  }

  /// By the definition: an entry is absent from which the node itself can be reached.
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

  @Test func `it agrees with the definition, on graphs of all sorts`() throws {
    for seed in RandomRounds(2000) {
      var random = SplitMix64(seed: seed)
      let count = Int.random(in: 1...9, using: &random)
      var needs: [Need] = []
      // What cannot be absent is never in a circle by itself: an event goes on from an earlier one.
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
      var done: Set<Int> = []
      for (node, absent) in found {
        try #require(absent == expected[node] ?? [], "EVENTLOG_SEED=\(seed), node \(node)")
        for need in needs where need.node == node {
          let isAbsent = need.entry.map(absent.contains) ?? false
          try #require(isAbsent || done.contains(need.other), "EVENTLOG_SEED=\(seed)")
        }
        done.insert(node)
      }
    }
  }
}
