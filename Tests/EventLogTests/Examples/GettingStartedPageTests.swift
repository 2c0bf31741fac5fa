import EventLog
import EventLogRemotes
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

/// The samples of the page for app developers compile and behave as described.
@Suite struct GettingStartedPageTests {
  // Docs: begin
  struct Meal: Record, Hashable {
    var name = ""
    var kcal = 0
    var servings = Counter<Int>()
    var tags: Set<String> = []

    static let schema = Schema<Meal>(
      "meal",
      [
        .register("name", \.name), .register("kcal", \.kcal), .counter("servings", \.servings),
        .members("tags", \.tags),
      ])
  }
  // Docs: end

  private static func store(
    _ name: String, in folder: TemporaryFolder
  ) async throws -> EventStore {
    let url = URL(fileURLWithPath: folder.file("\(name).jsonl"))
    // Docs: begin
    let store = try await EventStore.open(url, user: "ada", device: "phone", records: Meal.self)
    // Docs: end
    return store
  }

  @Test func `a record is written, read, queried and undone`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store("ada", in: folder)
    // Docs: begin
    let soup = try await store.create(Meal.self) { $0.name = "Soup" }.id
    try await store.edit(soup) {
      $0.kcal = 80
      $0.servings += 1
      $0.tags.insert("warm")
    }
    // Docs: end
    #expect(store.snapshot[soup]?.servings.value == 1)

    // Docs: begin
    let (stew, receipt) = try await store.write { batch in
      let stew = try batch.create(Meal.self) { $0.name = "Stew" }
      try batch.edit(soup) { $0.servings -= 1 }
      return stew
    }
    // Docs: end
    #expect(receipt.appended.count == 2)

    // Docs: begin
    let state = store.snapshot
    let name = state[stew]?.name  // "Stew"
    let light = state.all(Meal.self, where: { $0.kcal < 100 }, orderedBy: \.name)
    let warm = state.count(Meal.self) { $0.tags.contains("warm") }
    // Docs: end
    #expect(name == "Stew" && light.map(\.name) == ["Soup", "Stew"] && warm == 1)

    // Docs: begin
    let undone = try await store.undo(receipt)
    let left = undone.left  // changes that were overwritten since: they stay
    // Docs: end
    #expect(left.isEmpty && store.snapshot[stew] == nil)
    #expect(store.snapshot[soup]?.servings.value == 1)
    try await store.close()
  }

  @Test func `a form saves its change against the state that it showed`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store("ada", in: folder)
    let soup = try await store.create(Meal.self) { $0.name = "Soup" }.id
    func fillIn(_ meal: Meal?) -> String { "Leek soup" }
    func show(_ error: EventLogError) {}
    // Docs: begin
    let shown = store.snapshot
    let name = fillIn(shown[soup])  // a person types; a sync may run in the meantime
    do {
      try await store.edit(soup, asOf: shown) { $0.name = name }
    } catch {
      show(error)  // changedMeanwhile: error.unseen lists the values that arrived since
    }
    // Docs: end
    #expect(store.snapshot[soup]?.name == "Leek soup")
    try await store.close()
  }

  @Test func `a loop over the changes of a kind receives a first change`() async throws {
    let folder = try TemporaryFolder()
    let store = try await Self.store("ada", in: folder)
    _ = try await store.create(Meal.self) { $0.name = "Soup" }
    func reindex(_ ids: [ID<Meal>], _ state: Snapshot) {}
    func forget(_ ids: [ID<Meal>]) {}
    // Docs: begin
    for await changes in store.changes(of: Meal.self) {
      reindex(changes.inserted + changes.changed, changes.snapshot)
      forget(changes.removed)
      // Docs: end
      break
    }
    try await store.close()
  }

  @Test func `a store syncs in the background, and a conflict is resolved`() async throws {
    let folder = try TemporaryFolder()
    let sharedFolder = folder.file("Shared")
    let store = try await Self.store("ada", in: folder)
    let soup = try await store.create(Meal.self) { $0.name = "Soup" }.id
    func show(_ statuses: [Replicator.Status]) {}
    // Docs: begin
    let replicator = store.replicate(with: [FolderRemote(path: sharedFolder)])
    for await statuses in replicator.updates {
      show(statuses)  // one per remote: synced, pending, retrying or stopped
      // Docs: end
      if statuses[0].lastSynced != nil { break }
    }
    await replicator.stop()

    let tablet = try await Self.store("tablet", in: folder)
    try await tablet.sync(with: FolderRemote(path: sharedFolder))
    try await tablet.edit(soup) { $0.kcal = 90 }
    try await store.edit(soup) { $0.kcal = 80 }
    try await tablet.sync(with: FolderRemote(path: sharedFolder))
    try await store.sync(with: FolderRemote(path: sharedFolder))
    func ask(_ choices: [String]) async -> Int? { 0 }
    // Docs: begin
    let state = store.snapshot
    for conflict in state.conflicts(of: soup) where conflict.isAbout(\Meal.kcal) {
      let choices = conflict.candidates.map { candidate in
        let kcal = conflict.value(of: \Meal.kcal, for: candidate) ?? 0
        return "\(kcal) kcal, by \(state.device(candidate.event.device)?.name ?? "a device")"
      }
      guard let chosen = await ask(choices) else { continue }
      try await store.resolve(conflict, taking: conflict.candidates[chosen].event)
    }
    // Docs: end
    #expect(state.conflicts.count == 1 && store.snapshot.conflicts.isEmpty)
    try await store.close()
    try await tablet.close()
  }
}
