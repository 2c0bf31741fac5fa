/// The IDs and clocks of the events that a journal contains.
package struct KnownEvents: Sendable {
  private let ledger: Ledger

  init(_ ledger: Ledger) { self.ledger = ledger }

  /// The event's ID for display, with its chain only if two held events have the short ID.
  package func id(of event: FullEventID) -> EventID {
    ledger.shownID(of: event)
  }

  /// Whether a device has several histories. Only then can two events have one short ID.
  package var hasForks: Bool { ledger.devices.contains { $0.branches.count > 1 } }

  /// The missing events whose loss isn't acknowledged.
  package var lacking: [EventRange] { ledger.unacknowledgedRanges }

  /// Whether the event is held.
  package func holds(_ event: FullEventID) -> Bool { ledger.holds(event) }

  /// The clock of an event, or an empty clock if the event isn't held.
  ///
  /// - Complexity: O(histories · log syncs between them).
  package func clock(of event: FullEventID) -> VectorClock {
    guard let point = ledger.locate(event), ledger.isHeld(point) else { return VectorClock() }
    let limits = ledger.clock(of: Int(point.branch), at: point.sequence)
    return VectorClock(ledger.tips(of: limits).map(ledger.fullID))
  }
}

extension Ledger {
  /// The tips of a clock: the events in it from which no other event in it descends.
  ///
  /// - Parameter limits: The highest sequence of each branch that the clock contains.
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
  /// Reads which events the journal contains.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `userNeeded`, `inputOutput`.
  /// - Complexity: O(bytes after the checkpoint), or O(file size) if no checkpoint fits.
  package func knownEvents() throws(EventLogError) -> KnownEvents {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    return KnownEvents(try read(file, from: beginLedger(file)).0.ledger)
  }

  /// Returns a pass that needs only the ledger and continues after a checkpoint if one fits.
  func beginLedger(_ file: JournalFile) -> JournalPass<LedgerSink> {
    let stored =
      usesCheckpoint
      ? CheckpointReading(beside: file, SideFolder(beside: path, fileSystem: fileSystem)) : nil
    return stored?.pass(LedgerSink(), blank: LedgerSink(), user: user)
      ?? JournalPass(sink: LedgerSink())
  }
}
