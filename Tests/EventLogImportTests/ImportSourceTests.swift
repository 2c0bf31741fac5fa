import EventLog
import EventLogAccounts
import EventLogCollections
import EventLogErasure
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

@testable import EventLogImport

/// Imports beside the edits of people and other imports of the same source.
@Suite struct ImportSourceTests {
  private let day = Day("2026-01-01")!
  private let run = ID<Habit>("loop-Run")!

  /// Imports a Loop export with one habit, whose days have these values in thousandths.
  @discardableResult
  private func importLoop(
    _ values: KeyValuePairs<String, Int>, goal: Int = 5, into store: EventStore
  ) async throws -> ImportReport {
    let folder = try TemporaryFolder()
    let top = URL(fileURLWithPath: folder.path)
    let inside = top.appendingPathComponent("001 Run")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    try Data(
      """
      Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,\
      Unit,Target Type,Target Value,Archived?
      001,Run,NUMERICAL,,,1,1,#1976D2,km,AT_LEAST,\(goal).0,false

      """.utf8
    ).write(to: top.appendingPathComponent("Habits.csv"))
    let rows = values.map { "\($0.key),\($0.value),\n" }.joined()
    try Data("Date,Value,Notes\n\(rows)".utf8)
      .write(to: inside.appendingPathComponent("Checkmarks.csv"))
    let map = try #require(ImportMap.builtIn("loop"))
    let report = try await Importer(path: folder.path, map: map).run(into: store)
    withExtendedLifetime(folder) {}
    return report
  }

  private func device(_ name: String, seed: UInt64 = 1) async throws -> TemporaryStore {
    try await TemporaryStore(device: name, user: "ada", catalog: .bundled, seed: seed)
  }

  private func progress(_ store: TemporaryStore) -> Decimal? {
    store.store.snapshot[run, day].progress.value
  }

  @Test func `a habit that was deleted stays deleted at the next import, which says so`()
    async throws
  {
    let phone = try await device("phone")
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    try await phone.store.delete(run)
    let report = try await importLoop(
      ["2026-01-02": 1000, "2026-01-01": 5000], into: phone.store)
    #expect(report.deleted == [.init(id: run.entity, eventCount: 1)])
    #expect(report.sync.newConflicts.isEmpty && phone.store.snapshot[run] == nil)
    try await phone.store.restore(run)
    #expect(phone.store.snapshot[run, Day("2026-01-02")!].progress.value == 1)
  }

  @Test func `nothing is imported of a habit that was erased, and the report says so`() async throws
  {
    let phone = try await device("phone")
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    try await phone.store.erase(.entity(run.entity))
    let before = try phone.lines()
    let report = try await importLoop(
      ["2026-01-02": 1000, "2026-01-01": 5000], into: phone.store)
    #expect(report.remarks == ["\(run) was erased, so nothing of it was imported."])
    #expect(report.deleted == [] && report.sources.allSatisfy { $0.eventCount == 0 })
    #expect(try phone.lines() == before)
  }

  @Test func `a deletion that the import hasn't seen hides what it imports`() async throws {
    let (phone, tablet) = (try await device("phone"), try await device("tablet", seed: 2))
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    _ = try await phone.sync(with: tablet)
    try await tablet.store.delete(run)
    _ = try await importLoop(["2026-01-01": 6000], into: phone.store)
    _ = try await phone.sync(with: tablet)
    #expect(phone.store.snapshot.conflicts.isEmpty && phone.store.snapshot[run] == nil)
  }

  @Test(arguments: [(5, 5, 1), (4, 4, 2)])
  func `an amount that both apps counted counts once, and a difference is a conflict`(
    _ counted: Int, _ shown: Int, _ candidateCount: Int
  ) async throws {
    let phone = try await device("phone")
    try await phone.store.create(Habit.self, key: "loop-Run") { $0.name = "Run" }
    try await phone.store.edit(run, on: day) { $0.progress += Decimal(counted) }
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    #expect(progress(phone) == Decimal(shown))
    let conflict = phone.store.snapshot.conflicts.first { $0.field == "progress" }
    #expect(conflict?.candidates.count ?? 1 == candidateCount)
    // An increment that has seen both counts in both.
    try await phone.store.edit(run, on: day) { $0.progress += 1 }
    #expect(progress(phone) == Decimal(shown + 1))
    guard let conflict else { return }
    // Taking the sum of the increments writes it as a total.
    try await phone.store.resolve(conflict, taking: try #require(conflict.shown))
    #expect(phone.store.snapshot.conflicts.allSatisfy { $0.field != "progress" })
    #expect(progress(phone) == Decimal(shown + 1))
  }

  @Test func `a newer import replaces the total that the older one stated, and keeps increments`()
    async throws
  {
    let phone = try await device("phone")
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    try await phone.store.edit(run, on: day) { $0.progress += 2 }
    #expect(progress(phone) == 7)
    _ = try await importLoop(["2026-01-01": 6000], into: phone.store)
    #expect(progress(phone) == 8 && phone.store.snapshot.conflicts.isEmpty)
  }

  @Test func `undoing an increment that an import doesn't count shows the import's total`()
    async throws
  {
    let phone = try await device("phone")
    try await phone.store.create(Habit.self, key: "loop-Run") { $0.name = "Run" }
    let receipt = try await phone.store.edit(run, on: day) { $0.progress += 4 }
    let before = progress(phone)
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    #expect(before == 4 && progress(phone) == 4)
    try await phone.store.undo(receipt)
    #expect(progress(phone) == 5)
    #expect(phone.store.snapshot.conflicts.allSatisfy { $0.field != "progress" })
  }

  @Test func `a total that a person entered is kept beside the imported one`() async throws {
    let phone = try await device("phone")
    try await phone.store.create(Habit.self, key: "loop-Run") { $0.name = "Run" }
    try await phone.store.edit(run, on: day) { $0.progress += 4 }
    try await phone.store.set(\.progress, of: run, on: day, to: 3)
    _ = try await importLoop(["2026-01-01": 5000], into: phone.store)
    #expect(progress(phone) == 3)
    let conflict = try #require(
      phone.store.snapshot.conflicts.first { $0.field == "progress" })
    #expect(conflict.candidates.map(\.value) == [5, 3])
  }

  // MARK: - Adoption

  private func guest(_ name: String) async throws -> TemporaryStore {
    try await TemporaryStore(device: "phone", user: name, catalog: .bundled, seed: 3)
  }

  private func adopt(_ guest: TemporaryStore, into phone: TemporaryStore) async throws {
    try await guest.store.close()
    try await phone.store.adopt(JournalRemote(path: guest.path))
  }

  @Test(arguments: ["guest-1", "guest-a", "guest-zz", "guest-Q", "guest-0f", "guest-x9"])
  func `an account's import replaces an older one of a guest, whatever their names`(
    _ name: String
  ) async throws {
    let (guest, phone) = (try await guest(name), try await device("phone"))
    try await importLoop(["2026-01-01": 5000], into: guest.store)
    try await adopt(guest, into: phone)
    try await importLoop(["2026-01-01": 7000], into: phone.store)
    #expect(progress(phone) == 7 && phone.store.snapshot.conflicts.isEmpty)
    #expect(try await importLoop(["2026-01-01": 7000], into: phone.store).eventCount == 0)
  }

  @Test func `values that only a guest imported are imported again after an undone adoption`()
    async throws
  {
    let (guest, phone) = (try await guest("guest-1"), try await device("phone"))
    let days = ["2026-01-02", "2026-01-01"]
    try await importLoop(["2026-01-01": 5000], into: phone.store)
    try await importLoop(["2026-01-02": 6000, "2026-01-01": 5000], into: guest.store)
    try await adopt(guest, into: phone)
    try await phone.store.undoAdoption(of: "guest-1")
    #expect(phone.store.snapshot[run, Day(days[0])!].progress.value == nil)
    let report = try await importLoop(
      ["2026-01-02": 6000, "2026-01-01": 5000], into: phone.store)
    #expect(report.eventCount == 1)
    let conflict = try #require(phone.store.snapshot.conflicts.first)
    #expect(conflict.candidates.map(\.value).contains(6))
  }

  @Test func `an account's import keeps the goals of earlier days that a guest imported`()
    async throws
  {
    let (guest, phone) = (try await guest("guest-1"), try await device("phone"))
    try await importLoop(["2026-01-01": 3000], goal: 3, into: guest.store)
    try await importLoop(
      ["2026-01-02": 3000, "2026-01-01": 3000], goal: 5, into: guest.store)
    let goals = guest.store.snapshot.timeline(of: "goal", in: run.description).steps
    #expect(goals.map(\.value) == [3, 5])
    try await adopt(guest, into: phone)
    try await importLoop(
      ["2026-01-02": 3000, "2026-01-01": 3000], goal: 5, into: phone.store)
    #expect(phone.store.snapshot.timeline(of: "goal", in: run.description).steps == goals)
    #expect(phone.store.snapshot.conflicts.isEmpty)
    try await importLoop(
      ["2026-01-03": 3000, "2026-01-02": 3000, "2026-01-01": 3000], goal: 6, into: phone.store)
    let later = phone.store.snapshot.timeline(of: "goal", in: run.description).steps
    #expect(later.map(\.value) == [3, 5, 6] && later.last?.from == Day("2026-01-03"))
  }

  @Test func `an import whose first line is damaged isn't repeated for ever`() async throws {
    let phone = try await device("phone")
    try await importLoop(["2026-01-01": 5000], into: phone.store)
    try await phone.store.edit(run, on: day) { $0.progress += 1 }
    try phone.damage(lineAt: 0, .changed)
    #expect(try await importLoop(["2026-01-01": 5000], into: phone.store).eventCount == 0)
  }

  // MARK: - Undo

  @Test func `undoing a total beside an import shows what the import says`() async throws {
    let phone = try await device("phone")
    try await phone.store.create(Habit.self, key: "loop-Run") { $0.name = "Run" }
    let receipt = try await phone.store.set(\.progress, of: run, on: day, to: 3)
    try await importLoop(["2026-01-01": 5000], into: phone.store)
    #expect(progress(phone) == 3)
    try await phone.store.undo(receipt)
    #expect(progress(phone) == 5)
    #expect(phone.store.snapshot.conflicts.allSatisfy { $0.field != "progress" })
  }

  @Test func `undoing a total that replaced an import shows the newer import`() async throws {
    let phone = try await device("phone")
    try await importLoop(["2026-01-01": 5000], into: phone.store)
    let receipt = try await phone.store.set(\.progress, of: run, on: day, to: 3)
    try await importLoop(["2026-01-01": 7000], into: phone.store)
    #expect(progress(phone) == 3)
    try await phone.store.undo(receipt)
    #expect(progress(phone) == 7)
    #expect(phone.store.snapshot.conflicts.allSatisfy { $0.field != "progress" })
  }

  @Test func `undoing the creation of a habit leaves it if an import has filled it`()
    async throws
  {
    let phone = try await device("phone")
    let created = try await phone.store.create(Habit.self, key: "loop-Run") { $0.name = "Run" }
    try await importLoop(["2026-01-01": 5000], into: phone.store)
    let undone = try await phone.store.undo(created.receipt)
    #expect(undone.left.map(\.field) == ["presence"])
    #expect(progress(phone) == 5)
  }
}
