import EventLog

/// Finds out from the journals which account has adopted a guest, where `accounts.json` is lost.
struct AdoptedGuests {
  private let folder: AccountsFolder
  private let catalog: SchemaCatalog

  init(_ folder: AccountsFolder, catalog: SchemaCatalog) {
    self.folder = folder
    self.catalog = catalog
  }

  /// The account that has all events of a user, and the size of the user's journal.
  ///
  /// A guest who has written since is a guest: the adoption was undone, or happened on another
  /// device.
  ///
  /// - Complexity: O(the sizes of the accounts' journals).
  func adopter(
    of entry: AccountsFile.Entry, in file: AccountsFile
  ) throws(EventLogError) -> (account: String, bytes: Int64)? {
    for account in file.entries
    where !GuestName.isGuest(account.user) && !account.user.hasBytes(of: entry.user) {
      // An account without events has no journal yet.
      guard try folder.exists(account.file) else { continue }
      let users = try journal(account).snapshot().snapshot.adoptedUsers
      guard users.contains(where: { $0.hasBytes(of: entry.user) }) else { continue }
      let size = JournalFile.contentSize(of: folder.file(entry.file), in: folder.fileSystem)
      if try events(of: account).isSuperset(of: events(of: entry)) {
        return (account.user, size ?? 0)
      }
    }
    return nil
  }

  private func events(of entry: AccountsFile.Entry) throws(EventLogError) -> Set<FullEventID> {
    var events: Set<FullEventID> = []
    _ = try journal(entry).replay { event, _ in
      events.insert(event.fullID)
      return true
    }
    return events
  }

  private func journal(_ entry: AccountsFile.Entry) -> Journal {
    Journal(path: folder.file(entry.file), catalog: catalog, fileSystem: folder.fileSystem)
  }
}
