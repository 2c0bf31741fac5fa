import EventLog
import EventLogTesting
import Foundation
import Testing

/// The snippets of the page on testing compile and hold.
@Suite struct TestingPageTests {
  @Test func `a store`() async throws {
    // Docs: begin
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await phone.reopen()
    #expect(phone.snapshot[.oats]?.kcal == 370)
    // Docs: end
  }

  @Test func `devices`() async throws {
    // Docs: begin
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await phone.sync(with: tablet)
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await tablet.edit(.oats) { $0.kcal = 372 }
    let report = try await phone.sync(with: tablet)
    #expect(report.newConflicts.map(\.field) == ["kcal"])
    // Docs: end
  }

  @Test func `a shared place`() async throws {
    // Docs: begin
    let cloud = MemoryStorage()
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await phone.sync(with: ObjectRemote(cloud))
    cloud.hide(cloud.names)
    #expect(try await tablet.sync(with: ObjectRemote(cloud)).pulled.isEmpty)
    cloud.showAll()
    #expect(try await tablet.sync(with: ObjectRemote(cloud)).pulledCount == 2)
    // Docs: end
  }

  @Test func `copies and earlier states`() async throws {
    // Docs: begin
    let (phone, tablet) = try await Devices.meet(records: Meal.self, on: MemoryFileSystem())
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    let backup = try phone.backUp()
    try await phone.edit(.oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    try phone.restore(backup, .journalReplaced)
    try await phone.refresh()
    #expect(phone.snapshot.notices.first?.hasPrefix("The journal is a copy") == true)
    let clone = try await tablet.copy(.wholeMachine, named: "clone")
    _ = try await clone.create(Meal.self, key: "rice") { $0.kcal = 130 }
    _ = try await tablet.create(Meal.self, key: "milk") { $0.kcal = 60 }
    #expect(try await clone.sync(with: tablet).pulledCount == 2)
    // Docs: end
  }

  @Test func `disks`() async throws {
    // Docs: begin
    let disk = MemoryFileSystem()
    let (phone, tablet) = try await Devices.meet(records: Meal.self, on: disk)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    let shared = FolderRemote(path: "/Shared", options: .repeatable(fileSystem: disk))
    try await phone.sync(with: shared)
    phone.disk.failNext(.sync, with: .noSpace)
    await #expect(throws: EventLogError.self) {
      _ = try await phone.create(Meal.self, key: "rice") { $0.kcal = 130 }
    }
    #expect(try await tablet.sync(with: shared).pulledCount == 2)
    // Docs: end
  }

  @Test func `what differs`() async throws {
    // Docs: begin
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    try await phone.sync(with: tablet)
    #expect(try differences(between: phone, and: tablet).isEmpty)
    // Docs: end
  }

  @Test func `recorded journals`() async throws {
    // Docs: begin
    let phone = try await TemporaryStore(records: Meal.self)
    _ = try await phone.create(Meal.self, key: "oats") { $0.kcal = 370 }
    let recorded = try phone.lines().joined(separator: "\n") + "\n"
    let journal = try RecordedJournal(text: recorded, records: Meal.self)
    #expect(try differences(of: journal, from: .state(of: phone)) == [])
    let later = try await TemporaryStore(continuing: journal, device: "later")
    #expect(later.snapshot[.oats]?.kcal == 370)
    // Docs: end
  }

  @Test func `the simulator`() async throws {
    // Docs: begin
    try await expectConvergence(records: Meal.self, seeds: 0..<5)
    // Docs: end
  }
}
