package import EventLog

/// A read-only overview of a folder of accounts.
package struct AccountsOverview: Sendable {
  /// The entry of one journal.
  package struct Row: Sendable {
    package let user: String
    package let isGuest: Bool
    package let isAnonymous: Bool
    package fileprivate(set) var isCurrent: Bool
    package let adoptedBy: String?
    /// The user's choice of providers, or nil before the first one.
    package let choice: ProviderChoice?
    package let choiceTime: Timestamp?
    package let path: String
    /// The number of the journal's events, or nil if it doesn't exist or can't be read.
    package let eventCount: Int?
    /// The error if the journal can't be read.
    package let error: EventLogError?
  }

  /// The journals, sorted by user.
  package let rows: [Row]
  /// Whether `accounts.json` exists. Without it, no user is signed in.
  package let isListed: Bool
  /// Whether a sign-in or a removal was interrupted. The next opening finishes it.
  package let isUnfinished: Bool

  /// Reads a folder without changing it.
  ///
  /// - Throws: `invalidInput` if `accounts.json` is damaged or of a later version; `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the journals, without the parts that
  ///   checkpoints cover.
  package init(
    ofFolder path: String, fileSystem: any FileSystem = SystemFileSystem()
  ) throws(EventLogError) {
    let folder = AccountsFolder(path: path, fileSystem: fileSystem)
    let names = try folder.journals()
    let known = try folder.read()
    let file = known ?? AccountsFile()
    var rows: [Row] = []
    for entry in file.entries {
      let row = Self.row(of: entry, file, folder)
      // A guest without events has no journal yet.
      if !row.isGuest || row.eventCount != nil || row.error != nil { rows.append(row) }
    }
    var unlisted: [AccountsFile.Entry] = []
    for name in names where !file.entries.contains(where: { $0.file == name }) {
      var entry = AccountsFile.Entry(file: name, user: "")
      let journal = Journal(path: folder.file(name), fileSystem: folder.fileSystem)
      entry.user = (try? journal.contents().user) ?? ""
      unlisted.append(entry)
    }
    // The next opening will list the same journals.
    let adoptions = AdoptedGuests(folder, catalog: SchemaCatalog())
    var all = file
    all.entries += unlisted.filter { !$0.user.isEmpty }
    for entry in unlisted {
      var entry = entry
      // The adopter of an unreadable journal is unknown.
      if !entry.user.isEmpty, let (account, bytes) = try? adoptions.adopter(of: entry, in: all) {
        entry.adoption = .done(by: account, bytes: bytes)
      }
      let row = Self.row(of: entry, file, folder)
      // Skip a journal that another process has just removed.
      if row.eventCount != nil || row.error != nil { rows.append(row) }
    }
    // Without a current user, the next opening uses the first guest.
    if let first = rows.firstIndex(where: \.isCurrent) {
      for index in rows.indices where index != first { rows[index].isCurrent = false }
    }
    self.rows = rows.sorted { $0.user.precedes($1.user) }
    isListed = known != nil
    isUnfinished =
      !file.removing.isEmpty
      || file.entries.contains { if case .begun = $0.adoption { true } else { false } }
  }

  private static func row(
    of entry: AccountsFile.Entry, _ file: AccountsFile, _ folder: AccountsFolder
  ) -> Row {
    var (eventCount, failure): (Int?, EventLogError?) = (nil, nil)
    do throws(EventLogError) {
      if try folder.exists(entry.file) {
        let journal = Journal(path: folder.file(entry.file), fileSystem: folder.fileSystem)
        eventCount = try journal.contents().eventCount
      }
    } catch { failure = error }
    let user = entry.user
    let isGuest = GuestName.isGuest(user)
    return Row(
      user: user, isGuest: isGuest, isAnonymous: entry.isAnonymous,
      isCurrent: file.current.map { $0.hasBytes(of: user) && !entry.isDuplicate }
        ?? (isGuest && entry.adoption == nil),
      adoptedBy: entry.adoption?.account, choice: entry.choice?.providers,
      choiceTime: entry.choice?.at, path: folder.file(entry.file), eventCount: eventCount,
      error: failure)
  }
}
