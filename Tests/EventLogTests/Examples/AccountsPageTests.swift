import EventLog
import EventLogAccounts
import EventLogCollections
import EventLogRemotes
import EventLogTesting
import EventLogUndo
import Foundation
import Testing

/// The samples of the page on accounts compile and behave as described.
@Suite struct AccountsPageTests {
  @Test func `a guest's meal is adopted at sign-in, and the adoption undone`() async throws {
    let temporary = try TemporaryFolder()
    let folder = URL(fileURLWithPath: temporary.file("Accounts"))
    var shownCount = 0
    func show(_ conflicts: [Conflict], _ names: [AdoptionReport.SameName]) {
      shownCount += 1
      #expect(conflicts.isEmpty && names.isEmpty)
    }
    func ask(_ question: String) async -> Bool { true }
    // Docs: begin
    let accounts = try await Accounts.open(folder, records: Meal.self, providers: [CloudFolder()])
    let soup = try await accounts.current.store.create(Meal.self) { $0.name = "Soup" }

    let signIn = try await accounts.signIn(as: "u-4711")  // your app's own ID of the person
    if accounts.current.choice == nil {  // this account has not chosen yet
      try await accounts.choose(await ask("Keep your data in the cloud?") ? .automatic : .local)
    }
    for await state in signIn.account.store.changes {  // now, and after each change
      show(state.adoptionConflicts, state.sameNames)
      // Docs: end
      break
    }
    #expect(shownCount == 1 && accounts.current.store.snapshot[soup.id]?.name == "Soup")
    let guest = try #require(signIn.adoption?.users.first)
    // Docs: begin
    let store = accounts.current.store
    try await store.resolve(store.snapshot.adoptionConflicts, preferring: .account)
    // Docs: end
    // Docs: begin
    let undone = try await store.undoAdoption(of: guest)
    // Docs: end
    #expect(undone.kept.isEmpty && store.snapshot[soup.id] == nil)
    let code: EventLogError.Code?
    do throws(EventLogError) {
      // Docs: begin
      try await accounts.signOut(.removeIfElsewhere)
      // Docs: end
      code = nil
    } catch { code = error.code }
    #expect(code == .eventsOnlyHere && accounts.current.user == "u-4711")
    try await accounts.close()
  }
}

private func cloudContainer() -> URL? { nil }

// Docs: begin
struct CloudFolder: Provider {
  let name = "cloud"
  var container: URL? = cloudContainer()

  func availability(for user: String) async -> Availability {
    if container != nil { return .available }
    return .stopped(
      because: EventLogError(remoteFailed: "The cloud is off.", hint: "Turn it on in Settings."))
  }

  func remote(for user: String) async throws(EventLogError) -> any Remote {
    FolderRemote(container!.appendingPathComponent(user))
  }
}
// Docs: end

extension AccountsPageTests {
  @Test func `an extension appends to the journal of the app's account`() async throws {
    let temporary = try TemporaryFolder()
    let sharedFolder = URL(fileURLWithPath: temporary.file("Accounts"))
    let app = try await Accounts.open(sharedFolder, records: Meal.self)
    try await app.signIn(as: "u-4711")
    func extend() async throws {
      // Docs: begin
      let accounts = try await Accounts.open(sharedFolder, records: Meal.self)
      _ = try await accounts.current.store.create(Meal.self) { $0.name = "Soup" }
      try await accounts.close()
      // Docs: end
    }
    try await extend()
    let store = app.current.store
    try await store.refresh()
    #expect(store.snapshot.all(Meal.self).map(\.name) == ["Soup"])
    try await app.close()
  }
}
