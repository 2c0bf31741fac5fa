import EventLog

/// Finds the adopters of guests by reading the journals, in case `accounts.json` is lost.
struct AdoptedGuests {
  private let folder: AccountsFolder
  private let catalog: SchemaCatalog

  init(_ folder: AccountsFolder, catalog: SchemaCatalog) {
    self.folder = folder
    self.catalog = catalog
  }

  /// Returns the account that has all events of a user, and the size of the user's journal.
  ///
  /// A guest with events that the account lacks isn't adopted: the adoption was undone, or happened
  /// on another device.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the accounts' journals.
  func adopter(
    of entry: AccountsFile.Entry, in file: AccountsFile
  ) throws(EventLogError) -> (account: String, bytes: Int64)? {
    for account in file.entries
    where !GuestName.isGuest(account.user) && !account.user.hasBytes(of: entry.user) {
      // An account without events has no journal yet.
      guard try folder.exists(account.file) else { continue }
      let users = try journal(account).snapshot().snapshot.adoptedUsers
      guard users.contains(where: { $0.hasBytes(of: entry.user) }) else { continue }
      let size = folder.size(of: entry.file)
      if try events(of: account).isSuperset(of: events(of: entry)) {
        return (account.user, size ?? 0)
      }
    }
    return nil
  }

  private func events(of entry: AccountsFile.Entry) throws(EventLogError) -> Set<FullEventID> {
    var held = HeldEvents()
    _ = try journal(entry).visit(by: &held)
    return held.events
  }

  private func journal(_ entry: AccountsFile.Entry) -> Journal {
    Journal(path: folder.file(entry.file), catalog: catalog, fileSystem: folder.fileSystem)
  }
}

/// Collects the full IDs of a journal's events.
private struct HeldEvents: LineVisitor {
  private(set) var events: Set<FullEventID> = []

  var wantsData: Bool { false }
  var isDone: Bool { false }

  mutating func begin(_ known: KnownEvents) {}

  mutating func visit(_ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>) {
    events.insert(FullEventID(layout, canonical))
  }
}
