import EventLogCollections
import EventLogInspection
import EventLogTesting
import Foundation
import Testing

@testable import EventLog

/// Journals to which an editor has added a byte-order mark.
@Suite struct ByteOrderMarkTests {
  private func addMark(to path: String) throws {
    let url = URL(fileURLWithPath: path)
    try (Data([0xEF, 0xBB, 0xBF]) + Data(contentsOf: url)).write(to: url)
  }

  @Test func `all events count, also those appended later`() async throws {
    let phone = try await TemporaryStore(user: "ada", catalog: .bundled)
    try await phone.store.create(Habit.self, key: "read") { $0.name = "Read" }
    try await phone.store.close()
    try addMark(to: phone.path)
    for round in 1...2 {
      try await phone.reopen()
      try await phone.store.create(Habit.self, key: "run\(round)") { $0.name = "Run" }
      try await phone.store.close()
      let report = try phone.journal.verify()
      #expect(report.problems.isEmpty && report.notes.map(\.code) == [.note(.byteOrderMark)])
      #expect(report.notes.first?.line == 1 && report.notes.first?.byte == 3)
    }
    let state = try phone.journal.snapshot().snapshot
    #expect(state.entities("habit").map(\.id.key) == ["read", "run1", "run2"])
  }

  @Test func `a journal syncs with a copy that has a mark`() async throws {
    let phone = try await TemporaryStore(user: "ada", catalog: .bundled)
    try await phone.store.create(Habit.self, key: "read") { $0.name = "Read" }
    let tablet = try await TemporaryStore(user: "ada", catalog: .bundled, seed: 2)
    _ = try await phone.sync(with: tablet)
    try await tablet.store.close()
    try addMark(to: tablet.path)
    try await tablet.reopen()
    try await tablet.store.create(Habit.self, key: "run") { $0.name = "Run" }
    _ = try await phone.sync(with: tablet)
    #expect(phone.store.snapshot.entities("habit").map(\.id.key) == ["read", "run"])
  }

  @Test func `a file with only a mark is a new journal`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("a.jsonl")
    try Data([0xEF, 0xBB, 0xBF]).write(to: URL(fileURLWithPath: path))
    let store = try await EventStore.open(
      path: path, options: .init(user: "ada"), catalog: .bundled)
    try await store.create(Habit.self, key: "read") { $0.name = "Read" }
    try await store.close()
    let state = try Journal(path: path, catalog: .bundled).snapshot().snapshot
    #expect(state.entities("habit").map(\.id.key) == ["read"])
  }
}
