import EventLog

/// Opens the journals of a folder of accounts.
struct AccountsOpening: Sendable {
  let folder: AccountsFolder
  let options: AccountOptions

  init(_ folder: AccountsFolder, _ options: AccountOptions) {
    self.folder = folder
    self.options = options
  }

  // MARK: - The list

  /// Brings `accounts.json` up to date with the folder, and finishes what a crash has interrupted.
  ///
  /// - Returns: The contents, and whether this finished a sign-in.
  func file() async throws(EventLogError) -> (file: AccountsFile, hasSignedIn: Bool) {
    let listed = try await change { (file) throws(EventLogError) in try takeStock(&file) }.file
    let settled = try await settle(listed, for: listed.current)
    if settled.isEmpty, listed.current != nil || listed.guest != nil { return (listed, false) }
    let random = options.journal.random
    do throws(EventLogError) {
      let (file, hasSignedIn) = try await change { file in
        let hasSignedIn = file.note(settled)
        if file.current == nil { _ = file.makeGuest(random) }
        return hasSignedIn
      }
      return (file, hasSignedIn)
    } catch {
      throw settled.contains(where: \.isSignIn) ? error.afterSignIn : error
    }
  }

  /// Changes `accounts.json` under the folder's lock.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout AccountsFile) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> (file: AccountsFile, value: Value) {
    try await folder.change(waiting: options.journal.lockWaitMilliseconds, body)
  }

  /// Lists the journals that are not listed, and finishes removals.
  private func takeStock(_ file: inout AccountsFile) throws(EventLogError) {
    // The next opening tries again to remove the rest.
    file.removing.removeAll { name in (try? folder.remove(name)) != nil }
    let listed = Set((file.entries.map(\.file) + file.removing).map { Array($0.utf8) })
    let unknown = try folder.journals().filter { !listed.contains(Array($0.utf8)) }
    for name in unknown { try add(name, to: &file) }
    if !unknown.isEmpty {
      let owners = AdoptedGuests(folder, catalog: options.catalog)
      for entry in file.entries where unknown.contains(entry.file) {
        guard let (account, bytes) = try owners.adopter(of: entry, in: file) else { continue }
        file.update(entry.file) { $0.adoption = .done(by: account, bytes: bytes) }
      }
    }
    file.markDuplicates()
  }

  private func add(_ name: String, to file: inout AccountsFile) throws(EventLogError) {
    do throws(EventLogError) {
      let journal = Journal(
        path: folder.file(name), catalog: options.catalog, fileSystem: folder.fileSystem)
      guard let user = try journal.status().user else { return }
      file.entries.append(.init(file: name, user: user))
    } catch {
      // A file that is no journal is left alone.
      guard error.code == .notAJournal else { throw error }
    }
  }

  /// A new entry for a user who has no journal yet.
  func newEntry(_ user: String, in file: inout AccountsFile) -> AccountsFile.Entry {
    let entry = AccountsFile.Entry(
      file: file.newName(options.journal.random), user: user, isRestoring: true)
    file.entries.append(entry)
    return entry
  }

  // MARK: - Journals

  /// Opens a journal, whose first event makes its file.
  func account(_ entry: AccountsFile.Entry) async throws(EventLogError) -> Account {
    let store = try await EventStore.open(
      path: folder.file(entry.file), options: journalOptions(of: entry.user),
      catalog: options.catalog, projections: options.projections)
    return Account(
      user: entry.user, isGuest: GuestName.isGuest(entry.user), isAnonymous: entry.isAnonymous,
      chosen: entry.choice, isNew: entry.isRestoring, store: store, places: [])
  }

  /// Opens the journal of an account whose store was closed.
  func reopened(_ account: Account) async throws(EventLogError) -> Account {
    try await self.account(account.ownEntry)
  }

  func journalOptions(of user: String?) -> JournalOptions {
    var journal = options.journal
    journal.user = user
    return journal
  }
}

extension AccountsFile {
  /// A name that no journal here has: a user's name is never part of a path.
  func newName(_ random: RandomText) -> String {
    AccountsFolder.newName(random, besides: entries.map(\.file) + removing)
  }

  /// The guest to show, who is new if there is none. All processes have the same one.
  mutating func makeGuest(_ random: RandomText) -> Entry {
    if let guest { return guest }
    let entry = Entry(file: newName(random), user: GuestName.next(random))
    entries.append(entry)
    return entry
  }
}

extension EventLogError {
  /// The error of something that comes after an interrupted sign-in was finished.
  var afterSignIn: EventLogError { afterChanges("An interrupted sign-in was finished before.") }
}
