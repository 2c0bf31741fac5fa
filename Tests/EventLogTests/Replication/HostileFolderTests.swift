import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// Shared folders with flaws.
///
/// Sound events are received, all else is reported or ignored, and no read is endless.
@Suite struct HostileFolderTests {
  /// More than the size of any of these folders with finite contents.
  private static let bytesMax: Int64 = 16 << 20

  @Test(arguments: HostileFolder.all)
  func `a flawed folder yields only its sound events`(hostile: HostileFolder) async throws {
    let scene = try await HostileScene()
    try hostile.arrange(scene)
    let phone = try await TemporaryStore(device: "phone", records: Meal.self)
    _ = try await phone.create(Meal.self, key: "mine")
    let disk = InstrumentedFileSystem(SystemFileSystem())
    var options = JournalOptions()
    options.fileSystem = disk
    let remote = FolderRemote(path: scene.path, options: options)
    let before = try phone.lines()
    let first = await Self.outcome(phone, remote)
    #expect(first == hostile.outcome)
    #expect(disk.bytesRead < Self.bytesMax)
    #expect(try phone.journal.verify().problems.isEmpty)
    let sequences = try phone.sequences(of: HostileScene.soundDevice)
    if first.hasPrefix("error") {
      #expect(try phone.lines() == before)
    } else {
      #expect(sequences == [1, 2, 3])
      #expect(try phone.lines().starts(with: before))
      // A second sync receives nothing twice.
      _ = await Self.outcome(phone, remote)
      #expect(try phone.sequences(of: HostileScene.soundDevice) == [1, 2, 3])
    }
    #expect(try String(contentsOfFile: scene.canary, encoding: .utf8) == "left alone\n")
  }

  @Test func `every flawed folder has a unique name`() {
    #expect(Set(HostileFolder.all.map(\.name)).count == HostileFolder.all.count)
  }

  /// The outcome of a sync in both directions.
  private static func outcome(_ phone: TemporaryStore, _ remote: any Remote) async -> String {
    do {
      let report = try await phone.sync(with: remote)
      let wrong = DeviceID("wrong-aaaaaaaa")!
      var parts: [String] = []
      let taken = try phone.sequences(of: wrong).map { "\($0)" }.joined(separator: " ")
      if !taken.isEmpty { parts.append("takes \(taken)") }
      for refusal in report.refused { parts.append("refuses \(refusal.code.text)") }
      if !report.pending.isEmpty { parts.append("awaits \(report.pending.count)") }
      if !report.missing.isEmpty { parts.append("lacks \(report.missing.count)") }
      if !report.notices.isEmpty { parts.append("notes \(report.notices.count)") }
      return parts.isEmpty ? "passes over" : parts.joined(separator: ", ")
    } catch let error as EventLogError {
      return "error \(error.code.text)"
    } catch {
      return "other error: \(error)"
    }
  }
}
