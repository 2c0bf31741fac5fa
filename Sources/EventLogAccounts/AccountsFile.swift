import EventLog

/// The contents of `accounts.json`: the current account, and the user of each journal.
///
/// If the file is lost, the next opening rebuilds it from the journals. Then no account is signed
/// in, and all choices of providers are lost.
package struct AccountsFile: Equatable, Sendable {
  /// A journal in the folder.
  struct Entry: Equatable, Sendable {
    /// The name of the journal's file, which doesn't reveal the user.
    var file: String
    var user: String
    /// Whether the account is anonymous.
    var isAnonymous = false
    /// Whether the journal was created on this device and hasn't been synced with a remote yet.
    var isRestoring = false
    /// The adoption of the journal by an account, or nil if it isn't adopted.
    var adoption: Adoption?
    /// The choice of providers, or nil before the first one.
    var choice: Choice?

    /// Whether the journal's events are moved into another journal of the same user.
    var isDuplicate: Bool { adoption.map { $0.account.hasBytes(of: user) } ?? false }
  }

  /// The state of a journal's adoption by an account.
  enum Adoption: Equatable, Sendable {
    /// The account has claimed the journal.
    ///
    /// After a crash, the next opening finishes the adoption. Each pending sign-in has its own
    /// claim.
    case begun(by: String, isAnonymous: Bool, claims: [String] = [])
    /// The account's journal contains the events of the adopted journal up to this size.
    case done(by: String, bytes: Int64)

    var account: String {
      switch self {
      case .begun(let account, _, _), .done(let account, _): account
      }
    }
  }

  /// A sign-in's claim on the journal that it is going to adopt.
  struct Claim: Sendable {
    let file: String
    let account: String
    /// Distinguishes the claim from those of other processes for the same account.
    let id: String
  }

  /// A choice of providers, and its time.
  struct Choice: Equatable, Sendable {
    var providers: ProviderChoice
    var at: Timestamp
  }

  /// A journal that is being removed.
  package struct Removal: Equatable, Sendable {
    /// The journal's entry. It is restored if another process has written to the journal.
    let entry: Entry
    /// The journal's size when its events were counted, or nil if the journal is removed in any
    /// case.
    let bytes: Int64?

    package var file: String { entry.file }
  }

  /// The account that is signed in, or nil if none is.
  var current: String?
  var entries: [Entry] = []
  /// Journals that are being removed.
  package var removing: [Removal] = []

  // MARK: - Queries

  /// Returns the user's own journal.
  func entry(of user: String) -> Entry? {
    entries.first { $0.user.hasBytes(of: user) && !$0.isDuplicate }
  }

  func entry(ofFile file: String) -> Entry? { entries.first { $0.file == file } }

  /// The guest that is the current user while no account is signed in.
  var guest: Entry? { entries.first { GuestName.isGuest($0.user) && $0.adoption == nil } }

  /// Returns the journals of a user, and of all users whom that user has adopted directly or
  /// indirectly.
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

  // MARK: - Changes

  /// Changes the entry of a journal, if it is listed.
  mutating func update(_ file: String, _ change: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.file == file }) else { return }
    change(&entries[index])
  }

  /// Adds a journal, unless it is already listed.
  ///
  /// - Returns: False if the user has another journal now, or this one is being removed.
  mutating func add(_ entry: Entry) -> Bool {
    if let own = self.entry(of: entry.user) { return own.file == entry.file }
    if removing.contains(where: { $0.file == entry.file }) || self.entry(ofFile: entry.file) != nil
    {
      return false
    }
    entries.append(entry)
    return true
  }

  /// Makes the user of a journal the current user.
  mutating func makeCurrent(_ entry: Entry, isAnonymous: Bool) {
    current = entry.user
    update(entry.file) { entry in
      entry.isAnonymous = isAnonymous
      // Don't interrupt the adoption of an anonymous account.
      if isAnonymous, case .begun = entry.adoption { return }
      // The account may now write events that its adopter doesn't have.
      entry.adoption = nil
    }
  }

  /// Signs an account out, and moves journals to the list of removals.
  ///
  /// - Returns: The names of the journals that were moved.
  mutating func signOut(_ user: String, removing removals: [Removal]) -> [String] {
    // Another process may have signed in another account.
    if let current, current.hasBytes(of: user) { self.current = nil }
    // It may also have undone the adoption of a guest.
    let family = family(of: user)
    let listed = removals.compactMap { removal -> Removal? in
      guard let entry = entry(ofFile: removal.file) else {
        return removing.contains { $0.file == removal.file } ? nil : removal
      }
      return family.contains(entry.file) ? Removal(entry: entry, bytes: removal.bytes) : nil
    }
    let names = listed.map(\.file)
    entries.removeAll { names.contains($0.file) }
    removing += listed
    return names
  }

  /// Deletes finished removals, and restores the entries of journals that were kept.
  mutating func record(_ result: AccountsFolder.RemovalResult) {
    entries += removing.filter { result.kept.contains($0.file) }.map(\.entry)
    removing.removeAll { result.removed.contains($0.file) || result.kept.contains($0.file) }
    markDuplicates()
  }

  /// Claims a journal for an account, so that no other account can adopt it.
  ///
  /// - Returns: False if another account has adopted or claimed it, or if it belongs to an account
  ///   that isn't anonymous.
  mutating func claim(_ claim: Claim, isAnonymous: Bool) -> Bool {
    guard let entry = entry(ofFile: claim.file),
      GuestName.isGuest(entry.user) || entry.isAnonymous
    else { return false }
    var claims: [String] = []
    switch entry.adoption {
    case nil: break
    case .done: return false
    case .begun(let other, _, let earlier):
      guard other.hasBytes(of: claim.account) else { return false }
      claims = earlier.filter { $0 != claim.id }
    }
    update(claim.file) {
      $0.adoption = .begun(
        by: claim.account, isAnonymous: isAnonymous, claims: claims + [claim.id])
    }
    return true
  }

  /// Records that the claim's account has adopted the journal.
  ///
  /// - Returns: False if the journal now belongs to another account, or to its own user again.
  mutating func finish(_ claim: Claim, _ adoption: Adoption) -> Bool {
    let isOwn =
      self.claim(claim, isAnonymous: false)
      || entry(ofFile: claim.file)?.adoption?.account.hasBytes(of: claim.account) == true
    if isOwn { update(claim.file) { $0.adoption = adoption } }
    return isOwn
  }

  /// Removes a claim whose adoption has received no events, and keeps those of other processes.
  mutating func release(_ claim: Claim) {
    update(claim.file) { entry in
      guard case .begun(let account, let isAnonymous, let claims) = entry.adoption,
        account.hasBytes(of: claim.account), claims.contains(claim.id)
      else { return }
      let others = claims.filter { $0 != claim.id }
      entry.adoption =
        others.isEmpty ? nil : .begun(by: account, isAnonymous: isAnonymous, claims: others)
    }
  }

  /// Marks all journals of a user except the first, so that their events are moved into the first.
  ///
  /// The first entry combines the choices, flags and adoptions of all. If two accounts have adopted
  /// the user, both keep the received events.
  mutating func markDuplicates() {
    for index in entries.indices where !entries[index].isDuplicate {
      let user = entries[index].user
      for other in entries.indices.dropFirst(index + 1)
      where entries[other].user.hasBytes(of: user) && !entries[other].isDuplicate {
        if let account = entries[other].adoption?.account, entries[index].adoption == nil,
          !(current.map { $0.hasBytes(of: user) } ?? false)
        {
          // The recorded size is that of the other file, so it doesn't apply here.
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
