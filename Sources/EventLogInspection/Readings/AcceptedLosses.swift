import EventLog
import EventLogSystem

/// Losses that a journal no longer reports as a problem.
struct AcceptedLosses: Sendable {
  let events: [EventRange]
  /// The number of damaged ranges of bytes that no event refers to.
  let byteRunCount: Int
  /// Messages for the user.
  let notices: [String]
}

extension JournalWriter {
  /// Appends the acknowledgment that all missing events are lost, and records damaged bytes that no
  /// event refers to in the side folder.
  ///
  /// - Throws: The errors of ``commit(durably:_:)``; `inputOutput` for the side folder.
  func acceptLosses() throws(EventLogError) -> AcceptedLosses {
    var missing: [EventRange] = []
    var damage: Set<FindingLog.AcceptedDamage> = []
    let outcome = try commit { (batch) throws(EventLogError) in
      missing = batch.pass.report.missing
      for range in missing {
        _ = try batch.add(
          EventDraft(
            type: "device.lost",
            data: JSONObject([
              .init(name: "first", value: .number(JSONNumber(range.first))),
              .init(name: "last", value: .string(range.end.description)),
            ])))
      }
      damage = batch.pass.damage(in: batch.pass.report)
    }
    note(outcome)
    if !damage.isEmpty {
      try side.accept(side.acceptedDamage.union(damage))
      // Reload, so that they are reported as acknowledged.
      distrust()
    }
    return AcceptedLosses(events: missing, byteRunCount: damage.count, notices: takeNotices())
  }
}

extension Replica {
  /// Acknowledges all losses: missing events by `device.lost`, and damaged bytes that no line
  /// refers to in the side folder.
  func acceptLosses() async throws(EventLogError) -> AcceptedLosses {
    try await withWriter { (writer) throws(EventLogError) in try writer.acceptLosses() }
  }

  /// Returns the losses that are not acknowledged, and the first damage.
  func remainingLosses() async throws(EventLogError) -> (
    missing: [EventRange], damage: JournalProblem?
  ) {
    try await withWriter { (writer) throws(EventLogError) in
      _ = try writer.refresh()
      let found = writer.pass.report
      return (found.missing, found.firstDamage)
    }
  }
}
