import EventLog
import EventLogCollections
import EventLogTesting
import Foundation
import Testing

/// The samples of the page on habits compile and behave as described.
@Suite struct HabitsPageTests {
  @Test func `a goal that is raised applies from a day on`() async throws {
    let store = try await TemporaryStore(records: Habit.self)
    let read = try await store.create(Habit.self, key: "read") { $0.goal = 10 }.id
    let today = Day(store.clock.now)
    let (yesterday, monday) = (today.advanced(by: -1), today.advanced(by: 3))
    // Docs: begin
    try await store.edit(read) { $0.goal = 20 }  // from today on
    try await store.edit(read, from: monday) { $0.goal = 30 }
    let goal = store.snapshot.version(of: read, on: yesterday)?.goal
    // Docs: end
    #expect(goal == 10)
    #expect(store.snapshot.versions(of: read).map(\.value.goal) == [10, 20, 30])
    #expect(store.snapshot.version(of: read, on: today)?.goal == 20)
  }
}
