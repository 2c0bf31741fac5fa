/// Sorts nodes so that each follows those that it needs. Nodes without needs come first, by number.
///
/// Entries of `seen` may form cycles. If the nodes can't all be sorted, each entry that leads back
/// to its own node counts as absent. Kahn, "Topological sorting of large networks", 1962; cycles by
/// Tarjan, "Depth-first search and linear graph algorithms", 1972.
struct CausalOrder {
  private struct Need {
    var node: Int32
    /// The index of the entry of `seen`, or −1 for a need that can't be absent.
    var entry: Int32
    /// The index of the next need of the same node, or −1.
    var next: Int32
  }

  private var isAdded: [Bool]
  private var firstNeed: [Int32]
  private var needs: [Need] = []

  init(count: Int) {
    isAdded = Array(repeating: false, count: count)
    firstNeed = Array(repeating: -1, count: count)
  }

  mutating func add(_ node: Int) { isAdded[node] = true }

  private var nodes: some Sequence<Int> { isAdded.indices.lazy.filter { isAdded[$0] } }

  /// Records that `node` needs another node.
  mutating func need(_ other: Int, for node: Int, entry: Int = -1) {
    needs.append(Need(node: Int32(other), entry: Int32(entry), next: firstNeed[node]))
    firstNeed[node] = Int32(needs.count - 1)
  }

  private func forEachNeed(of node: Int, _ body: (Need) -> Void) {
    var index = firstNeed[node]
    while index >= 0 {
      body(needs[Int(index)])
      index = needs[Int(index)].next
    }
  }

  /// Returns the nodes in order, each with the entries that count as absent.
  ///
  /// - Complexity: O(nodes + needs).
  func sorted() -> [(node: Int, absent: Set<Int>)] {
    let plain = kahn(ignoring: [:])
    if plain.count == isAdded.count(where: \.self) { return plain.map { ($0, []) } }
    let absent = entriesInCycles(besides: Set(plain))
    return kahn(ignoring: absent).map { ($0, absent[$0] ?? []) }
  }

  private func kahn(ignoring absent: [Int: Set<Int>]) -> [Int] {
    var left = [Int32](repeating: 0, count: isAdded.count)
    var firstUser = [Int32](repeating: -1, count: isAdded.count)
    var users: [(node: Int32, next: Int32)] = []
    users.reserveCapacity(needs.count)
    for node in nodes {
      let ignored = absent[node]
      forEachNeed(of: node) { need in
        if let ignored, need.entry >= 0, ignored.contains(Int(need.entry)) { return }
        left[node] += 1
        users.append((Int32(node), firstUser[Int(need.node)]))
        firstUser[Int(need.node)] = Int32(users.count - 1)
      }
    }
    var order = nodes.filter { left[$0] == 0 }
    var next = 0
    while next < order.count {
      var user = firstUser[order[next]]
      next += 1
      while user >= 0 {
        let node = Int(users[Int(user)].node)
        left[node] -= 1
        if left[node] == 0 { order.append(node) }
        user = users[Int(user)].next
      }
    }
    return order
  }

  /// For each node, its entries that are part of a cycle.
  private func entriesInCycles(besides done: Set<Int>) -> [Int: Set<Int>] {
    let component = components(besides: done)
    var absent: [Int: Set<Int>] = [:]
    for node in nodes where !done.contains(node) {
      forEachNeed(of: node) { need in
        if need.entry >= 0, component[Int(need.node)] == component[node] {
          absent[node, default: []].insert(Int(need.entry))
        }
      }
    }
    return absent
  }

  /// The number of each node's strongly connected component.
  private func components(besides done: Set<Int>) -> [Int: Int] {
    var number: [Int: Int] = [:]
    var low: [Int: Int] = [:]
    var component: [Int: Int] = [:]
    var open: [Int] = []
    // The nodes being visited, each with its next need.
    var path: [(node: Int, need: Int32)] = []
    for root in nodes where !done.contains(root) && number[root] == nil {
      path = [(root, firstNeed[root])]
      (number[root], low[root]) = (number.count, number.count)
      open.append(root)
      while let (node, need) = path.last {
        if need >= 0 {
          path[path.count - 1].need = needs[Int(need)].next
          let other = Int(needs[Int(need)].node)
          if done.contains(other) { continue }
          if let known = number[other] {
            if component[other] == nil { low[node] = min(low[node]!, known) }
          } else {
            let next = number.count
            (number[other], low[other]) = (next, next)
            open.append(other)
            path.append((other, firstNeed[other]))
          }
        } else {
          path.removeLast()
          if let parent = path.last?.node { low[parent] = min(low[parent]!, low[node]!) }
          guard low[node] == number[node] else { continue }
          while let member = open.popLast() {
            component[member] = number[node]
            if member == node { break }
          }
        }
      }
    }
    return component
  }
}
