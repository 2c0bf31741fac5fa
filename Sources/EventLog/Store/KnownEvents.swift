/// The events that a journal holds, without what they say: what each is called, and what it had
/// seen.
package struct KnownEvents: Sendable {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// The event's ID as it is shown: with its chain only where two events that are held have the
  /// short one.
  package func id(of event: FullEventID) -> EventID {
    ledger.shownID(of: event)
  }

  /// Whether two copies have written under one device ID: only then a short ID may name two events.
  package var hasForks: Bool { !ledger.forks.isEmpty }

  /// What is named and not held, and nobody has acknowledged to be lost.
  package var lacking: [EventRange] { ledger.unacknowledgedRanges }

  /// Whether the event is held.
  package func holds(_ event: FullEventID) -> Bool { ledger.holds(event) }

  /// What the event's writer held when it wrote it, and the event itself; empty for an event that
  /// is not held.
  ///
  /// - Complexity: O(histories · log of how often they synced).
  package func clock(of event: FullEventID) -> VectorClock {
    guard let point = ledger.locate(event), ledger.isHeld(point) else { return VectorClock() }
    let limits = ledger.clock(of: Int(point.branch), at: point.sequence)
    return VectorClock(ledger.tips(of: limits).map(ledger.fullID))
  }
}

extension Ledger {
  /// The last events of a clock's histories: those that no other one of it goes on from.
  ///
  /// - Parameter limits: per branch the highest sequence that the clock holds.
  package func tips(of limits: [Int64]) -> [Point] {
    var isTip = limits.map { $0 > 0 }
    for index in limits.indices where limits[index] > 0 {
      let (parent, after) = (Int(branches[index].parent), branches[index].after)
      if parent >= 0, limits[parent] <= after { isTip[parent] = false }
    }
    return limits.indices.filter { isTip[$0] }
      .map { Point(branch: Int32($0), sequence: limits[$0]) }
  }
}

extension Journal {
  /// Reads which events the journal holds.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `userNeeded`, `inputOutput`.
  /// - Complexity: O(what stands behind the checkpoint), or O(file size) where none fits.
  package func knownEvents() throws(EventLogError) -> KnownEvents {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    return KnownEvents(try read(file, from: beginLedger(file)).0.ledger)
  }

  /// Where a reading of what is held may begin: behind a checkpoint, if there is one that fits.
  func beginLedger(_ file: JournalFile) -> JournalPass<LedgerSink> {
    let stored =
      usesCheckpoint
      ? CheckpointReading(beside: file, SideFolder(beside: path, fileSystem: fileSystem)) : nil
    return stored?.pass(LedgerSink(), blank: LedgerSink(), user: user)
      ?? JournalPass(sink: LedgerSink())
  }
}
