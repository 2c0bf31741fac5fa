package import EventLog

/// What a folder of accounts holds, for somebody who only looks.
package struct AccountsOverview: Sendable {
  /// One journal.
  package struct Row: Sendable {
    package let user: String
    package let isGuest: Bool
    package let isAnonymous: Bool
    package fileprivate(set) var isCurrent: Bool
    package let adoptedBy: String?
    package let path: String
    /// What the journal says of itself; nil where there is none yet, or it cannot be read.
    package let status: JournalStatus?
    /// Why it could not be read.
    package let error: EventLogError?
  }

  /// By user.
  package let rows: [Row]
  package let choice: ProviderChoice
  /// Whether `accounts.json` is there; without it, nobody is signed in.
  package let isListed: Bool
  /// Whether a sign-in or a removal was interrupted, which the next opening finishes.
  package let isUnfinished: Bool

  /// Reads a folder, and changes nothing.
  ///
  /// - Throws: `invalidInput` for an `accounts.json` that is damaged or of a later version;
  ///   `inputOutput`.
  /// - Complexity: O(journals, and their bytes behind their checkpoints).
  package init(
    ofFolder path: String, fileSystem: any FileSystem = SystemFileSystem()
  ) throws(EventLogError) {
    let folder = AccountsFolder(path: path, fileSystem: fileSystem)
    let names = try folder.journals()
    let known = try folder.read()
    let file = known ?? AccountsFile()
    var rows: [Row] = []
    for entry in file.entries {
      rows.append(Self.row(of: entry, isUnlisted: false, file, folder))
    }
    for name in names where !file.entries.contains(where: { $0.file == name }) {
      rows.append(
        Self.row(of: .init(file: name, user: ""), isUnlisted: true, file, folder))
    }
    // Without a current user, the app opens the first guest that it finds.
    if let first = rows.firstIndex(where: \.isCurrent) {
      for index in rows.indices where index != first { rows[index].isCurrent = false }
    }
    self.rows = rows.sorted { $0.user.precedes($1.user) }
    choice = file.choice
    isListed = known != nil
    isUnfinished = file.beginning != nil || !file.removing.isEmpty
  }

  private static func row(
    of entry: AccountsFile.Entry, isUnlisted: Bool, _ file: AccountsFile, _ folder: AccountsFolder
  ) -> Row {
    var (status, failure): (JournalStatus?, EventLogError?) = (nil, nil)
    do throws(EventLogError) {
      if try folder.exists(entry.file) {
        status = try Journal(path: folder.file(entry.file), fileSystem: folder.fileSystem).status()
      }
    } catch { failure = error }
    let user = isUnlisted ? status?.user ?? "" : entry.user
    let isGuest = GuestName.isGuest(user)
    return Row(
      user: user, isGuest: isGuest, isAnonymous: entry.isAnonymous,
      isCurrent: file.current.map { $0.hasBytes(of: user) }
        ?? (isGuest && entry.adoptedBy == nil),
      adoptedBy: entry.adoptedBy, path: folder.file(entry.file), status: status, error: failure)
  }
}
