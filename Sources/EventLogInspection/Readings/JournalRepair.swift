import EventLog

/// Fetches the missing events of a journal from a remote, or acknowledges their loss.
///
/// A journal only grows: fetched events are appended, and so are acknowledgments.
struct JournalRepair {
  let local: Replica

  /// Fetches the events that a remote has and this journal is missing.
  ///
  /// The fetched events may refer to other missing ones, so this repeats for as long as it helps.
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
      // The report itself lists the recovered events.
      done.healingNotices = []
      report.notices += done.notices.filter { !report.notices.contains($0) }
      if done.refilled.isEmpty || done.missing.isEmpty { break }
    }
    report.refilled = Set(report.refilled).sorted()
  }

  private static let runsMax = 64

  /// Acknowledges all losses: missing events by `device.lost`, and damaged bytes that no line
  /// refers to in the side folder.
  func acceptLoss() async throws(EventLogError) -> RepairReport {
    var report = RepairReport()
    do throws(EventLogError) {
      // A damaged line may have contained events that were cut off. Once it is accepted, these are
      // missing.
      for _ in 0..<2 {
        let losses = try await local.acceptLosses()
        var accepted = RepairReport()
        accepted.accepted = losses.events
        accepted.acceptedByteRunCount = losses.byteRunCount
        accepted.notices = losses.notices
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
    (report.missing, report.damage) = try await local.remainingLosses()
    return report
  }
}
