/// Histories with forks: nodes of consecutive events, each of which continues an event of another
/// node or nothing.
///
/// Each node refers to its parent and to one distant ancestor, so that queries about earlier events
/// take O(log depth) steps, however many forks there are. See Myers, "An applicative random-access
/// stack", 1983.
protocol HistoryForest {
  /// The parent of a node, or −1.
  func parent(of node: Int) -> Int
  /// The sequence of the event in the parent that the node continues.
  func after(_ node: Int) -> Int64
  /// The sequence of the node's first event.
  func first(of node: Int) -> Int64
  /// The number of ancestors of a node.
  func depth(of node: Int) -> Int32
  /// A distant ancestor (``jump(below:)``), or the node itself if it has no parent.
  func jump(of node: Int) -> Int
}

extension HistoryForest {
  /// The distant ancestor of a node whose parent is `parent`.
  func jump(below parent: Int) -> Int {
    let near = jump(of: parent)
    let far = jump(of: near)
    let isLevel = depth(of: parent) - depth(of: near) == depth(of: near) - depth(of: far)
    return isLevel ? far : parent
  }

  private func ancestor(of node: Int, at depth: Int32) -> Int {
    var at = node
    while self.depth(of: at) > depth {
      let far = jump(of: at)
      at = self.depth(of: far) >= depth ? far : parent(of: at)
    }
    return at
  }

  /// The last event of `other` before the events of `node` in their history, or nil if `other`
  /// isn't an ancestor of `node`.
  func sequence(on other: Int, before node: Int) -> Int64? {
    let depth = self.depth(of: other) + 1
    guard self.depth(of: node) >= depth else { return nil }
    let child = ancestor(of: node, at: depth)
    return parent(of: child) == other ? after(child) : nil
  }

  /// The last common event of two histories up to these events, or nil if there is none.
  func common(
    _ left: (node: Int, sequence: Int64), _ right: (node: Int, sequence: Int64)
  ) -> (node: Int, sequence: Int64)? {
    let depth = min(self.depth(of: left.node), self.depth(of: right.node))
    var (one, other) = (ancestor(of: left.node, at: depth), ancestor(of: right.node, at: depth))
    while one != other {
      if jump(of: one) != jump(of: other) {
        // A root is its own distant ancestor.
        if self.depth(of: one) == 0 { return nil }
        (one, other) = (jump(of: one), jump(of: other))
      } else {
        (one, other) = (parent(of: one), parent(of: other))
      }
    }
    func last(_ end: (node: Int, sequence: Int64)) -> Int64 {
      end.node == one ? end.sequence : sequence(on: one, before: end.node) ?? 0
    }
    return (one, min(last(left), last(right)))
  }

  /// The last event with a sequence below `limit` in the history up to `end`, or nil if there is
  /// none.
  func last(
    before limit: Int64, inHistoryOf end: (node: Int, sequence: Int64)
  ) -> (node: Int, sequence: Int64)? {
    var at = end.node
    while first(of: at) >= limit {
      let far = jump(of: at)
      if far != at, first(of: far) >= limit {
        at = far
      } else {
        at = parent(of: at)
        if at < 0 { return nil }
      }
    }
    let last = at == end.node ? end.sequence : sequence(on: at, before: end.node) ?? 0
    return (at, min(last, limit - 1))
  }
}
