import EventLog
import EventLogInspection
import EventLogRemotes
import EventLogTesting
import Foundation
import Testing

/// The samples of the page on damaged journals compile and behave as described.
@Suite struct DamagePageTests {
  /// A phone with a damaged fourth line, and a folder with all its events.
  private static func damagedPhone(
    sharing folder: String
  ) async throws -> (phone: TemporaryStore, oats: ID<Meal>) {
    let phone = try await TemporaryStore(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    for kcal in 371...373 { try await phone.edit(oats) { $0.kcal = kcal } }
    try await phone.sync(with: FolderRemote(path: folder))
    try phone.damage(lineAt: 3, .changed)
    return (phone, oats)
  }

  @Test func `damage found at opening is repaired by a sync`() async throws {
    let folder = try TemporaryFolder()
    let (phone, oats) = try await Self.damagedPhone(sharing: folder.file("Shared"))
    try await phone.store.close()
    let url = URL(fileURLWithPath: phone.path)
    let remote = FolderRemote(path: folder.file("Shared"))
    var notices: [String] = []
    func show(_ notice: String) { notices.append(notice) }
    var problems: [JournalProblem] = []
    func log(_ problem: JournalProblem) { problems.append(problem) }
    // Docs: begin
    let store = try await EventStore.open(url, user: "ada", device: "phone", records: Meal.self)
    for notice in store.snapshot.notices { show(notice) }  // "The journal is a copy, or …"
    for problem in store.snapshot.damage { log(problem) }  // line, byte, code and message
    if !store.snapshot.damage.isEmpty {
      let report = try await store.sync(with: remote)
      for notice in report.notices { show(notice) }  // "1 event that was missing here was …"
    }
    // Docs: end
    #expect(problems.count == 2 && problems.last?.code.text == "gap")
    #expect(notices.contains { $0.contains("was restored") })
    #expect(store.snapshot.damage.isEmpty && store.snapshot[oats]?.kcal == 373)
    try await store.close()
  }

  @Test func `damage found by a verification is repaired from a remote`() async throws {
    let folder = try TemporaryFolder()
    let (phone, _) = try await Self.damagedPhone(sharing: folder.file("Shared"))
    let (store, remote) = (phone.store, FolderRemote(path: folder.file("Shared")))
    func offerToAcceptLoss(_ missing: [EventRange]) { Issue.record("\(missing)") }
    #expect(store.snapshot.damage.isEmpty)
    #expect(try phone.journal.verify().problemCount == 2)
    // Docs: begin
    let journal = Journal(path: store.path)
    if try await store.verify().problemCount > 0 {  // reads the whole file, on another thread
      let report = try await journal.repair(from: remote)
      if !report.isWhole { offerToAcceptLoss(report.missing) }
    }
    // Docs: end
    #expect(try phone.journal.verify().problemCount == 0)
  }

  @Test func `an accepted loss leaves no problems`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    for kcal in 371...373 { try await phone.edit(oats) { $0.kcal = kcal } }
    try phone.damage(lineAt: 3, .changed)
    try await phone.reopen()
    let journal = phone.journal
    // Docs: begin
    let options = JournalOptions(deviceName: "phone", user: "ada")
    let report = try await journal.acceptLoss(options: options)
    // Docs: end
    #expect(report.accepted.count == 1 && report.isWhole)
    #expect(try journal.verify().problemCount == 0)
    try await phone.refresh()
    #expect(phone.snapshot.damage.isEmpty)
  }

  @Test func `a failed write is reported, and a failed sync requires reopening`() async throws {
    let phone = try await TemporaryStore(records: Meal.self)
    let oats = try await phone.create(Meal.self) { $0.kcal = 370 }.id
    let url = URL(fileURLWithPath: phone.path)
    var offered: [EventLogError] = []
    func offerToTryAgain(_ error: EventLogError) { offered.append(error) }
    func show(_ error: EventLogError) { Issue.record(error) }
    func save(_ store: inout EventStore) async throws {
      // Docs: begin
      do {
        try await store.edit(oats) { $0.kcal = 380 }
      } catch {
        switch error.code {
        case .inputOutput, .locked:
          offerToTryAgain(error)  // nothing was written; error.cause is .noSpace for a full disk
        case .syncFailed:
          // The edit may be in the reopened store: check before you repeat it.
          store = try await EventStore.open(url, user: "ada", device: "phone", records: Meal.self)
        default:
          show(error)
        }
      }
      // Docs: end
    }
    var store = phone.store
    phone.disk.failNext(.write, with: .noSpace)
    try await save(&store)
    #expect(offered.map(\.cause) == [.noSpace] && store.snapshot[oats]?.kcal == 370)
    phone.disk.failNext(.sync, with: .inputOutput)
    try await save(&store)
    #expect(store !== phone.store && store.snapshot[oats]?.kcal == 380)
    try await store.edit(oats) { $0.kcal = 390 }
    await #expect(throws: EventLogError.self) { try await phone.edit(oats) { $0.kcal = 1 } }
    try await store.close()
  }
}
