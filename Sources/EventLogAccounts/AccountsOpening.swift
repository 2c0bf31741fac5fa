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

  /// Brings `accounts.json` up to date, and finishes interrupted removals and adoptions.
  ///
  /// - Returns: The contents, and whether an interrupted sign-in was finished.
  func updatedFile() async throws(EventLogError) -> (file: AccountsFile, hasSignedIn: Bool) {
    let listed = try await listJournals()
    let outcomes = try await finishAdoptions(listed, for: listed.current)
    if outcomes.isEmpty, listed.current != nil || listed.guest != nil { return (listed, false) }
    let random = options.journal.random
    do throws(EventLogError) {
      let (file, hasSignedIn) = try await change { file in
        let hasSignedIn = file.record(outcomes)
        if file.current == nil { _ = file.makeGuest(random) }
        return hasSignedIn
      }
      return (file, hasSignedIn)
    } catch {
      throw outcomes.contains(where: \.isSignIn) ? error.afterSignIn : error
    }
  }

  /// Changes `accounts.json` under the folder's lock.
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout AccountsFile) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> (file: AccountsFile, value: Value) {
    try await folder.change(waiting: options.journal.lockWaitMilliseconds, body)
  }

  /// Adds unlisted journals to `accounts.json`, and finishes removals.
  private func listJournals() async throws(EventLogError) -> AccountsFile {
    try await folder.change(
      waiting: options.journal.lockWaitMilliseconds,
      after: { (file) throws(EventLogError) in
        // The next opening retries failed removals.
        (removals: folder.remove(file.removing), entries: try unlisted(in: file))
      },
      { (file, found) in
        file.entries += found.entries
        file.record(found.removals)
      }
    ).file
  }

  /// Removes the journals in `removing`, and restores the entries of those to which another process
  /// has written.
  ///
  /// - Returns: The first error, or nil if nothing is left to remove.
  func finishRemoval() async throws(EventLogError) -> EventLogError? {
    try await folder.change(
      waiting: options.journal.lockWaitMilliseconds,
      after: { file in folder.remove(file.removing) },
      { (file, found) in
        file.record(found)
        return found.failure
      }
    ).value
  }

  /// Returns entries for the folder's unlisted journals, each with the account that has adopted it.
  private func unlisted(
    in file: AccountsFile
  ) throws(EventLogError) -> [AccountsFile.Entry] {
    let listed = Set((file.entries + file.removing.map(\.entry)).map { Array($0.file.utf8) })
    var found: [AccountsFile.Entry] = []
    for name in try folder.journals() where !listed.contains(Array(name.utf8)) {
      if let user = try user(of: name) { found.append(.init(file: name, user: user)) }
    }
    if found.isEmpty { return [] }
    var all = file
    all.entries += found
    let adoptions = AdoptedGuests(folder, catalog: options.catalog)
    for index in found.indices {
      guard let (account, bytes) = try adoptions.adopter(of: found[index], in: all) else {
        continue
      }
      found[index].adoption = .done(by: account, bytes: bytes)
    }
    return found
  }

  /// Returns the user of a journal, or nil for a file that isn't one.
  private func user(of name: String) throws(EventLogError) -> String? {
    do throws(EventLogError) {
      let journal = Journal(
        path: folder.file(name), catalog: options.catalog, fileSystem: folder.fileSystem)
      return try journal.contents().user
    } catch {
      guard error.code == .notAJournal else { throw error }
      return nil
    }
  }

  /// Adds an entry for a user who has no journal yet.
  func newEntry(_ user: String, in file: inout AccountsFile) -> AccountsFile.Entry {
    let entry = AccountsFile.Entry(
      file: file.newName(options.journal.random), user: user, isRestoring: true)
    file.entries.append(entry)
    return entry
  }

  // MARK: - Journals

  /// Opens a journal, whose file may not exist yet.
  func open(_ entry: AccountsFile.Entry) async throws(EventLogError) -> Account {
    let store = try await EventStore.open(
      path: folder.file(entry.file), options: journalOptions(of: entry.user),
      catalog: options.catalog, projections: options.projections)
    return Account(
      user: entry.user, isGuest: GuestName.isGuest(entry.user), isAnonymous: entry.isAnonymous,
      chosen: entry.choice, isNew: entry.isRestoring, store: store, places: [])
  }

  /// Opens the journal of an account again after its store was closed.
  func reopen(_ account: Account) async throws(EventLogError) -> Account {
    try await open(account.ownEntry)
  }

  func journalOptions(of user: String?) -> JournalOptions {
    var journal = options.journal
    journal.user = user
    return journal
  }
}

extension AccountsFile {
  /// Returns a random name that no listed journal has.
  func newName(_ random: RandomText) -> String {
    AccountsFolder.newName(random, excluding: (entries + removing.map(\.entry)).map(\.file))
  }

  /// Returns the guest that becomes current, adding one if there is none.
  ///
  /// All processes share this guest.
  mutating func makeGuest(_ random: RandomText) -> Entry {
    if let guest { return guest }
    let entry = Entry(file: newName(random), user: GuestName.next(random))
    entries.append(entry)
    return entry
  }
}

extension EventLogError {
  /// A copy of the error that also mentions that an interrupted sign-in was finished.
  var afterSignIn: EventLogError { afterChanges("An interrupted sign-in was finished before.") }
}
