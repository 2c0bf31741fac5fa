import EventLog

/// Moves the events of adopted journals into the journals of the accounts they belong to.
extension AccountsOpening {
  /// What became of an adoption that was not finished.
  struct Settled: Sendable {
    let file: String
    let before: AccountsFile.Adoption
    /// Nil if the account does not adopt the journal after all.
    let after: AccountsFile.Adoption?

    /// Whether it finishes a sign-in.
    var isSignIn: Bool {
      if case .begun = before, case .done = after { true } else { false }
    }
  }

  /// Finishes adoptions: all that were begun, and those of one user whose journals have grown, such
  /// as by the append of a process that did not know of the adoption.
  ///
  /// It works without the folder's lock. Two processes that do it at the same time receive the same
  /// events once.
  ///
  /// - Parameter user: The user whose journal is opened next.
  func settle(
    _ file: AccountsFile, for user: String?, except claimed: String? = nil
  ) async throws(EventLogError) -> [Settled] {
    var (file, settled): (AccountsFile, [Settled]) = (file, [])
    var done: Set<String> = claimed.map { [$0] } ?? []
    let family = Set(user.map(file.family) ?? [])
    // The events of an adopted journal may belong to one that is adopted itself.
    for _ in file.entries {
      var hasChanged = false
      // A user's own journals come first: the others may be adopted with them.
      for entry in file.entries.filter(\.isDuplicate) + file.entries.filter({ !$0.isDuplicate }) {
        guard let before = entry.adoption, !done.contains(entry.file) else { continue }
        guard isUnfinished(entry, family.contains(entry.file)) else { continue }
        let after = try await finished(entry, before, in: file)
        hasChanged = hasChanged || after != before
        if after == before || after == nil { done.insert(entry.file) }
        if after == before { continue }
        file.update(entry.file) { $0.adoption = after }
        settled.append(Settled(file: entry.file, before: before, after: after))
      }
      if !hasChanged { break }
    }
    return settled
  }

  private func isUnfinished(_ entry: AccountsFile.Entry, _ isOpened: Bool) -> Bool {
    guard case .done(_, let bytes) = entry.adoption else { return entry.adoption != nil }
    guard isOpened, let size = size(of: entry.file) else { return false }
    return size != bytes && size > 0
  }

  /// The size of a journal without the spaces at its end; nil if it cannot be read.
  func size(of name: String) -> Int64? {
    JournalFile.contentSize(of: folder.file(name), in: folder.fileSystem)
  }

  private func finished(
    _ entry: AccountsFile.Entry, _ before: AccountsFile.Adoption, in file: AccountsFile
  ) async throws(EventLogError) -> AccountsFile.Adoption? {
    var isBegun = false
    if case .begun = before { isBegun = true }
    guard let own = file.entry(of: before.account), try folder.exists(entry.file) else {
      // A duplicate without events is never its user's journal again.
      if isBegun { return entry.isDuplicate ? .done(by: entry.user, bytes: 0) : nil }
      return before
    }
    do throws(EventLogError) {
      let store = EventStore.unread(
        path: folder.file(own.file), options: journalOptions(of: own.user),
        catalog: options.catalog)
      let after = try await adopt(entry.file, of: entry.user, into: store, of: own.user).adoption
      do throws(EventLogError) { try await store.close() } catch { throw error.afterSignIn }
      return after
    } catch {
      // The next opening tries again. This one shows what the account has.
      if !isBegun || entry.isDuplicate { return before }
      guard error.code == .damaged || error.code == .otherUser else { throw error }
      // The guest is still the guest, and signing in again reports what is wrong.
      return nil
    }
  }

  /// Receives the events of a journal into that of the account to which they belong.
  ///
  /// A journal without events counts as adopted: a crash during its first append can leave it empty
  /// or with a part of a line. If its user's app appends later, the next opening receives that.
  ///
  /// - Returns: The bytes received, and the report, or nil if there was no event to receive or if
  ///   the journal is another one of the same user.
  func adopt(
    _ name: String, of user: String, into store: EventStore, of account: String
  ) async throws(EventLogError) -> (adoption: AccountsFile.Adoption, report: AdoptionReport?) {
    // What is appended from here on may be missing.
    let adoption = AccountsFile.Adoption.done(by: account, bytes: size(of: name) ?? 0)
    let remote = remote(name)
    do throws(EventLogError) {
      if !user.hasBytes(of: account) { return (adoption, try await store.adopt(remote)) }
      _ = try await store.sync(with: remote, .pull)
      return (adoption, nil)
    } catch  where error.code == .noJournal {
      return (.done(by: account, bytes: 0), nil)
    }
  }

  func remote(_ name: String) -> JournalRemote {
    JournalRemote(path: folder.file(name), options: journalOptions(of: nil))
  }
}

extension AccountsFile {
  /// Notes what became of adoptions.
  ///
  /// - Returns: Whether that finished a sign-in.
  mutating func note(_ settled: [AccountsOpening.Settled]) -> Bool {
    var hasSignedIn = false
    for settled in settled {
      // Another process may have settled it otherwise meanwhile.
      guard let entry = entry(ofFile: settled.file), entry.adoption == settled.before else {
        continue
      }
      update(settled.file) { $0.adoption = settled.after }
      guard settled.isSignIn, !entry.isDuplicate,
        case .begun(let account, let isAnonymous) = settled.before,
        let owner = self.entry(of: account),
        current.map({ $0.hasBytes(of: entry.user) }) ?? true
      else { continue }
      makeCurrent(owner, isAnonymous: isAnonymous)
      hasSignedIn = true
    }
    return hasSignedIn
  }
}
