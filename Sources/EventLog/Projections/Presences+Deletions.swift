// Deletions, the restorations that end them, and the events that contest them.

extension Presences {
  /// Records a deletion and removes the events that it has seen.
  ///
  /// - Complexity: O(min(events kept for the entity, clock entries of the deletion)).
  package mutating func delete(_ entity: Int32, by deletion: Touch, _ ledger: Ledger) {
    let kept = max(Int(spans[Int(entity)].count), earlierCount(entity))
    let branch = deletion.dot.branch
    if kept > Self.unindexedMax, let seen = ledger.seen(by: branch, among: kept) {
      for (other, sequence) in seen.sorted(by: { $0.key < $1.key }) {
        removeTouch(of: entity, by: other, upTo: sequence)
      }
    } else {
      setTouches(
        of: entity, liveTouches(entity).filter { !$0.dot.isSeen(by: branch, ledger) })
      changeDeletions(of: entity) { state in
        for other in Array(state.earlier.keys) {
          state.removeEarlier(by: other, upTo: ledger.seen(Int(other), by: Int(branch)))
        }
      }
    }
    let count = spans[Int(entity)].count
    changeDeletions(of: entity) { state in
      state.live[branch, default: []].append(deletion)
      // No event that was applied before a deletion has seen it.
      state.isContested = count > 0 || !state.earlier.isEmpty
    }
  }

  private func earlierCount(_ entity: Int32) -> Int {
    let index = spans[Int(entity)].deletions
    return index < 0 ? 0 : deletions[Int(index)].earlier.count
  }

  /// Removes the events of a branch up to a sequence.
  private mutating func removeTouch(of entity: Int32, by branch: Int32, upTo sequence: Int64) {
    if spans[Int(entity)].deletions >= 0 {
      changeDeletions(of: entity) { $0.removeEarlier(by: branch, upTo: sequence) }
    }
    let span = spans[Int(entity)]
    let index = touchIndex(of: branch, in: span, entity)
    guard index >= 0, touches[Int(index)].dot.sequence <= sequence else { return }
    let last = touches[Int(span.start + span.count - 1)]
    touches[Int(index)] = last
    spans[Int(entity)].count -= 1
    if span.count - 1 == Self.unindexedMax {
      touchIndexes[entity] = nil
    } else if span.count > Self.unindexedMax {
      touchIndexes[entity]![last.dot.branch] = index
      touchIndexes[entity]![branch] = nil
    }
  }

  private mutating func setTouches(of entity: Int32, _ unseen: [Touch]) {
    let start = spans[Int(entity)].start
    for (offset, touch) in unseen.enumerated() { touches[Int(start) + offset] = touch }
    spans[Int(entity)].count = Int32(unseen.count)
    indexTouches(of: entity)
  }

  /// Changes the deletions of an entity, which are added if it has none.
  private mutating func changeDeletions(
    of entity: Int32, _ change: (inout EntityDeletions) -> Void
  ) {
    changeCount &+= 1
    var index = spans[Int(entity)].deletions
    if index < 0 {
      if let free = freeDeletions.popLast() {
        index = free
        deletions[Int(free)] = EntityDeletions(entity: entity)
      } else {
        index = Int32(deletions.count)
        deletions.append(EntityDeletions(entity: entity))
      }
      spans[Int(entity)].deletions = index
    }
    deletions.update(Int(index), change)
  }

  private mutating func endDeletions(of entity: Int32) {
    let index = spans[Int(entity)].deletions
    deletions[Int(index)] = EntityDeletions(entity: entity)
    freeDeletions.append(index)
    spans[Int(entity)].deletions = -1
  }

  /// Ends the deletions that the restoring event has seen.
  ///
  /// Call ``touch(_:by:_:)`` afterwards.
  ///
  /// - Complexity: O(min(branches with live deletions, clock entries of the event)). If only some
  ///   deletions end, also O(events that may contest the others).
  package mutating func restore(_ entity: Int32, by dot: Dot, _ ledger: Ledger) {
    let index = spans[Int(entity)].deletions
    guard index >= 0 else { return }
    let count = deletions[Int(index)].live.count
    var hasChanged = false
    if count > Self.unindexedMax, let seen = ledger.seen(by: dot.branch, among: count) {
      changeDeletions(of: entity) { state in
        for (branch, sequence) in seen {
          hasChanged = state.removeLive(by: branch, upTo: sequence) || hasChanged
        }
      }
    } else {
      changeDeletions(of: entity) { state in
        for branch in Array(state.live.keys) {
          let sequence = ledger.seen(Int(branch), by: Int(dot.branch))
          hasChanged = state.removeLive(by: branch, upTo: sequence) || hasChanged
        }
      }
    }
    if hasChanged { keepRestoration(of: entity, by: dot, ledger) }
    if deletions[Int(index)].live.isEmpty { return endDeletions(of: entity) }
    guard hasChanged, deletions[Int(index)].isContested else { return }
    let isContested = hasContesting(entity, ledger)
    changeDeletions(of: entity) { $0.isContested = isContested }
  }

  private mutating func keepRestoration(of entity: Int32, by dot: Dot, _ ledger: Ledger) {
    var kept = restorations[entity] ?? []
    // An empty array means that there were too many.
    if kept.isEmpty, restorations[entity] != nil { return }
    kept.removeAll { ledger.seen(Int($0.branch), by: Int(dot.branch)) >= $0.sequence }
    kept.append(dot.point)
    restorations[entity] = kept.count > Self.restorationsMax ? [] : kept
  }

  /// Returns true if no deletion of a contested entity is live in a cut, or nil if that is unknown.
  ///
  /// Live deletions are candidates, so the cut doesn't contain them. The others have ended in the
  /// cut if it contains the restorations.
  ///
  /// - Parameter cut: The events that all candidates had seen. It must be closed.
  func isThere(_ entity: Int32, in cut: PastCut) -> Bool? {
    guard let ended = restorations[entity] else { return true }
    return !ended.isEmpty && ended.allSatisfy(cut.contains) ? true : nil
  }

  /// Prepares the deletions of an entity for a new event on it.
  ///
  /// Keeps the previous event of its branch if the new one may have seen more deletions, and marks
  /// the entity as contested if the new event hasn't seen all of them.
  @inline(never)
  mutating func contest(_ entity: Int32, by touch: Touch, _ ledger: Ledger) {
    let span = spans[Int(entity)]
    let index = touchIndex(of: touch.dot.branch, in: span, entity)
    let latest = index < 0 ? nil : touches[Int(index)]
    // If the previous event of the branch has seen all deletions, so has this one. If it hasn't,
    // the entity is contested already.
    let contests =
      latest == nil && !deletions[Int(span.deletions)].isContested
      && misses(touch, deletions[Int(span.deletions)].live, ledger)
    let lastMark = ledger.branches[Int(touch.dot.branch)].lastMark
    changeDeletions(of: entity) { state in
      if contests { state.isContested = true }
      if let latest, lastMark > latest.dot.sequence {
        state.earlier[touch.dot.branch, default: []].append(latest)
      }
    }
  }

  // MARK: - Reading

  /// The live deletions, by branch.
  package func liveDeletions(_ entity: Int32) -> [Touch] {
    let index = spans[Int(entity)].deletions
    if index < 0 { return [] }
    return deletions[Int(index)].live.sorted { $0.key < $1.key }.flatMap(\.value)
  }

  package func isHidden(_ entity: Int32) -> Bool {
    let index = spans[Int(entity)].deletions
    return index >= 0 && !deletions[Int(index)].isContested
  }

  package func isContested(_ entity: Int32) -> Bool {
    let index = spans[Int(entity)].deletions
    return index >= 0 && deletions[Int(index)].isContested
  }

  /// Whether an event that no deletion has seen is concurrent with one of the deletions.
  func hasContesting(_ entity: Int32, _ ledger: Ledger) -> Bool {
    let state = deletions[Int(spans[Int(entity)].deletions)]
    // The oldest event has seen the least.
    return state.earlier.values.contains { misses($0[0], state.live, ledger) }
      || liveTouches(entity).contains { misses($0, state.live, ledger) }
  }

  private func misses(
    _ touch: Touch, _ live: [Int32: [Touch]], _ ledger: Ledger
  ) -> Bool {
    live.values.contains { deletions in
      deletions.last.map { !ledger.hasSeen(touch.dot.point, $0.dot.point) } ?? false
    }
  }

  /// For each device, its latest event that contests a live deletion.
  package func contesting(_ entity: Int32, _ ledger: Ledger) -> [Touch] {
    guard isContested(entity) else { return [] }
    let state = deletions[Int(spans[Int(entity)].deletions)]
    let latest = liveTouches(entity).compactMap { touch in
      ((state.earlier[touch.dot.branch] ?? []) + [touch])
        .last { misses($0, state.live, ledger) }
    }
    return Self.lastOfDevices(latest, ledger).sorted { $0.dot.branch < $1.dot.branch }
  }
}

extension Presences.EntityDeletions {
  fileprivate mutating func removeEarlier(by branch: Int32, upTo sequence: Int64) {
    guard let first = earlier[branch]?.first, first.dot.sequence <= sequence else { return }
    earlier[branch]!.removeAll { $0.dot.sequence <= sequence }
    if earlier[branch]!.isEmpty { earlier[branch] = nil }
  }

  /// - Returns: Whether a deletion was removed.
  fileprivate mutating func removeLive(by branch: Int32, upTo sequence: Int64) -> Bool {
    guard let first = live[branch]?.first, first.dot.sequence <= sequence else { return false }
    live[branch]!.removeAll { $0.dot.sequence <= sequence }
    if live[branch]!.isEmpty { live[branch] = nil }
    return true
  }
}
