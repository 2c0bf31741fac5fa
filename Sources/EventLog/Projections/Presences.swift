/// The presence mechanism: whether an entity is there, hidden, or contested.
///
/// A deletion is live until a restoration has seen it. An entity with live deletions is hidden,
/// unless some event that names it is concurrent with a live deletion and seen by no deletion at
/// all: then it stays visible, as a conflict. Deletions do not contest each other.
package struct Presences: Sendable {
  /// An event of a device that names the entity.
  package struct Touch: Sendable, Hashable {
    package var dot: Dot
    /// Its type, as the fold numbers types.
    package var type: Int32
  }

  /// A deletion that no restoration has seen.
  package struct Deletion: Sendable {
    package var touch: Touch
    /// Per device its latest event that names the entity, is concurrent with this deletion, and was
    /// seen by no deletion.
    package fileprivate(set) var contesting: [Touch]
  }

  private struct TouchNode {
    var touch: Touch
    var next: Int32
  }

  /// Per entity its first node: per device the latest event that no deletion has seen.
  private var firsts: [Int32] = []
  private var nodes: [TouchNode] = []
  private var free: [Int32] = []
  private var deletions: [Int32: [Deletion]] = [:]

  package init() {}

  /// Makes room for one more entity.
  package mutating func addEntity() { firsts.append(-1) }

  /// Takes note of an event that names the entity and does not delete it.
  @inline(__always)
  package mutating func touch(_ entity: Int32, by touch: Touch, _ ledger: Ledger) {
    var node = firsts[Int(entity)]
    while node >= 0, nodes[Int(node)].touch.dot.device != touch.dot.device {
      node = nodes[Int(node)].next
    }
    if node >= 0 {
      nodes[Int(node)].touch = touch
    } else {
      addNode(entity, touch)
    }
    if !deletions.isEmpty { contest(entity, by: touch, ledger) }
  }

  package mutating func delete(_ entity: Int32, by deletion: Touch, _ ledger: Ledger) {
    func isSeen(_ touch: Touch) -> Bool { touch.dot.isSeen(by: deletion.dot.device, ledger) }
    var unseen: [Touch] = []
    var node = firsts[Int(entity)]
    while node >= 0 {
      if !isSeen(nodes[Int(node)].touch) { unseen.append(nodes[Int(node)].touch) }
      free.append(node)
      node = nodes[Int(node)].next
    }
    firsts[Int(entity)] = -1
    for touch in unseen { addNode(entity, touch) }
    // Taken out and put back, so that the list is changed in place.
    var live = deletions.removeValue(forKey: entity) ?? []
    for index in live.indices { live[index].contesting.removeAll(where: isSeen) }
    live.append(Deletion(touch: deletion, contesting: unseen))
    deletions[entity] = live
  }

  /// Ends the deletions that the restoring event has seen; call ``touch(_:by:_:)`` after it.
  package mutating func restore(_ entity: Int32, by dot: Dot, _ ledger: Ledger) {
    guard var live = deletions.removeValue(forKey: entity) else { return }
    live.removeAll { $0.touch.dot.isSeen(by: dot.device, ledger) }
    deletions[entity] = live.isEmpty ? nil : live
  }

  private mutating func addNode(_ entity: Int32, _ touch: Touch) {
    let added = TouchNode(touch: touch, next: firsts[Int(entity)])
    if let free = free.popLast() {
      nodes[Int(free)] = added
      firsts[Int(entity)] = free
    } else {
      nodes.append(added)
      firsts[Int(entity)] = Int32(nodes.count - 1)
    }
  }

  @inline(never)
  private mutating func contest(_ entity: Int32, by touch: Touch, _ ledger: Ledger) {
    guard var live = deletions.removeValue(forKey: entity) else { return }
    for index in live.indices {
      if live[index].touch.dot.isSeen(by: touch.dot.device, ledger) { continue }
      live[index].contesting.removeAll { $0.dot.device == touch.dot.device }
      live[index].contesting.append(touch)
    }
    deletions[entity] = live
  }

  // MARK: - Reading

  /// The live deletions, oldest first by arrival.
  package func liveDeletions(_ entity: Int32) -> [Deletion] { deletions[entity] ?? [] }

  package func isHidden(_ entity: Int32) -> Bool {
    guard let live = deletions[entity] else { return false }
    return live.allSatisfy(\.contesting.isEmpty)
  }

  package func isContested(_ entity: Int32) -> Bool {
    guard let live = deletions[entity] else { return false }
    return live.contains { !$0.contesting.isEmpty }
  }

  /// Per device the latest event that contests a live deletion.
  package func contesting(_ entity: Int32) -> [Touch] {
    var latest: [Int32: Touch] = [:]
    for touch in liveDeletions(entity).flatMap(\.contesting) {
      let known = latest[touch.dot.device]
      if known.map({ $0.dot.sequence < touch.dot.sequence }) ?? true {
        latest[touch.dot.device] = touch
      }
    }
    // In an order of its own: that of a dictionary differs from call to call.
    return latest.values.sorted { $0.dot.device < $1.dot.device }
  }
}
