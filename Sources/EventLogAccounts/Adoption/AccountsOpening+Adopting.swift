import EventLog

/// Moves the events of adopted journals into the journals of the accounts they belong to.
extension AccountsOpening {
  /// The outcome of an adoption that was unfinished.
  struct AdoptionOutcome: Sendable {
    let file: String
    let before: AccountsFile.Adoption
    /// Nil if the account doesn't adopt the journal after all.
    let after: AccountsFile.Adoption?

    /// Whether it finishes a sign-in.
    var isSignIn: Bool {
      if case .begun = before, case .done = after { true } else { false }
    }
  }

  /// Finishes all begun adoptions, and receives later appends to the journals that a user adopted.
  ///
  /// A process that hasn't read of the adoption may append to an adopted journal. No lock is held:
  /// if two processes do this at the same time, each event is received once.
  ///
  /// - Parameter user: The user whose journal is opened next.
  func finishAdoptions(
    _ file: AccountsFile, for user: String?, except claimed: String? = nil
  ) async throws(EventLogError) -> [AdoptionOutcome] {
    var (file, outcomes): (AccountsFile, [AdoptionOutcome]) = (file, [])
    var done: Set<String> = claimed.map { [$0] } ?? []
    let family = Set(user.map(file.family) ?? [])
    // An adopter may be adopted itself, so repeat until nothing changes.
    for _ in file.entries {
      var hasChanged = false
      // Merge a user's own journals first, so that another account adopts all of their events.
      for entry in file.entries.filter(\.isDuplicate) + file.entries.filter({ !$0.isDuplicate }) {
        guard let before = entry.adoption, !done.contains(entry.file) else { continue }
        guard isUnfinished(entry, family.contains(entry.file)) else { continue }
        let after = try await finished(entry, before, in: file)
        hasChanged = hasChanged || after != before
        if after == before || after == nil { done.insert(entry.file) }
        if after == before { continue }
        file.update(entry.file) { $0.adoption = after }
        outcomes.append(AdoptionOutcome(file: entry.file, before: before, after: after))
      }
      if !hasChanged { break }
    }
    return outcomes
  }

  private func isUnfinished(_ entry: AccountsFile.Entry, _ isOpened: Bool) -> Bool {
    guard case .done(_, let bytes) = entry.adoption else { return entry.adoption != nil }
    guard isOpened, let size = folder.size(of: entry.file) else { return false }
    return size != bytes && size > 0
  }

  private func finished(
    _ entry: AccountsFile.Entry, _ before: AccountsFile.Adoption, in file: AccountsFile
  ) async throws(EventLogError) -> AccountsFile.Adoption? {
    var isBegun = false
    if case .begun = before { isBegun = true }
    guard let own = file.entry(of: before.account), try folder.exists(entry.file) else {
      // A duplicate without events never becomes its user's journal again.
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
      // The next opening retries. Until then, the account has the events that were received.
      if !isBegun || entry.isDuplicate { return before }
      guard error.code == .damaged || error.code == .otherUser else { throw error }
      // The guest stays a guest, and the next sign-in reports the error.
      return nil
    }
  }

  /// Receives the events of a journal into the journal of its adopter.
  ///
  /// A journal without events counts as adopted: a crash during its first append can leave it empty
  /// or with a torn line. The next opening receives later appends.
  ///
  /// - Returns: The bytes received, and the report, or nil if there was no event to receive or if
  ///   the journal is another one of the same user.
  func adopt(
    _ name: String, of user: String, into store: EventStore, of account: String
  ) async throws(EventLogError) -> (adoption: AccountsFile.Adoption, report: AdoptionReport?) {
    // Take the size before receiving, because later appends may be missing.
    let adoption = AccountsFile.Adoption.done(by: account, bytes: folder.size(of: name) ?? 0)
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
  /// Records the outcomes of adoptions.
  ///
  /// - Returns: Whether one of them finished a sign-in.
  mutating func record(_ outcomes: [AccountsOpening.AdoptionOutcome]) -> Bool {
    var hasSignedIn = false
    for outcome in outcomes {
      // Another process may have settled it differently meanwhile.
      guard let entry = entry(ofFile: outcome.file), entry.adoption == outcome.before else {
        continue
      }
      update(outcome.file) { $0.adoption = outcome.after }
      guard outcome.isSignIn, !entry.isDuplicate,
        case .begun(let account, let isAnonymous, _) = outcome.before,
        let owner = self.entry(of: account),
        current.map({ $0.hasBytes(of: entry.user) }) ?? true
      else { continue }
      makeCurrent(owner, isAnonymous: isAnonymous)
      hasSignedIn = true
    }
    return hasSignedIn
  }
}
