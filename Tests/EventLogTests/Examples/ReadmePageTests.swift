import EventLog
import EventLogTesting
import Foundation
import Testing

/// The sample of the README compiles and does what it says.
@Suite struct ReadmePageTests {
  // Docs: begin
  struct Food: Record {
    var name = ""
    var kcal = 0
    var servings = 0
    var tags: Set<String> = []

    static let schema = Schema<Food>(
      "food",
      [
        .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
        .members("tags", \.tags),
      ])
  }
  // Docs: end

  @Test func `a journal is opened, written, watched and settled`() async throws {
    let folder = try TemporaryFolder()
    let url = URL(fileURLWithPath: folder.file("ada.jsonl"))
    let shared = URL(fileURLWithPath: folder.file("Shared"))
    var shown: [[String]] = []
    func show(_ foods: [Stored<Food>]) { shown.append(foods.map(\.name)) }
    func ask(_ field: String, _ choices: [String]) async -> Int { 0 }

    // Docs: begin
    let store = try await EventStore.open(url, user: "ada", device: "phone", records: Food.self)
    let oats = try await store.create(Food.self) {
      $0.name = "Oats"
      $0.kcal = 370
    }.id
    try await store.edit(oats) { $0.kcal = 380 }  // only what changed enters the event
    try await store.edit(oats) { $0.servings += 1 }  // adds 1, whatever other devices add
    print(store.snapshot[oats]?.kcal ?? 0)  // a value, read without waiting

    let report = try await store.sync(with: FolderRemote(shared))  // both ways, as lines stand
    for conflict in report.newConflicts {  // what devices wrote unknowing of each other
      let choices = conflict.candidates.map { candidate in
        let device = store.snapshot.device(candidate.event.device)
        return "\(candidate.value.text) (\(device?.name ?? "unknown"))"
      }
      let chosen = await ask(conflict.field, choices)  // a person knows which one is right
      try await store.resolve(conflict, taking: conflict.candidates[chosen].event)
    }
    for await state in store.changes {  // now, and after each change, also by other processes
      show(state.all(Food.self))
      // Docs: end
      break
    }
    #expect(shown == [["Oats"]])
    #expect(report.pushedCount == 4)
    #expect(store.snapshot[oats]?.servings == 1)
    try await store.close()
  }
}
