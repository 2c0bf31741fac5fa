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
    package internal(set) var contesting: [Touch]
  }

  struct EntityDeletions: Sendable {
    var entity: Int32
    var live: [Deletion]
  }

  /// Where the touches of an entity stand: the first `count` of a run of `capacity`, side by side,
  /// so that looking through the few devices of an entity is one visit to memory.
  struct Span: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
    var capacity: Int32 = 0
    /// Its live deletions: an index into `deletions`, or −1.
    var deletions: Int32 = -1
  }

  /// Per entity and device the latest event that no deletion has seen.
  var spans = PagedArray<Span>()
  var touches = PagedArray<Touch>()
  /// Runs that were outgrown, by the binary logarithm of their length.
  private var free = Array(repeating: PagedArray<Int32>(), count: 32)
  /// The live deletions of the entities that have some; none in a list that is free.
  var deletions = PagedArray<EntityDeletions>()
  private var freeDeletions = PagedArray<Int32>()

  /// Grows whenever the live deletions of an entity or what contests them change.
  private(set) var changeCount = 0

  package init() {}

  /// Lets copies share what neither changes.
  package mutating func paginate() {
    spans.paginate()
    touches.paginate()
    for order in free.indices { free[order].paginate() }
    deletions.paginate()
    freeDeletions.paginate()
  }

  /// Makes room for one more entity, and returns its number.
  @discardableResult
  package mutating func addEntity() -> Int32 {
    spans.append(Span())
    return Int32(spans.count - 1)
  }

  /// Takes note of an event that names the entity and does not delete it.
  @inline(__always)
  package mutating func touch(_ entity: Int32, by touch: Touch, _ ledger: Ledger) {
    let span = spans[Int(entity)]
    var place = span.start
    while place < span.start &+ span.count,
      touches[Int(place)].dot.branch != touch.dot.branch
    {
      place &+= 1
    }
    if place < span.start &+ span.count {
      touches[Int(place)] = touch
    } else {
      add(touch, to: entity)
    }
    if span.deletions >= 0 { contest(entity, by: touch, ledger) }
  }

  package mutating func delete(_ entity: Int32, by deletion: Touch, _ ledger: Ledger) {
    func isSeen(_ touch: Touch) -> Bool { touch.dot.isSeen(by: deletion.dot.branch, ledger) }
    let span = spans[Int(entity)]
    let unseen = liveTouches(entity).filter { !isSeen($0) }
    for (offset, touch) in unseen.enumerated() { touches[Int(span.start) + offset] = touch }
    spans[Int(entity)].count = Int32(unseen.count)
    var live = liveDeletions(entity)
    for index in live.indices { live[index].contesting.removeAll(where: isSeen) }
    live.append(Deletion(touch: deletion, contesting: unseen))
    setDeletions(of: entity, live)
  }

  private mutating func setDeletions(of entity: Int32, _ live: [Deletion]) {
    changeCount &+= 1
    let place = spans[Int(entity)].deletions
    let live = EntityDeletions(entity: entity, live: live)
    if place >= 0 {
      deletions[Int(place)] = live
      if live.live.isEmpty {
        freeDeletions.append(place)
        spans[Int(entity)].deletions = -1
      }
    } else if let free = freeDeletions.popLast() {
      deletions[Int(free)] = live
      spans[Int(entity)].deletions = free
    } else {
      deletions.append(live)
      spans[Int(entity)].deletions = Int32(deletions.count - 1)
    }
  }

  /// Ends the deletions that the restoring event has seen; call ``touch(_:by:_:)`` after it.
  package mutating func restore(_ entity: Int32, by dot: Dot, _ ledger: Ledger) {
    guard spans[Int(entity)].deletions >= 0 else { return }
    setDeletions(
      of: entity,
      liveDeletions(entity).filter { !$0.touch.dot.isSeen(by: dot.branch, ledger) })
  }

  @inline(never)
  private mutating func add(_ touch: Touch, to entity: Int32) {
    var span = spans[Int(entity)]
    if span.count == span.capacity {
      let capacity = max(1, span.capacity * 2)
      let order = Int(capacity).trailingZeroBitCount
      let start: Int32
      if let run = free[order].popLast() {
        start = run
      } else {
        start = Int32(touches.count)
        for _ in 0..<capacity { touches.append(touch) }
      }
      for offset in 0..<span.count {
        touches[Int(start + offset)] = touches[Int(span.start + offset)]
      }
      if span.capacity > 0 { free[Int(span.capacity).trailingZeroBitCount].append(span.start) }
      span.start = start
      span.capacity = capacity
    }
    touches[Int(span.start + span.count)] = touch
    span.count += 1
    spans[Int(entity)] = span
  }

  @inline(never)
  private mutating func contest(_ entity: Int32, by touch: Touch, _ ledger: Ledger) {
    var live = liveDeletions(entity)
    for index in live.indices {
      if live[index].touch.dot.isSeen(by: touch.dot.branch, ledger) { continue }
      live[index].contesting.removeAll { $0.dot.branch == touch.dot.branch }
      live[index].contesting.append(touch)
    }
    setDeletions(of: entity, live)
  }

  // MARK: - Reading

  /// Those that no device wrote another of them behind: an event with two names is of two devices,
  /// and kept for one.
  static func lastOfDevices(_ touches: [Touch], _ ledger: Ledger) -> [Touch] {
    touches.filter { touch in !touches.contains { touch.dot.isFollowed(by: $0.dot, ledger) } }
  }

  /// The entities that are visible although a deletion is live. O(entities ever deleted).
  var contestedEntities: [Int32] {
    deletions.indices.map { deletions[$0] }.filter { !$0.live.isEmpty }.map(\.entity)
      .filter(isContested)
  }

  /// The live deletions, oldest first by arrival.
  package func liveDeletions(_ entity: Int32) -> [Deletion] {
    let place = spans[Int(entity)].deletions
    return place < 0 ? [] : deletions[Int(place)].live
  }

  /// Per device the latest event that no deletion has seen.
  func liveTouches(_ entity: Int32) -> [Touch] {
    let span = spans[Int(entity)]
    return (span.start..<(span.start + span.count)).map { touches[Int($0)] }
  }

  package func isHidden(_ entity: Int32) -> Bool {
    guard spans[Int(entity)].deletions >= 0 else { return false }
    return liveDeletions(entity).allSatisfy(\.contesting.isEmpty)
  }

  package func isContested(_ entity: Int32) -> Bool {
    guard spans[Int(entity)].deletions >= 0 else { return false }
    return liveDeletions(entity).contains { !$0.contesting.isEmpty }
  }

  /// Per device the latest event that contests a live deletion.
  package func contesting(_ entity: Int32, _ ledger: Ledger) -> [Touch] {
    var latest: [Int32: Touch] = [:]
    for touch in liveDeletions(entity).flatMap(\.contesting) {
      let known = latest[touch.dot.branch]
      if known.map({ $0.dot.sequence < touch.dot.sequence }) ?? true {
        latest[touch.dot.branch] = touch
      }
    }
    // In an order of its own: that of a dictionary differs from call to call.
    return Self.lastOfDevices(Array(latest.values), ledger)
      .sorted { $0.dot.branch < $1.dot.branch }
  }
}
