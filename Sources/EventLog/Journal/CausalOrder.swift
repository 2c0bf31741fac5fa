/// Sorts nodes so that each comes behind what it needs, and else by rank: one of a higher rank
/// comes only where none of a lower one can. Within a rank it is the order of their numbers as far
/// as that goes.
///
/// Needs of entries may be in a circle; then they count as absent (all entries from which the node
/// itself can be reached). Kahn, "Topological sorting of large networks", 1962; circles by Tarjan,
/// "Depth-first search and linear graph algorithms", 1972.
struct CausalOrder {
  private struct Need {
    var node: Int32
    /// Which entry of `seen` it is; −1 for one that cannot be absent.
    var entry: Int32
    /// The next need of the same node, or −1.
    var next: Int32
  }

  /// Per node its rank; −1 for one that was not added.
  private var ranks: [Int32]
  private var firstNeed: [Int32]
  private var needs: [Need] = []

  init(count: Int) {
    ranks = Array(repeating: -1, count: count)
    firstNeed = Array(repeating: -1, count: count)
  }

  mutating func add(_ node: Int, rank: Int = 0) { ranks[node] = Int32(rank) }

  private var nodes: some Sequence<Int> { ranks.indices.lazy.filter { ranks[$0] >= 0 } }

  /// Takes note that `node` needs another one.
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

  /// The nodes in order, each with the entries that count as absent.
  ///
  /// - Complexity: O(nodes · log ranks + needs).
  func sorted() -> [(node: Int, absent: Set<Int>)] {
    let plain = kahn(ignoring: [:])
    let count = ranks.count { $0 >= 0 }
    if plain.count == count { return plain.map { ($0, []) } }
    let absent = entriesInCircles(besides: Set(plain))
    return kahn(ignoring: absent).map { ($0, absent[$0] ?? []) }
  }

  private func kahn(ignoring absent: [Int: Set<Int>]) -> [Int] {
    var left = [Int32](repeating: 0, count: ranks.count)
    var firstUser = [Int32](repeating: -1, count: ranks.count)
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
    // What can come now, by rank, and how much of it has come.
    var ready = [[Int]](repeating: [], count: Int(ranks.max() ?? 0) + 1)
    var next = [Int](repeating: 0, count: ready.count)
    // The ranks of which some can come.
    var open = MinHeap<Int>()
    func add(_ node: Int) {
      let rank = Int(ranks[node])
      if next[rank] == ready[rank].count { open.insert(rank) }
      ready[rank].append(node)
    }
    for node in nodes where left[node] == 0 { add(node) }
    var order: [Int] = []
    while let rank = open.least {
      order.append(ready[rank][next[rank]])
      next[rank] += 1
      if next[rank] == ready[rank].count { _ = open.popLeast() }
      var user = firstUser[order[order.count - 1]]
      while user >= 0 {
        let node = Int(users[Int(user)].node)
        left[node] -= 1
        if left[node] == 0 { add(node) }
        user = users[Int(user)].next
      }
    }
    return order
  }

  /// Per node its entries that lead back to it.
  private func entriesInCircles(besides done: Set<Int>) -> [Int: Set<Int>] {
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

  /// Per node the number of its strongly connected component.
  private func components(besides done: Set<Int>) -> [Int: Int] {
    var number: [Int: Int] = [:]
    var low: [Int: Int] = [:]
    var component: [Int: Int] = [:]
    var open: [Int] = []
    // Each with the need that is looked at next.
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
