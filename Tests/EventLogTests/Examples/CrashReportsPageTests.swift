import EventLog
// Docs: begin
import EventLogCrashReports
// Docs: end
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// A stand-in for the protocol of MetricKit, which exists on Apple's systems only.
private protocol MXMetricManagerSubscriber: NSObjectProtocol {
  func didReceive(_ payloads: [MXDiagnosticPayload])
}

/// A stand-in for the class that delivers the payloads of MetricKit.
private final class MXMetricManager: Sendable {
  static let shared = MXMetricManager()

  func add(_ subscriber: any MXMetricManagerSubscriber) {
    subscriber.didReceive([MXDiagnosticPayload()])
  }
}

/// A stand-in for the payload of MetricKit.
private class MXDiagnosticPayload {
  func jsonRepresentation() -> Data {
    Data(#"{"timeStampEnd":"2026-01-28 09:12:33","crashDiagnostics":[{}]}"#.utf8)
  }
}

/// The samples of the page on crash reports.
@Suite struct CrashReportsPageTests {
  // Docs: begin
  enum Step: String, Breadcrumb { case opened, saved, synced }
  // Docs: end

  private func show(_ note: String) {}

  /// Compiled but not run: the handler would be installed in the process of the tests. The tests of
  /// the module start it in another program.
  private func start(in folder: String, saving save: () throws -> Void) throws {
    // Docs: begin
    try CrashReports.start(in: folder, app: "1.4.2", breadcrumbs: Step.self)
    // Docs: end
    // Docs: begin
    CrashReports.leave(Step.opened)
    do { try save() } catch { CrashReports.record(error, severity: .warning) }
    // Docs: end
  }

  @Test func `reports are taken in and synced with consent`() async throws {
    let temporary = try TemporaryFolder()
    let (folder, shared) = (temporary.file("crashes"), temporary.file("Shared"))
    let logs = temporary.file("Logs")
    try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: true)
    // Docs: begin
    let crashes = try await CrashJournal.open(in: folder)
    let intake = try await crashes.takeIn()
    for note in intake.notes { show(note) }

    try await crashes.setConsent(.given, for: .person)  // after asking
    try await crashes.sync { user in FolderRemote(path: "\(shared)/\(user)") }
    // Docs: end
    #expect(intake.reports.isEmpty)
    // Docs: begin
    try await crashes.takeIn(backtraces: logs, app: "1.4.2")
    // Docs: end
    // Docs: begin
    final class Diagnostics: NSObject, MXMetricManagerSubscriber {
      let crashes: CrashJournal
      init(_ crashes: CrashJournal) { self.crashes = crashes }

      func didReceive(_ payloads: [MXDiagnosticPayload]) {
        for json in payloads.map({ $0.jsonRepresentation() }) {
          Task { [crashes] in try await crashes.takeIn(metricKit: json) }
        }
      }
    }

    let diagnostics = Diagnostics(crashes)  // as long as the app runs
    MXMetricManager.shared.add(diagnostics)
    // Docs: end
    while await crashes.reports.isEmpty { await Task.yield() }
    try await crashes.sync { user in FolderRemote(path: "\(shared)/\(user)") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: shared).count == 1)
    let storage = MemoryStorage()
    // Docs: begin
    try await crashes.setConsent(.given, for: .developer)  // after asking for that, too
    try await crashes.upload(to: storage)
    // Docs: end
    #expect(storage.names.count == 1, "The person's place says nothing of the developer's.")
    try await crashes.close()
  }
}
