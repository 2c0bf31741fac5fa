/// Histories that part: nodes of consecutive events, each of which goes on from an event of another
/// node, or from nothing.
///
/// Each node knows one far node before it besides the next one, so that whatever is asked about
/// what is before an event takes O(log depth) steps, however often histories have parted (Myers,
/// "An applicative random-access stack", 1983).
protocol HistoryForest {
  /// The node that one goes on from; −1 for none.
  func parent(of node: Int) -> Int
  /// The sequence of the event there that it goes on from.
  func after(_ node: Int) -> Int64
  /// The sequence of its first event.
  func first(of node: Int) -> Int64
  /// Over how many nodes it goes on from the first event of its history.
  func depth(of node: Int) -> Int32
  /// One of these nodes (``jump(below:)``); of a first one itself.
  func jump(of node: Int) -> Int
}

extension HistoryForest {
  /// The far node of a node that goes on from `parent`.
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

  /// The last event of `other` that is before the events of `node` in their history; nil where that
  /// does not lead over `other`.
  func sequence(on other: Int, before node: Int) -> Int64? {
    let depth = self.depth(of: other) + 1
    guard self.depth(of: node) >= depth else { return nil }
    let child = ancestor(of: node, at: depth)
    return parent(of: child) == other ? after(child) : nil
  }

  /// The last event that two histories have in common, each up to an event; nil for none.
  func common(
    _ left: (node: Int, sequence: Int64), _ right: (node: Int, sequence: Int64)
  ) -> (node: Int, sequence: Int64)? {
    let depth = min(self.depth(of: left.node), self.depth(of: right.node))
    var (one, other) = (ancestor(of: left.node, at: depth), ancestor(of: right.node, at: depth))
    while one != other {
      if jump(of: one) != jump(of: other) {
        // Of two that begin their histories each is its own.
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

  /// The last event with a sequence below `limit` in the history up to `end`; nil for none.
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
