public import EventLog

extension Journal {
  /// Passes the journal's events to a closure, in an order that respects causality.
  ///
  /// Each event follows all events that it has seen. Otherwise, the events are in the order of the
  /// file.
  ///
  /// - Parameters:
  ///   - cut: The part of the journal to include, or `nil` for all of it.
  ///   - body: A closure that receives an event and the bytes of its line without the line feed. It
  ///     returns `false` to stop.
  /// - Returns: The problems found in the file.
  /// - Throws: The errors of `snapshot(at:includingDeleted:)`.
  /// - Complexity: O(*n*), where *n* is the size of the file. The file is read twice, because only
  ///   its last line settles which devices belong to the user.
  public func replay(
    at cut: Cut? = nil, _ body: (Event, [UInt8]) -> Bool
  ) throws(EventLogError) -> ReplayResult {
    try withoutActuallyEscaping(body) { (body) throws(EventLogError) in
      var visitor = EventVisitor(body)
      return try replay(at: cut, into: &visitor)
    }
  }

  /// Passes the journal's events to a visitor, like ``replay(at:_:)`` to a closure.
  package func replay<Visitor: LineVisitor>(
    at cut: Cut? = nil, into visitor: inout Visitor
  ) throws(EventLogError) -> ReplayResult {
    let (findings, warnings) = try visit(at: cut, by: &visitor)
    return ReplayResult(findings, warnings)
  }

  /// Passes the events to a closure like ``replay(at:_:)``, each with its clock.
  ///
  /// The clock contains everything that its writer held, and the event itself.
  ///
  /// - Complexity: One more reading than ``replay(at:_:)``, and O(histories) for each event.
  package func replayWithClocks(
    at cut: Cut? = nil, _ body: (Event, VectorClock, [UInt8]) -> Bool
  ) throws(EventLogError) -> ReplayResult {
    let known = try knownEvents()
    return try replay(at: cut) { event, line in body(event, known.clock(of: event.fullID), line) }
  }

  /// Passes the events of some ranges to a closure, in an order that respects causality.
  ///
  /// Each event follows those events in the ranges that it has seen.
  ///
  /// - Parameters:
  ///   - ranges: Ranges of events that the journal contains.
  ///   - body: A closure that receives an event and the bytes of its line without the line feed. It
  ///     returns `false` to stop.
  /// - Throws: `noJournal`, `notAJournal`; `inputOutput`, also if the journal doesn't contain all
  ///   events in the ranges.
  /// - Complexity: O(*n*), where *n* is the number of events in the ranges, read in blocks of 64
  ///   KiB. The lines after the checkpoint are read as well, or the whole file if no checkpoint
  ///   fits.
  public func replay(
    _ ranges: [EventRange], _ body: (Event, [UInt8]) -> Bool
  ) throws(EventLogError) {
    try withoutActuallyEscaping(body) { (body) throws(EventLogError) in
      var visitor = EventVisitor(body)
      try visit(ranges, by: &visitor)
    }
  }
}

/// The problems found while replaying a journal.
public struct ReplayResult: Sendable, Hashable {
  /// The first problem in the file that is damage, or `nil` if there is none.
  ///
  /// Because of damage, events may be missing.
  public let firstDamage: JournalProblem?
  /// The number of problems in the file that are damage.
  public let damageCount: Int
  /// A warning if the end of the file may be a torn write.
  ///
  /// Empty otherwise.
  public let warnings: [JournalProblem]

  init(_ findings: JournalFindings, _ warnings: [JournalProblem]) {
    firstDamage = findings.firstDamage
    damageCount = findings.problemCount
    self.warnings = warnings
  }
}

/// Creates an `Event` from each line and passes it to a closure.
private struct EventVisitor: LineVisitor {
  private let body: (Event, [UInt8]) -> Bool
  private(set) var isDone = false

  init(_ body: @escaping (Event, [UInt8]) -> Bool) { self.body = body }

  var wantsData: Bool { true }

  mutating func begin(_ known: KnownEvents) {}

  mutating func visit(_ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>) {
    isDone = !body(Event(layout, canonical: canonical), line.copy())
  }
}
