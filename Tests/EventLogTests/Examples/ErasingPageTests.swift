import EventLog
import EventLogCollections
import EventLogErasure
import EventLogInspection
import EventLogTesting
import Testing

/// The sample of the page on erasing compiles and behaves as described.
@Suite struct ErasingPageTests {
  @Test func `an entity is erased after its plan was shown`() async throws {
    let phone = try await TemporaryStore(records: Habit.self)
    let habit = try await phone.create(Habit.self) { $0.name = "Read" }.id
    let store = phone.store

    // Docs: begin
    let plan = try await store.erase(.entity(habit.entity), dryRun: true)
    print("\(plan.eventCount) events would be erased.")
    try await store.erase(.entity(habit.entity))
    // Docs: end

    #expect(plan.eventCount == 1 && plan.deleted == habit.entity)
    #expect(store.snapshot[habit] == nil)
    let report = try await phone.verify()
    #expect(report.problems.isEmpty)
  }
}
