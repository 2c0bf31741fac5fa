import EventLog
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

/// A copy of a journal that goes on under the same device ID elsewhere: whoever finds out gives the
/// ID up.
@Suite struct DuplicateWriterTests {
  /// The bytes of a journal and of its record of itself, to be put back in place.
  private struct Backup {
    let files: [String: Data]

    init(_ device: TemporaryStore) throws {
      var files: [String: Data] = [:]
      for path in [device.store.path, Self.record(device)] {
        files[path] = try Data(contentsOf: URL(fileURLWithPath: path))
      }
      self.files = files
    }

    /// Writes the old bytes into the same files, so that their inodes stay.
    func putBack() throws {
      for (path, bytes) in files {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
      }
    }

    static func record(_ device: TemporaryStore) -> String {
      device.store.path.replacing(".jsonl", with: ".eventlog/device.json")
    }
  }

  /// Rolls a journal back in place, with what it says of itself, behind an edit that it has synced.
  ///
  /// - Returns: the ID under which it wrote the edit.
  private func rollBack(
    _ phone: TemporaryStore, syncedWith tablet: TemporaryStore
  ) async throws -> DeviceID {
    let backup = try Backup(phone)
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    let old = try #require(phone.deviceID)
    try await phone.close()
    try backup.putBack()
    try await phone.reopen()
    return old
  }

  @Test func `what comes back under the own ID is taken, and the ID is used no more`() async throws
  {
    let (phone, tablet) = try await Devices.withOats()
    let old = try await rollBack(phone, syncedWith: tablet)
    let report = try await phone.sync(with: tablet)
    #expect(report.hasDuplicateWriter)
    #expect(report.pulled.map(\.device) == [old])
    try await phone.edit(.oats) { $0.kcal = 372 }
    #expect(phone.deviceID != old)
    try await phone.sync(with: tablet)
    #expect(phone.snapshot[.oats]?.kcal == 372 && tablet.snapshot[.oats]?.kcal == 372)
    #expect(try phone.journal.verify().problems.isEmpty)
  }

  @Test func `the same if it only gave`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let old = try await rollBack(phone, syncedWith: tablet)
    #expect(try await phone.sync(with: tablet, .push).hasDuplicateWriter)
    let receipt = try await phone.edit(.oats) { $0.kcal = 372 }
    #expect(receipt.appended.first?.id.device != old)
    #expect(receipt.notices.first?.contains("a copy of it was used") == true)
    let report = try await phone.sync(with: tablet)
    #expect(report.forks.isEmpty && report.newConflicts.map(\.field) == ["kcal"])
  }

  @Test func `the same if it was the other's journal that was put back`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    try await tablet.edit(.oats) { $0.kcal = 360 }
    let backup = try Backup(tablet)
    try await tablet.edit(.oats) { $0.kcal = 361 }
    try await phone.sync(with: tablet)
    let old = try #require(tablet.deviceID)
    try await tablet.close()
    try backup.putBack()
    try await tablet.reopen()
    // It is given back what it lost, without having asked.
    #expect(try await phone.sync(with: tablet).pushed.map(\.device) == [old])
    try await tablet.edit(.oats) { $0.kcal = 362 }
    #expect(tablet.deviceID != old)
    let report = try await phone.sync(with: tablet)
    #expect(report.forks.isEmpty && phone.snapshot[.oats]?.kcal == 362)
  }

  @Test func `a dry run tells and changes nothing`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let backup = try Backup(phone)
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    try await phone.close()
    try backup.putBack()
    try await phone.reopen()
    #expect(try await phone.store.dryRunSync(with: tablet.remote).hasDuplicateWriter)
    #expect(try Backup(phone).files == backup.files)
  }

  @Test func `both histories of a fork cross, and what has seen one of them`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let backup = try Backup(phone)
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    try await tablet.edit(.oats) { $0.name = "Porridge" }
    let old = try #require(phone.deviceID)
    try await phone.close()
    try backup.putBack()
    try await phone.reopen()
    // Before anybody can tell, the same number is used a second time.
    try await phone.edit(.oats) { $0.kcal = 372 }
    let report = try await phone.sync(with: tablet)
    #expect(report.forks.map(\.device) == [old] && report.notices.count == 1)
    #expect(report.hasDuplicateWriter && report.refused.isEmpty)
    #expect(report.newConflicts.map(\.field) == ["kcal"])
    let conflict = try #require(report.newConflicts.first)
    #expect(Set(conflict.candidates.map(\.value)) == [371, 372] && conflict.base == 370)
    #expect(Set(conflict.candidates.map(\.fullID.device)) == [old])
    #expect(Set(conflict.candidates.map { report.side(of: $0.fullID) }) == [.ours, .theirs])
    #expect(try Set(phone.lines()) == Set(tablet.lines()))
    #expect(phone.snapshot[.oats]?.name == "Porridge")
    // From here on both write under IDs that nobody else has.
    try await phone.edit(.oats) { $0.servings = 3 }
    #expect(phone.deviceID != old)
    try await phone.resolve(conflict, taking: conflict.candidates[0].event)
    #expect(phone.snapshot.conflicts.isEmpty)
  }

  @Test func `another process of the same journal is no other copy`() async throws {
    let (phone, tablet) = try await Devices.withOats()
    let widget = try await phone.openAgain()
    try await widget.edit(.oats) { $0.kcal = 371 }
    try await widget.sync(with: tablet.remote)
    let old = try #require(phone.deviceID)
    // The phone's own process has not read what the widget has written and sent.
    let report = try await phone.sync(with: tablet)
    #expect(!report.hasDuplicateWriter)
    try await phone.edit(.oats) { $0.kcal = 372 }
    #expect(phone.deviceID == old)
  }

  @Test func `what others only say of later events is a sign too`() async throws {
    let storage = MemoryStorage()
    let remote = ObjectRemote(storage, random: .seeded(7))
    let (phone, tablet) = try await Devices.withOats()
    for device in [phone, tablet, phone] { try await device.sync(with: remote) }
    let backup = try Backup(phone)
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await phone.edit(.oats) { $0.kcal = 373 }
    let before = Set(storage.names)
    try await phone.sync(with: remote)
    let old = try #require(phone.deviceID)
    try await phone.close()
    try backup.putBack()
    try await phone.reopen()
    // Of what it had put, only the statement is there yet.
    storage.hide(storage.names.filter { !before.contains($0) && $0.hasSuffix(".jsonl") })
    #expect(try await phone.sync(with: remote).hasDuplicateWriter)
    try await phone.edit(.oats) { $0.kcal = 372 }
    #expect(phone.deviceID != old)
    storage.showAll()
    let report = try await phone.sync(with: remote)
    #expect(report.forks.isEmpty && report.pulledCount == 2)
  }

  @Test func `another event of the own that others only state is a sign too`() async throws {
    let storage = MemoryStorage()
    let remote = ObjectRemote(storage, random: .seeded(7))
    let (phone, tablet) = try await Devices.withOats()
    for device in [phone, tablet, phone] { try await device.sync(with: remote) }
    let backup = try Backup(phone)
    for kcal in 371...375 { try await phone.edit(.oats) { $0.kcal = kcal } }
    let before = Set(storage.names)
    try await phone.sync(with: remote)
    let old = try #require(phone.deviceID)
    try await phone.close()
    try backup.putBack()
    try await phone.reopen()
    for kcal in 381...389 { try await phone.edit(.oats) { $0.kcal = kcal } }
    #expect(phone.deviceID == old)
    storage.hide(storage.names.filter { !before.contains($0) && $0.hasSuffix(".jsonl") })
    let report = try await phone.sync(with: remote)
    #expect(report.hasDuplicateWriter && report.forks.isEmpty)
    try await phone.edit(.oats) { $0.kcal = 390 }
    #expect(phone.deviceID != old)
  }
}
