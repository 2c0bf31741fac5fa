/// Takes what is missing in a journal from elsewhere, or acknowledges that it is lost.
///
/// A journal only grows: what comes is appended, and so is what acknowledges a loss.
struct JournalRepair {
  let local: Replica

  /// Takes what another place holds and this journal lacks.
  ///
  /// What comes may tell of further events that are missing, so it goes on as long as it helps.
  func run(
    from remote: any ReachableRemote, _ onProgress: ((SyncProgress) -> Void)? = nil
  ) async throws(EventLogError) -> RepairReport {
    var report = RepairReport()
    do throws(EventLogError) {
      try await take(from: remote, &report, onProgress)
      return try await complete(report)
    } catch {
      throw report.isEmpty ? error : error.afterChanges("Events received so far are kept.")
    }
  }

  private func take(
    from remote: any ReachableRemote, _ report: inout RepairReport,
    _ onProgress: ((SyncProgress) -> Void)?
  ) async throws(EventLogError) {
    for _ in 0..<Self.runsMax {
      var done = SyncReport()
      let run = Replication(
        local: local, remote: remote, .pull, dryRun: false, requiringEvents: true)
      for try await step in run {
        onProgress?(step)
        if case .finished(let finished) = step { done = finished }
      }
      report.refilled += done.refilled
      report.pulled += done.pulled.filter { pulled in
        !done.refilled.contains { $0.end == pulled.end }
      }
      report.refused = done.refused
      // What came back is in the report itself.
      done.healingNotices = []
      report.notices += done.notices.filter { !report.notices.contains($0) }
      if done.refilled.isEmpty || done.missing.isEmpty { break }
    }
    report.refilled = Set(report.refilled).sorted()
  }

  private static let runsMax = 64

  /// Acknowledges what is missing: by `device.lost`, and damaged bytes that nothing names beside
  /// the journal.
  func acceptLoss() async throws(EventLogError) -> RepairReport {
    var report = RepairReport()
    do throws(EventLogError) {
      // A damaged line may have contained events that were cut off. Once it is accepted, these are
      // missing.
      for _ in 0..<2 {
        let accepted = try await local.withWriter { (writer) throws(EventLogError) in
          try writer.acceptLoss()
        }
        report.formUnion(accepted)
        report = try await complete(report)
        if report.missing.isEmpty { break }
      }
      return report
    } catch {
      throw report.isEmpty ? error : error.afterChanges("The loss was accepted.")
    }
  }

  private func complete(_ report: RepairReport) async throws(EventLogError) -> RepairReport {
    var report = report
    let (missing, damage) = try await local.withWriter { (writer) throws(EventLogError) in
      _ = try writer.refresh()
      let found = writer.pass.report(writer.identity.fitting, writer.end)
      return (found.missing, found.firstDamage)
    }
    (report.missing, report.damage) = (missing, damage)
    return report
  }
}

extension JournalWriter {
  fileprivate func acceptLoss() throws(EventLogError) -> RepairReport {
    var report = RepairReport()
    var damage: Set<FindingLog.AcceptedDamage> = []
    let outcome = try commit { (batch) throws(EventLogError) in
      report.accepted = batch.pass.report(identity.fitting, end).missing
      for range in report.accepted {
        _ = try batch.add(
          EventDraft(
            type: "device.lost",
            data: JSONObject([
              .init(name: "first", value: .number(JSONNumber(range.first))),
              .init(name: "last", value: .string(range.end.description)),
            ])))
      }
      damage = batch.pass.unnamedDamage
    }
    note(outcome)
    if !damage.isEmpty {
      report.acceptedByteRunCount = damage.count
      try side.accept(side.acceptedDamage.union(damage))
      // They are told as acknowledged from now on.
      reader.mustReload = true
    }
    report.notices = takeAsides()
    return report
  }
}

extension JournalPass {
  /// Damaged bytes of which nobody can tell what they held, or whose event no line names.
  fileprivate var unnamedDamage: Set<FindingLog.AcceptedDamage> {
    let problems = Set(
      report.problems.filter { if case .line = $0.code { true } else { false } }.map(\.line))
    return Set(
      findings.failing.filter { problems.contains($0.line) }.map {
        .init(offset: $0.offset, content: $0.content)
      })
  }
}
