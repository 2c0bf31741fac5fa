/// Losses that a journal no longer reports as a problem.
package struct AcceptedLosses: Sendable {
  package let events: [EventRange]
  /// The number of damaged ranges of bytes that no event refers to.
  package let byteRunCount: Int
  /// Messages for the user.
  package let notices: [String]
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
      let lines = batch.pass.damagedLines(in: batch.pass.report)
      damage = Set(lines.map { .init(offset: $0.offset, content: $0.content) })
    }
    note(outcome)
    if !damage.isEmpty {
      try side.accept(side.acceptedDamage.union(damage))
      // Reload, so that they are reported as acknowledged.
      reader.distrust()
    }
    return AcceptedLosses(events: missing, byteRunCount: damage.count, notices: takeNotices())
  }
}
