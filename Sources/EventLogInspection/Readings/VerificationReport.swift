public import EventLog

/// The result of checking every line of a journal.
public struct VerificationReport: Sendable {
  private let check: JournalCheck

  init(_ check: JournalCheck) { self.check = check }

  /// The number of valid events.
  public var eventCount: Int { check.eventCount }
  /// The size of the file in bytes, without spaces that a writer keeps at its end for later lines.
  public var byteCount: Int64 { check.byteCount }
  /// The number of devices that have written the journal's events.
  public var deviceCount: Int { check.deviceCount }
  /// The problems found, in the order of the file.
  ///
  /// The report contains at most 10,000 of each kind.
  public var problems: [JournalProblem] { check.problems }
  /// The number of problems found.
  public var problemCount: Int { check.problemCount }
  /// Findings that don't mean that anything is missing: repeated lines, forks, dead bytes,
  /// acknowledged losses, unfinished batches, and valid events that change no field here.
  ///
  /// The report contains at most 10,000 of each kind.
  public var notes: [JournalProblem] { check.notes }
  /// The number of notes of each kind.
  public var noteCounts: [JournalProblem.Note: Int] { check.noteCounts }
}

extension VerificationReport: CustomStringConvertible {
  /// A summary on one line, such as `sound, 6 events from 2 devices in 1010 bytes`.
  public var description: String {
    Summary.line([
      problemCount == 0 ? "sound" : Summary.count(problemCount, "problem"),
      Summary.some(noteCounts.values.reduce(0, +), "note"),
      "\(Summary.count(eventCount, "event")) from \(Summary.count(deviceCount, "device")) in"
        + " \(byteCount) bytes",
    ])
  }
}

extension Journal {
  /// Checks every line and every event.
  ///
  /// If the check finds a problem, it discards the journal's checkpoint, so that later readings
  /// find the problem, too. Event types that the catalog doesn't contain are noted as unknown.
  ///
  /// - Returns: A report of the problems found.
  /// - Throws: `noJournal`, `inputOutput`. A damaged journal isn't an error.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  public func verify() throws(EventLogError) -> VerificationReport {
    VerificationReport(try check())
  }
}
