// Docs: begin
import EventLog
import EventLogRemotes
// Docs: end
import EventLogTesting
import Foundation
import Testing

/// The sample of the README compiles and behaves as described.
@Suite struct ReadmePageTests {
  // Docs: begin
  struct Meal: Record {
    var name = ""
    var kcal = 0
    var servings = Counter<Int>()

    static let schema = Schema<Meal>(
      "meal",
      [.register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings)])
  }
  // Docs: end

  @Test func `a record is written, synced, observed, and its conflict resolved`() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    let shared = URL(fileURLWithPath: folder.file("Shared"))
    var shown: [[String]] = []
    var asked: [[String]] = []
    func show(_ meals: [Stored<Meal>]) { shown.append(meals.map(\.name)) }
    func ask(_ choices: [String]) async -> Int? {
      asked.append(choices.sorted())
      return choices.firstIndex { $0.hasPrefix("85") }
    }

    // Docs: begin
    let store = try await EventStore.open(url, user: "ada", device: "phone", records: Meal.self)
    let soup = try await store.create(Meal.self) { $0.name = "Soup" }.id
    try await store.edit(soup) {
      $0.kcal = 80  // only changed fields are written
      $0.servings += 1  // increments on several devices add up
    }

    let replicator = store.replicate(with: [FolderRemote(shared)])  // syncs while the store is open
    // Docs: end
    try await disagree(store, on: soup, through: shared, beside: folder)

    // Docs: begin
    for await state in store.changes {  // the current state, then one after each change
      show(state.all(Meal.self, orderedBy: \.name))

      for conflict in state.conflicts(of: soup) where conflict.isAbout(\Meal.kcal) {
        let choices = conflict.candidates.map { candidate in
          let device = state.device(candidate.event.device)?.name ?? "another device"
          return "\(conflict.value(of: \Meal.kcal, for: candidate) ?? 0) kcal, from \(device)"
        }
        guard let chosen = await ask(choices) else { continue }  // a person decides
        try await store.resolve(conflict, taking: conflict.candidates[chosen].event)
      }
      // Docs: end
      if !asked.isEmpty, state.conflicts.isEmpty { break }
    }
    await replicator.stop()
    #expect(shown.first == ["Soup"])
    #expect(asked == [["85 kcal, from tablet", "90 kcal, from phone"]])
    #expect(store.snapshot[soup]?.kcal == 85 && store.snapshot[soup]?.servings.value == 2)
    try await store.close()
  }

  /// A tablet pulls the meal, and both devices change it before they sync again.
  private func disagree(
    _ store: EventStore, on meal: ID<Meal>, through shared: URL, beside folder: TemporaryFolder
  ) async throws {
    let url = URL(fileURLWithPath: folder.file("tablet.jsonl"))
    _ = try await store.sync(with: FolderRemote(shared))
    let tablet = try await EventStore.open(
      url, user: "ada", device: "tablet", records: Meal.self)
    _ = try await tablet.sync(with: FolderRemote(shared))
    try await tablet.edit(meal) {
      $0.kcal = 85
      $0.servings += 1
    }
    try await store.edit(meal) { $0.kcal = 90 }
    _ = try await tablet.sync(with: FolderRemote(shared))
    try await tablet.close()
  }
}
