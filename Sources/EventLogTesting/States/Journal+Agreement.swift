package import EventLog
package import EventLogInspection

extension Journal {
  /// Reads the journal in every way and checks that all results agree.
  ///
  /// - Returns: The report of `verify`, and the state, or nil if the file isn't a journal or its
  ///   user is unknown.
  /// - Throws: A `Finding`, or an error that keeps the file from being read.
  package func checkAgreement() throws -> (report: VerificationReport, state: Snapshot?) {
    let report = try verify()
    for problem in report.problems
    where problem.line < 1 || !(0...report.byteCount).contains(problem.byte) {
      throw Finding("\(problem) is outside the journal.")
    }
    let read: JournalSnapshot
    do throws(EventLogError) { read = try snapshot() } catch {
      // With several users, the journal's own one may be unknown.
      guard error.code == .notAJournal || error.code == .userNeeded else { throw error }
      return (report, nil)
    }
    var replayed = 0
    let replay = try replay { _, _ in
      replayed += 1
      return true
    }
    let status = try status()
    let counts = [read.snapshot.eventCount, replayed, status.eventCount, report.eventCount]
    try Finding.require(Set(counts).count == 1, "The readings counted \(counts) events.")
    let damage = [
      read.firstDamage, replay.firstDamage, status.firstDamage,
      report.problems.first(where: \.isDamage),
    ]
    try Finding.require(Set(damage).count == 1, "The readings found first: \(damage).")
    let conflicts = [status.conflictCount, read.snapshot.conflicts.count]
    try Finding.require(Set(conflicts).count == 1, "The readings counted \(conflicts) conflicts.")
    do throws(LineFault) { _ = try JSONValue(parsing: read.snapshot.json()) } catch {
      // A value of depth 64 is a few levels deeper in the state.
      try Finding.require(error.code == .tooDeep, "The JSON of the state \(error.clause).")
    }
    return (report, read.snapshot)
  }
}
