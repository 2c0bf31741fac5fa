/// The presence mechanism: whether an entity is visible, hidden, or contested.
///
/// A deletion is live until a restoration has seen it. An entity with live deletions is hidden,
/// unless an event on it is concurrent with a live deletion and was seen by no deletion at all:
/// then it stays visible, with a conflict. Deletions don't contest each other.
package struct Presences: Sendable {
  /// An event on an entity.
  package struct Touch: Sendable, Hashable, BitwiseCopyable {
    package var dot: Dot
    /// The number of its type in the fold.
    package var type: Int32
  }

  /// The live deletions of an entity, and the events that may contest them.
  struct EntityDeletions: Sendable {
    var entity: Int32
    /// The live deletions of each branch, oldest first.
    var live: [Int32: [Touch]] = [:]
    /// The events of each branch that no deletion has seen, oldest first, without its latest event:
    /// they may have seen fewer deletions than that one.
    var earlier: [Int32: [Touch]] = [:]
    /// Whether one of these events, or a latest one, hasn't seen one of the deletions.
    var isContested = false
  }

  /// The position of an entity's touches: the first `count` elements of a run of `capacity`.
  ///
  /// The run is contiguous, so searching the few branches of an entity costs one cache miss.
  struct Span: Sendable {
    var start: Int32 = 0
    var count: Int32 = 0
    var capacity: Int32 = 0
    /// The entity's live deletions: an index into `deletions`, or −1.
    var deletions: Int32 = -1
  }

  /// For each entity, the latest event of each branch, except those that a deletion has seen.
  var spans = PagedArray<Span>()
  var touches = PagedArray<Touch>()
  /// The index in `touches` of each branch's latest event, for entities with many branches.
  var touchIndexes: [Int32: [Int32: Int32]] = [:]
  /// The starts of free runs, by the binary logarithm of their capacity.
  private var free = Array(repeating: PagedArray<Int32>(), count: 32)
  /// The deletions of the entities that have live ones. Free elements contain none.
  var deletions = PagedArray<EntityDeletions>()
  var freeDeletions = PagedArray<Int32>()
  /// For each entity with ended deletions, the restorations that ended them, without those that
  /// another one has seen; empty if there were too many.
  var restorations: [Int32: [Ledger.Point]] = [:]
  /// The maximum number of restorations kept for an entity.
  static let restorationsMax = 16

  /// Grows whenever the live deletions of an entity change, or the events that contest them.
  var changeCount = 0

  package init() {}

  /// Adds an entity and returns its number.
  @discardableResult
  package mutating func addEntity() -> Int32 {
    spans.append(Span())
    return Int32(spans.count - 1)
  }

  /// Records an event on an entity that doesn't delete it.
  ///
  /// An import never contests a deletion: its events aren't recorded.
  @inline(__always)
  package mutating func touch(_ entity: Int32, by touch: Touch, _ ledger: Ledger) {
    if ledger.isSource(touch.dot.branch) { return }
    let span = spans[Int(entity)]
    if span.deletions >= 0 { contest(entity, by: touch, ledger) }
    let index = touchIndex(of: touch.dot.branch, in: span, entity)
    if index >= 0 {
      touches[Int(index)] = touch
    } else {
      add(touch, to: entity)
    }
  }

  /// The index in `touches` of a branch's latest event, or −1.
  @inline(__always)
  func touchIndex(of branch: Int32, in span: Span, _ entity: Int32) -> Int32 {
    if span.count > Self.unindexedMax { return touchIndexes[entity]?[branch] ?? -1 }
    var index = span.start
    while index < span.start &+ span.count {
      if touches[Int(index)].dot.branch == branch { return index }
      index &+= 1
    }
    return -1
  }

  /// An entity with the touches of more branches than this has an index in ``touchIndexes``.
  static let unindexedMax: Int32 = 32

  /// Builds the index of an entity's touches, if there are many.
  mutating func indexTouches(of entity: Int32) {
    let span = spans[Int(entity)]
    guard span.count > Self.unindexedMax else {
      if !touchIndexes.isEmpty { touchIndexes[entity] = nil }
      return
    }
    var found: [Int32: Int32] = [:]
    for index in span.start..<(span.start + span.count) {
      found[touches[Int(index)].dot.branch] = index
    }
    touchIndexes[entity] = found
  }

  @inline(never)
  private mutating func add(_ touch: Touch, to entity: Int32) {
    var span = spans[Int(entity)]
    let hasMoved = span.count == span.capacity
    if hasMoved {
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
    if span.count == Self.unindexedMax + 1 || hasMoved {
      indexTouches(of: entity)
    } else if span.count > Self.unindexedMax {
      touchIndexes[entity]![touch.dot.branch] = span.start + span.count - 1
    }
  }

  // MARK: - Reading

  /// The touches from which no other touch descends.
  ///
  /// After a fork, the latest events of two branches of a device may follow one another.
  ///
  /// - Complexity: O(touches + branches before them).
  static func lastOfDevices(_ touches: [Touch], _ ledger: Ledger) -> [Touch] {
    // For each branch, the last sequence that one of the touches descends from.
    var limits: [Int32: Int64] = [:]
    for touch in touches {
      var at = ledger.branches[Int(touch.dot.branch)]
      while at.parent >= 0 {
        let known = limits[at.parent]
        limits[at.parent] = max(known ?? 0, at.after)
        if known != nil { break }
        at = ledger.branches[Int(at.parent)]
      }
    }
    if limits.isEmpty { return touches }
    return touches.filter { $0.dot.sequence > limits[$0.dot.branch] ?? 0 }
  }

  /// The entities that are visible although a deletion is live.
  ///
  /// - Complexity: O(entities ever deleted).
  var contestedEntities: [Int32] {
    deletions.indices.map { deletions[$0] }.filter { !$0.live.isEmpty }.map(\.entity)
      .filter(isContested)
  }

  /// The latest event of each branch, except those that a deletion has seen.
  package func liveTouches(_ entity: Int32) -> [Touch] {
    let span = spans[Int(entity)]
    return (span.start..<(span.start + span.count)).map { touches[Int($0)] }
  }
}

// MARK: - Tables

extension Presences {
  /// A touch with its entity and its role.
  private struct StoredTouch {
    var touch = Touch(dot: Dot(branch: 0, sequence: 0, at: 0), type: 0)
    var entity: Int32 = 0
    var sort = Self.latest

    static let latest: UInt8 = 0
    static let earlier: UInt8 = 1
    static let deletion: UInt8 = 2
    /// A deletion of an entity that is contested.
    static let contestedDeletion: UInt8 = 3
  }

  /// A restoration. Its branch is −1 for an entity that had too many.
  private struct StoredRestoration {
    var entity: Int32 = 0
    var event = Ledger.Point(branch: -1, sequence: 0)
  }

  mutating func forEachTable(
    _ visitor: inout TableVisitor, entityCount: Int, typeCount: Int
  ) throws(ColumnFault) {
    visitor.derived(&spans)
    visitor.derived(&touches)
    visitor.derived(&free)
    visitor.derived(&deletions)
    visitor.derived(&freeDeletions)
    var touches = visitor.isWriting ? storedTouches : []
    try visitor.rows(
      &touches, StoredTouch(),
      [
        Column(\.entity, below: entityCount),
        Column(\.sort, in: 0...Int64(StoredTouch.contestedDeletion)),
        Column(\.touch.type, below: typeCount),
      ] + Column.dot(\.touch.dot))
    var restored = visitor.isWriting ? storedRestorations : []
    try visitor.rows(
      &restored, StoredRestoration(),
      [Column(\.entity, below: entityCount)]
        + Column.event(\.event.branch, \.event.sequence, orNone: true))
    guard visitor.isReading else { return }
    for _ in 0..<entityCount { addEntity() }
    for run in try touches.runs(by: \.entity) { try add(touches[run]) }
    for run in try restored.runs(by: \.entity) {
      let events = restored[run].map(\.event).filter { $0.branch >= 0 }
      guard events.count <= Self.restorationsMax else { throw ColumnFault() }
      restorations[restored[run.lowerBound].entity] = events
    }
  }

  private var storedTouches: [StoredTouch] {
    spans.indices.flatMap { entity in
      func stored(_ touches: [Touch], _ sort: UInt8) -> [StoredTouch] {
        touches.map { StoredTouch(touch: $0, entity: Int32(entity), sort: sort) }
      }
      func stored(_ touches: [Int32: [Touch]], _ sort: UInt8) -> [StoredTouch] {
        stored(touches.sorted { $0.key < $1.key }.flatMap(\.value), sort)
      }
      let latest = stored(liveTouches(Int32(entity)), StoredTouch.latest)
      let list = Int(spans[entity].deletions)
      if list < 0 { return latest }
      let state = deletions[list]
      return latest + stored(state.earlier, StoredTouch.earlier)
        + stored(
          state.live,
          state.isContested ? StoredTouch.contestedDeletion : StoredTouch.deletion)
    }
  }

  private var storedRestorations: [StoredRestoration] {
    restorations.sorted { $0.key < $1.key }.flatMap { entity, events in
      events.isEmpty
        ? [StoredRestoration(entity: entity)]
        : events.map { StoredRestoration(entity: entity, event: $0) }
    }
  }

  /// Adds the stored touches of an entity.
  private mutating func add(_ stored: ArraySlice<StoredTouch>) throws(ColumnFault) {
    guard let entity = stored.first?.entity else { return }
    let latest = stored.prefix { $0.sort == StoredTouch.latest }
    var span = Span(start: Int32(touches.count), count: Int32(latest.count))
    if let last = latest.last {
      while span.capacity < span.count { span.capacity = max(1, span.capacity * 2) }
      for touch in latest { touches.append(touch.touch) }
      for _ in span.count..<span.capacity { touches.append(last.touch) }
    }
    if latest.count < stored.count {
      func touches(_ sort: UInt8) -> [Int32: [Touch]] {
        let rest = stored.dropFirst(latest.count).filter { $0.sort == sort }
        return Dictionary(grouping: rest.map(\.touch), by: \.dot.branch)
      }
      let contested = touches(StoredTouch.contestedDeletion)
      let live = contested.isEmpty ? touches(StoredTouch.deletion) : contested
      guard !live.isEmpty else { throw ColumnFault() }
      span.deletions = Int32(deletions.count)
      deletions.append(
        EntityDeletions(
          entity: entity, live: live, earlier: touches(StoredTouch.earlier),
          isContested: !contested.isEmpty))
    }
    spans[Int(entity)] = span
    indexTouches(of: entity)
  }
}
