import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog
@testable import EventLogRemotes

/// The record of a remote survives damage to the journal, and the remote restores the lost events.
@Suite struct RemoteRecordDamageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var shared: FolderRemote { FolderRemote(path: folder.file("Shared")) }

  private func phone(_ count: Int) async throws -> TemporaryStore {
    let phone = try await TemporaryStore(records: Meal.self)
    for number in 1...count { _ = try await phone.create(Meal.self, key: "meal-\(number)") }
    try await phone.sync(with: shared)
    try await phone.close()
    return phone
  }

  private func waiting(_ phone: TemporaryStore) throws -> Int {
    try #require(try phone.journal.status().remoteStatuses.first).waitingCount
  }

  private func flip(_ bytes: [UInt8], line number: Int) -> [UInt8] {
    var lines = Sandbox.lines(bytes)
    lines[number] = Sandbox.broken(lines[number])
    return Array(lines.joined())
  }

  @Test func `a flipped bit in any line leaves no event waiting for the remote`() async throws {
    let phone = try await phone(6)
    let bytes = try #require(try phone.backUp().journal)
    for number in Sandbox.lines(bytes).indices {
      try phone.changeJournal { _ in flip(bytes, line: number) }
      #expect(try phone.journal.verify().problemCount > 0)
      #expect(try waiting(phone) == 0, "line \(number)")
    }
  }

  @Test func `damage leaves only new events waiting for the remote`() async throws {
    let phone = try await phone(6)
    try await phone.reopen()
    for key in ["soup", "rice"] { _ = try await phone.create(Meal.self, key: key) }
    try await phone.close()
    let bytes = try #require(try phone.backUp().journal)
    let count = Sandbox.lines(bytes).count
    for number in 0..<count {
      try phone.changeJournal { _ in flip(bytes, line: number) }
      #expect(try waiting(phone) == (number < count - 2 ? 2 : 1), "line \(number)")
    }
  }

  @Test func `a truncated journal has no events waiting for its remote`() async throws {
    let phone = try await phone(6)
    let bytes = try #require(try phone.backUp().journal)
    for kept in 1..<Sandbox.lines(bytes).count {
      try phone.changeJournal { _ in Array(Sandbox.lines(bytes).prefix(kept).joined()) }
      #expect(try waiting(phone) == 0, "\(kept) lines")
    }
  }

  @Test func `damage to a line received twice stays reported while it may hide events`()
    async throws
  {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    for number in 1...3 { _ = try await phone.create(Meal.self, key: "phone-\(number)") }
    let own = try #require(try phone.backUp().journal)
    for number in 1...4 { _ = try await tablet.create(Meal.self, key: "tablet-\(number)") }
    try await phone.sync(with: tablet)
    try await phone.close()
    // The phone's last event is damaged. A second copy of it follows the tablet's events.
    let last = try #require(Sandbox.lines(own).indices.last)
    try phone.changeJournal { flip($0, line: last) }
    try await phone.reopen()
    try await phone.sync(with: tablet)
    try await phone.close()
    try phone.changeJournal { bytes in
      let ends = Sandbox.lines(bytes).reduce(into: [0]) { $0.append($0.last! + $1.count) }
      let hidden = (ends[ends.count - 4] + 60)..<(ends[ends.count - 2] + 60)
      return Array(
        bytes[..<hidden.lowerBound] + [UInt8](repeating: 0, count: hidden.count)
          + bytes[hidden.upperBound...])
    }
    // An earlier copy contains the phone's event, but not the tablet's.
    let copy = folder.file("copy.jsonl")
    try Data(own).write(to: URL(filePath: copy))
    _ = try await phone.journal.repair(from: JournalRemote(path: copy), options: phone.options)
    #expect(try phone.journal.verify().problems.count == 1)
    try await phone.reopen()
    try await phone.sync(with: tablet)
    #expect(phone.snapshot.json() == tablet.snapshot.json())
  }

  @Test func `a page of zeros is reported as dead bytes after a sync restores all events`()
    async throws
  {
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    for number in 1...40 {
      _ = try await phone.create(Meal.self, key: "phone-\(number)")
      _ = try await tablet.create(Meal.self, key: "tablet-\(number)")
      if number.isMultiple(of: 3) { try await phone.sync(with: tablet) }
    }
    try await phone.sync(with: tablet)
    let state = phone.snapshot.json()
    let bytes = try #require(try phone.backUp().journal)
    let journal = phone.journal
    // After the last such page, an event of the phone has seen all earlier events.
    for start in stride(from: 0, to: bytes.count - 8192, by: 1500) {
      try await phone.close()
      try phone.changeJournal { _ in
        Array(
          bytes[..<start] + [UInt8](repeating: 0, count: 4096) + bytes[(start + 4096)...])
      }
      let damage = try journal.verify()
      #expect(damage.problemCount > 0, "byte \(start)")
      try await phone.reopen()
      try await phone.sync(with: tablet)
      let report = try journal.verify()
      #expect(report.problems == [], "byte \(start)")
      #expect(report.notes.contains { $0.code == .note(.deadBytes) }, "byte \(start)")
      #expect(phone.snapshot.json() == state, "byte \(start)")
    }
  }
}
