import EventLog

/// Moves the events of adopted journals into the adopters' journals.
extension AccountsOpening {
  /// The outcome of an unfinished adoption.
  struct AdoptionOutcome: Sendable {
    let file: String
    let before: AccountsFile.Adoption
    /// Nil if the adoption was given up.
    let after: AccountsFile.Adoption?

    /// Whether this finishes a sign-in.
    var isSignIn: Bool {
      if case .begun = before, case .done = after { true } else { false }
    }
  }

  /// Finishes all pending adoptions, and receives events that were appended to adopted journals
  /// later.
  ///
  /// A process that isn't aware of the adoption may append to an adopted journal. No lock is
  /// needed: if two processes do this at the same time, each event is still received once.
  ///
  /// - Parameter user: The user whose journal is opened next. Only journals that this user adopted
  ///   are checked for later events.
  func finishAdoptions(
    _ file: AccountsFile, for user: String?, except claimed: String? = nil
  ) async throws(EventLogError) -> [AdoptionOutcome] {
    var (file, outcomes): (AccountsFile, [AdoptionOutcome]) = (file, [])
    var done: Set<String> = claimed.map { [$0] } ?? []
    let family = Set(user.map(file.family) ?? [])
    // An adopter may be adopted in turn, so repeat until nothing changes.
    for _ in file.entries {
      var hasChanged = false
      // First merge the journals of each user, so that an adopter receives all of the events.
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
      // A duplicate without events stays adopted.
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
      // The next opening of the accounts retries the adoption. Until then, the account has only
      // some of the events.
      if !isBegun || entry.isDuplicate { return before }
      guard error.code == .damaged || error.code == .otherUser else { throw error }
      // Give up: the guest remains, and the next sign-in reports the error.
      return nil
    }
  }

  /// Receives the events of a journal into the journal of its adopter.
  ///
  /// A journal without events also counts as adopted, because a crash during its first append can
  /// leave it empty or with a torn line. The next opening receives later events.
  ///
  /// - Returns: The adoption with the received size, and the report. The report is nil if there are
  ///   no events, or if both journals belong to the same user.
  func adopt(
    _ name: String, of user: String, into store: EventStore, of account: String
  ) async throws(EventLogError) -> (adoption: AccountsFile.Adoption, report: AdoptionReport?) {
    // Read the size first, because events that are appended during the call may be missed.
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
      // Another process may have changed the adoption in the meantime.
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
