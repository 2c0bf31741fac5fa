import EventLog
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// The samples of the page on testing compile and pass.
@Suite struct TestingPageTests {
  // Docs: begin
  @Test func `a meal survives a restart`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    try await phone.reopen()
    #expect(phone.snapshot[oats]?.kcal == 370)
  }
  // Docs: end

  @Test func `two devices that edit the same field get a conflict`() async throws {
    // Docs: begin
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    try await phone.sync(with: tablet)
    try await phone.edit(oats) { $0.kcal = 371 }
    try await tablet.edit(oats) { $0.kcal = 372 }
    let report = try await phone.sync(with: tablet)
    #expect(report.newConflicts.map(\.field) == ["kcal"])
    // Docs: end
  }

  @Test func `hidden objects are pulled after they are shown again`() async throws {
    // Docs: begin
    let cloud = MemoryStorage()
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self) { $0.kcal = 370 }
    try await phone.sync(with: ObjectRemote(cloud))
    cloud.hide(cloud.names)
    #expect(try await tablet.sync(with: ObjectRemote(cloud)).pulledCount == 0)
    cloud.showAll()
    #expect(try await tablet.sync(with: ObjectRemote(cloud)).pulledCount == 2)
    // Docs: end
  }

  @Test func `a restored backup is reported, and completed by a sync`() async throws {
    // Docs: begin
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    let backup = try phone.backUp()
    try await phone.edit(oats) { $0.kcal = 371 }
    try await phone.sync(with: tablet)
    try phone.restore(backup, .journalReplaced)
    try await phone.reopen()
    #expect(phone.snapshot.notices.count == 1)  // "The journal is a copy, or was restored …"
    try await phone.sync(with: tablet)
    #expect(phone.snapshot[oats]?.kcal == 371)
    // Docs: end
    #expect(phone.snapshot.notices.first?.hasPrefix("The journal is a copy") == true)
  }

  @Test func `a cloned machine and its original can sync`() async throws {
    // Docs: begin
    let tablet = try await TemporaryStore(records: Meal.self, on: MemoryFileSystem())
    _ = try await tablet.create(Meal.self) { $0.kcal = 370 }
    let clone = try await tablet.copy(.wholeMachine, named: "clone")
    let milk = try await tablet.create(Meal.self) { $0.kcal = 60 }.id
    let rice = try await clone.create(Meal.self) { $0.kcal = 130 }.id
    try await clone.sync(with: tablet)
    #expect(clone.snapshot[milk] != nil && clone.snapshot[rice] != nil)
    // Docs: end
  }

  @Test func `a full disk makes an edit fail, and the next one succeeds`() async throws {
    // Docs: begin
    let phone = try await TemporaryStore(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    phone.disk.failNext(.write, with: .noSpace)
    await #expect(throws: EventLogError.self) {
      try await phone.edit(oats) { $0.kcal = 371 }
    }
    #expect(phone.snapshot[oats]?.kcal == 370)
    try await phone.edit(oats) { $0.kcal = 371 }
    // Docs: end
    #expect(phone.snapshot[oats]?.kcal == 371)
  }

  @Test func `synced devices have no differences`() async throws {
    // Docs: begin
    let (phone, tablet) = try await Devices.meet(records: Meal.self)
    _ = try await phone.create(Meal.self) { $0.kcal = 370 }
    try await phone.sync(with: tablet)
    #expect(try differences(between: phone, and: tablet) == [])
    // Docs: end
  }

  @Test func `given some events, an edit writes these`() async throws {
    // Docs: begin
    let soup = RecordScenario(Meal.self, given: ["meal.created": ["kcal": 370]])
    let outcome = try await soup.when { $0.kcal = 371 }
    #expect(outcome.events == [.init("meal.edited", ["kcal": 371])])
    #expect(outcome.record.kcal == 371)
    // Docs: end
  }

  @Test func `a recorded journal projects to its recorded state and can be continued`() async throws
  {
    let phone = try await TemporaryStore(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    let text = try phone.lines().joined(separator: "\n") + "\n"
    let folder = try TemporaryFolder()
    let (recording, state) = (folder.url("recorded.jsonl"), folder.url("recorded.json"))
    try text.write(to: recording, atomically: true, encoding: .utf8)
    try Data(phone.snapshot.json()).write(to: state)
    // Docs: begin
    let journal = try RecordedJournal(recording, records: Meal.self)
    #expect(try differences(of: journal, from: .file(state)) == [])
    let later = try await TemporaryStore(continuing: journal, device: "later")
    try await later.edit(oats) { $0.kcal = 371 }
    // Docs: end
    #expect(later.snapshot[oats]?.kcal == 371)
  }

  @Test func `simulated devices converge`() async throws {
    // Docs: begin
    try await expectConvergence(records: Meal.self, seeds: 0..<5)
    // Docs: end
  }
}

extension TemporaryFolder {
  fileprivate func url(_ name: String) -> URL { URL(fileURLWithPath: file(name)) }
}
