import EventLog
import EventLogTesting
import Foundation
import Testing

@testable import EventLogCrashReports

/// Reports while the disk stops, at each call of taking them in.
@Suite struct PowerLossTests {
  @Test func `a report is neither lost nor doubled if the disk stops at any call`() async throws {
    var changes = 0
    while try await takeIn(stoppingAfter: changes) == false { changes += 1 }
    #expect(changes > 10)
  }

  /// Takes in a file on a disk that stops after some changes, and then on a sound one.
  ///
  /// - Returns: Whether everything was taken in before the disk stopped.
  private func takeIn(stoppingAfter changes: Int) async throws -> Bool {
    let folder = try TemporaryFolder()
    let path = folder.file("crashes")
    try FileManager.default.createDirectory(
      atPath: path + "/Raw", withIntermediateDirectories: true)
    let bytes = RawFixture(session: 9).bytes
    try Data(bytes).write(to: URL(fileURLWithPath: path + "/Raw/one.crash"))
    let disk = InstrumentedFileSystem()
    let recorder = CrashRecorder(disk)
    disk.crash(afterChanges: changes, with: .inputOutput)
    let options = JournalOptions(
      fileSystem: recorder, clock: .fixed(1_790_000_000_000), random: .seeded(1))
    var isDone = false
    let journal = try? await CrashJournal.open(in: path, options: options)
    do {
      try await journal?.takeIn()
      try await journal?.close()
      isDone = journal != nil
    } catch {
      // The disk as a power loss now would leave it.
      try expectReport(in: path, recorder, "after \(changes) changes")
      try? await journal?.close()
    }
    let again = try await CrashJournal.open(
      in: path, options: JournalOptions(clock: .fixed(1_790_000_000_000), random: .seeded(2)))
    try await again.takeIn()
    #expect(await again.reports.count == 1, "after \(changes) changes")
    try await again.close()
    return isDone
  }

  /// Checks that the file is still there, or that the report is durable in a journal.
  private func expectReport(in path: String, _ recorder: CrashRecorder, _ comment: Comment) throws {
    let raw = try FileManager.default.contentsOfDirectory(atPath: path + "/Raw")
    if raw.contains(where: { $0.hasSuffix(".crash") }) { return }
    let journals = try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { $0.hasSuffix(".jsonl") }
    let isDurable = journals.contains { name in
      let file = Path.join(path, name)
      return !recorder.mayBeMissing(file)
        && recorder.possibleContents(of: file, limit: 50, seed: 1).allSatisfy {
          $0.containsBytes(of: "crash-report.created")
        }
    }
    #expect(isDurable, comment)
  }
}
