import EventLog

/// The contents of `accounts.json`: the current account, and the user of each journal.
///
/// It can be lost. The next opening then rebuilds it from the journals. No account is signed in
/// then, and none has chosen its places.
package struct AccountsFile: Equatable, Sendable {
  /// A journal in the folder.
  struct Entry: Equatable, Sendable {
    /// The name of its file, which tells nothing of the user.
    var file: String
    var user: String
    /// Whether the app signed in anonymously.
    var isAnonymous = false
    /// Whether the account's journal began on this device, and no place has answered since.
    var isRestoring = false
    /// The account to which the journal's events belong by now; nil for the user's own journal.
    var adoption: Adoption?
    /// The places that the person has chosen; nil before the first choice.
    var choice: Choice?

    /// Whether the events belong to another journal of the same user.
    var isDuplicate: Bool { adoption.map { $0.account.hasBytes(of: user) } ?? false }
  }

  /// How far an account has adopted a journal.
  enum Adoption: Equatable, Sendable {
    /// The account may be the only one that adopts the journal; after a crash, the next opening
    /// finishes it.
    case begun(by: String, isAnonymous: Bool)
    /// The account's journal contains the events up to this size of the adopted journal.
    case done(by: String, bytes: Int64)

    var account: String {
      switch self {
      case .begun(let account, _), .done(let account, _): account
      }
    }
  }

  /// What a person has chosen, and when.
  struct Choice: Equatable, Sendable {
    var providers: ProviderChoice
    var at: Timestamp
  }

  /// The account that is signed in; nil for none.
  var current: String?
  var entries: [Entry] = []
  /// Journals that are being removed.
  package var removing: [String] = []

  // MARK: - Looking

  /// The user's own journal.
  func entry(of user: String) -> Entry? {
    entries.first { $0.user.hasBytes(of: user) && !$0.isDuplicate }
  }

  func entry(ofFile file: String) -> Entry? { entries.first { $0.file == file } }

  /// The guest who is shown while nobody is signed in.
  var guest: Entry? { entries.first { GuestName.isGuest($0.user) && $0.adoption == nil } }

  /// The journals of a user, and of all users adopted by that user, directly or through others.
  func family(of user: String) -> [String] {
    var (users, files): ([String], [String]) = ([user], [])
    while let next = users.popLast() {
      for entry in entries where !files.contains(entry.file) {
        let isOwn = entry.user.hasBytes(of: next)
        let isAdopted = entry.adoption.map { $0.account.hasBytes(of: next) } ?? false
        guard isOwn || isAdopted else { continue }
        files.append(entry.file)
        if isAdopted { users.append(entry.user) }
      }
    }
    return files
  }

  // MARK: - Changing

  /// Changes what is known of a journal.
  mutating func update(_ file: String, _ change: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.file == file }) else { return }
    change(&entries[index])
  }

  /// Adds a journal unless it is listed.
  mutating func list(_ entry: Entry) {
    if self.entry(ofFile: entry.file) == nil { entries.append(entry) }
  }

  /// Makes the owner of a journal the current user, after signing in.
  mutating func makeCurrent(_ entry: Entry, isAnonymous: Bool) {
    current = entry.user
    update(entry.file) { entry in
      entry.isAnonymous = isAnonymous
      // An account that signs in again may write events that no other account has.
      entry.adoption = nil
    }
  }

  /// Lets one account adopt a journal.
  ///
  /// - Returns: false if another account has adopted it, or is doing so.
  mutating func claim(_ file: String, for account: String, isAnonymous: Bool) -> Bool {
    switch entry(ofFile: file)?.adoption {
    case .begun(let other, _) where !other.hasBytes(of: account): return false
    case .done: return false
    case nil, .begun:
      update(file) { $0.adoption = .begun(by: account, isAnonymous: isAnonymous) }
      return true
    }
  }

  /// Takes back a claim whose adoption has not begun.
  mutating func release(_ file: String, from account: String) {
    update(file) { entry in
      guard case .begun(let other, _) = entry.adoption, other.hasBytes(of: account) else { return }
      entry.adoption = nil
    }
  }

  /// Marks the further journals of each user, whose events then move into the first one.
  ///
  /// What is known of them becomes known of the first one. Two accounts that have adopted one user
  /// keep what they have.
  mutating func markDuplicates() {
    for index in entries.indices where !entries[index].isDuplicate {
      let user = entries[index].user
      for other in entries.indices.dropFirst(index + 1)
      where entries[other].user.hasBytes(of: user) && !entries[other].isDuplicate {
        if let account = entries[other].adoption?.account, entries[index].adoption == nil,
          !(current.map { $0.hasBytes(of: user) } ?? false)
        {
          // The size is that of another file.
          entries[index].adoption = .done(by: account, bytes: 0)
        }
        entries[index].choice = [entries[index].choice, entries[other].choice].compactMap(\.self)
          .max { $0.at < $1.at }
        entries[index].isAnonymous = entries[index].isAnonymous && entries[other].isAnonymous
        entries[index].isRestoring = entries[index].isRestoring && entries[other].isRestoring
        entries[other].adoption = .begun(by: user, isAnonymous: false)
      }
    }
  }
}
