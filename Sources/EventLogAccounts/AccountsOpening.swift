import EventLog

/// Opens the journals of a folder of accounts, and finishes what a crash has interrupted.
struct AccountsOpening {
  private let folder: AccountsFolder
  private let options: AccountOptions

  init(_ folder: AccountsFolder, _ options: AccountOptions) {
    self.folder = folder
    self.options = options
  }

  /// What `accounts.json` says, brought up to what is in the folder, and whether that finished a
  /// sign-in.
  func file() async throws(EventLogError) -> (file: AccountsFile, hasSignedIn: Bool) {
    let known = try folder.read()
    var file = known ?? AccountsFile()
    // What still cannot be removed is tried again by the next opening.
    file.removing.removeAll { name in (try? folder.remove(name)) != nil }
    let names = try folder.journals()
    let unknown = names.filter { name in
      !file.entries.contains { $0.file == name } && !file.removing.contains(name)
    }
    for name in unknown { try add(name, to: &file) }
    // What is known of a guest is in the journal of whoever has adopted it.
    if known == nil, !unknown.isEmpty { try noteAdoptions(in: &file) }
    file = try await finished(file)
    if file != known, known != nil || !file.entries.isEmpty { try folder.write(file) }
    return (file, known?.beginning.map { file.current == $0.user } ?? false)
  }

  /// Takes in a journal that nobody has listed: a guest's whose first event made it, or all of them
  /// where the list was lost.
  private func add(_ name: String, to file: inout AccountsFile) throws(EventLogError) {
    do throws(EventLogError) {
      guard let user = try journal(name).status().user else { return }
      file.entries.append(.init(file: name, user: user))
    } catch {
      // Nobody's journal is left alone, and seen by whoever looks into the folder.
      guard error.code == .notAJournal else { throw error }
    }
  }

  /// Notes who has adopted whom, by what the accounts' journals say.
  ///
  /// A guest who has written since is a guest again: the adoption was undone, or another device's.
  private func noteAdoptions(in file: inout AccountsFile) throws(EventLogError) {
    for entry in file.entries where !GuestName.isGuest(entry.user) {
      let users = try journal(entry.file).snapshot().snapshot.adoptedUsers
      if users.isEmpty { continue }
      let held = try events(of: entry)
      for user in users {
        guard let adopted = file.entry(of: user), try held.isSuperset(of: events(of: adopted))
        else { continue }
        file.update(adopted.file) { $0.adoptedBy = entry.user }
      }
    }
  }

  /// The events in a user's journal.
  private func events(
    of entry: AccountsFile.Entry
  ) throws(EventLogError) -> Set<FullEventID> {
    var events: Set<FullEventID> = []
    _ = try journal(entry.file).replay { event, _ in
      events.insert(event.fullID)
      return true
    }
    return events
  }

  private func journal(_ name: String) -> Journal {
    Journal(
      path: folder.file(name), catalog: options.catalog, fileSystem: folder.fileSystem)
  }

  /// Finishes a sign-in that has begun; where that cannot be, nobody has signed in.
  private func finished(_ file: AccountsFile) async throws(EventLogError) -> AccountsFile {
    guard let beginning = file.beginning else { return file }
    var file = file
    file.beginning = nil
    guard let entry = file.entry(of: beginning.user),
      try folder.exists(beginning.adopting)
    else { return file }
    do throws(EventLogError) {
      let store = EventStore.unread(
        path: folder.file(entry.file), options: journalOptions(of: entry.user),
        catalog: options.catalog)
      _ = try await adopt(beginning.adopting, into: store)
      do throws(EventLogError) { try await store.close() } catch { throw error.afterSignIn }
      file.update(beginning.adopting) { $0.adoptedBy = beginning.user }
      file.makeCurrent(entry, isAnonymous: beginning.isAnonymous)
    } catch {
      // The guest is still the guest, and signing in again says what is wrong.
      guard error.code == .damaged || error.code == .otherUser else { throw error }
    }
    return file
  }

  /// Has an account adopt the user of another journal.
  func adopt(
    _ name: String, into store: EventStore
  ) async throws(EventLogError) -> AdoptionReport {
    var guestOptions = options.journal
    guestOptions.user = nil
    return try await store.adopt(
      JournalRemote(path: folder.file(name), options: guestOptions))
  }

  /// An entry for a user who has no journal yet.
  func newEntry(_ user: String, in file: inout AccountsFile) -> AccountsFile.Entry {
    let name = AccountsFolder.newName(
      options.journal.random, besides: file.entries.map(\.file))
    let entry = AccountsFile.Entry(file: name, user: user, isRestoring: true)
    file.entries.append(entry)
    return entry
  }

  /// Opens the journal of the account, or of the guest: the one whose events were left, or a new
  /// one, whose first event makes its file.
  func account(
    _ user: String?, _ file: AccountsFile
  ) async throws(EventLogError) -> Account {
    let entry: AccountsFile.Entry
    if let user, let known = file.entry(of: user) {
      entry = known
    } else if let left = file.entries.first(where: isLeftGuest) {
      entry = left
    } else {
      let random = options.journal.random
      entry = .init(
        file: AccountsFolder.newName(random, besides: file.entries.map(\.file)),
        user: GuestName.next(random))
    }
    return try await account(
      entry.user, at: folder.file(entry.file), isAnonymous: entry.isAnonymous,
      isNew: entry.isRestoring)
  }

  /// The same user again, whose store was closed.
  func reopened(_ account: Account) async throws(EventLogError) -> Account {
    try await self.account(
      account.user, at: account.store.path, isAnonymous: account.isAnonymous,
      isNew: account.isNew)
  }

  private func account(
    _ user: String, at path: String, isAnonymous: Bool, isNew: Bool
  ) async throws(EventLogError) -> Account {
    let store = try await EventStore.open(
      path: path, options: journalOptions(of: user), catalog: options.catalog,
      projections: options.projections)
    return Account(
      user: user, isGuest: GuestName.isGuest(user), isAnonymous: isAnonymous, isNew: isNew,
      store: store, places: [])
  }

  private func isLeftGuest(_ entry: AccountsFile.Entry) -> Bool {
    GuestName.isGuest(entry.user) && entry.adoptedBy == nil
  }

  private func journalOptions(of user: String) -> JournalOptions {
    var journal = options.journal
    journal.user = user
    return journal
  }
}

extension EventLogError {
  /// The error of something that comes after an interrupted sign-in was finished.
  var afterSignIn: EventLogError { afterChanges("An interrupted sign-in was finished before.") }
}
