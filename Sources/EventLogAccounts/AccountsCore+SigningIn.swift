import EventLog
import EventLogUndo

extension AccountsCore {
  func signIn(
    as user: String, isAnonymous: Bool, guest: GuestChoice
  ) async throws(EventLogError) -> SignIn {
    try EventLogError.checkAccountName(user)
    return try await exclusively { () throws(EventLogError) in
      let current = feed.value
      if !current.isGuest, current.user.hasBytes(of: user),
        try await signInAgain(isAnonymous: isAnonymous)
      {
        return SignIn(account: feed.value, adoption: nil)
      }
      return try await switchTo(user, isAnonymous: isAnonymous, guest: guest)
    }
  }

  /// Signs in to the current account again, such as when an anonymous account has been linked.
  ///
  /// - Returns: False if another process has removed its journal.
  private func signInAgain(isAnonymous: Bool) async throws(EventLogError) -> Bool {
    let current = feed.value
    let name = Path.name(of: current.store.path)
    let entry = try await change { file -> AccountsFile.Entry? in
      guard let entry = file.entry(ofFile: name), !entry.isDuplicate else { return nil }
      file.makeCurrent(entry, isAnonymous: isAnonymous)
      return file.entry(ofFile: name)
    }
    guard let entry else { return false }
    if current.isAnonymous != isAnonymous { feed.update { $0 = $0.with(entry) } }
    return true
  }

  private func switchTo(
    _ user: String, isAnonymous: Bool, guest: GuestChoice
  ) async throws(EventLogError) -> SignIn {
    let current = feed.value
    // Close the journal first, because the adoption would miss later events.
    if current.isGuest || current.isAnonymous { await closeCurrent() }
    let claim = AccountsFile.Claim(
      file: Path.name(of: current.store.path), account: user, id: options.journal.random.next(8))
    var pending: PendingSignIn?
    do throws(EventLogError) {
      for _ in 0..<Self.attempts {
        let started = try await begin(claim, isAnonymous: isAnonymous, guest)
        pending = started
        guard let (account, adoption) = try await finish(started, isAnonymous: isAnonymous) else {
          continue
        }
        await closeCurrent()
        activate(account)
        return SignIn(account: account, adoption: adoption)
      }
      throw EventLogError.keepsChanging(folder.path)
    } catch {
      if let pending { await revert(pending) }
      await reopenCurrent()
      throw error
    }
  }

  /// The maximum number of attempts, because other processes may keep changing or removing
  /// journals.
  static let attempts = 10

  /// A sign-in that is recorded in `accounts.json` but isn't finished.
  private struct PendingSignIn: Sendable {
    let file: AccountsFile
    let entry: AccountsFile.Entry
    let plan: SignInPlan
    /// The claim of the journal that the account adopts, and the journal's user.
    var adopting: (claim: AccountsFile.Claim, guest: String)?
  }

  /// Lists the account's journal, and claims the guest's journal for the account.
  private func begin(
    _ claim: AccountsFile.Claim, isAnonymous: Bool, _ choice: GuestChoice
  ) async throws(EventLogError) -> PendingSignIn {
    let (opening, folder, current) = (opening, folder, feed.value)
    return try await change { (file) throws(EventLogError) in
      let known = file.entry(of: claim.account)
      var isAdoptable = false
      // Only guests and anonymous accounts are adopted.
      if current.isGuest || current.isAnonymous, try folder.exists(claim.file) {
        let isListed = file.add(current.ownEntry)
        isAdoptable =
          choice == .adopt && isListed && file.claim(claim, isAnonymous: isAnonymous)
      }
      let plan = SignInPlan(
        hasJournal: known != nil, guestHasEvents: isAdoptable, guest: choice)
      let entry = known ?? opening.newEntry(claim.account, in: &file)
      return PendingSignIn(
        file: file, entry: entry, plan: plan,
        adopting: plan.adopts ? (claim, current.user) : nil)
    }
  }

  /// Opens the account's journal, adopts, and makes the account current in `accounts.json`.
  ///
  /// - Returns: Nil if another process has removed the journal in the meantime.
  private func finish(
    _ pending: PendingSignIn, isAnonymous: Bool
  ) async throws(EventLogError) -> (Account, AdoptionReport?)? {
    let (opening, user, adopting) = (opening, pending.entry.user, pending.adopting)
    let outcomes = try await opening.finishAdoptions(
      pending.file, for: user, except: adopting?.claim.file)
    let account = try await opening.open(pending.entry)
    do throws(EventLogError) {
      var adopted: (adoption: AccountsFile.Adoption, report: AdoptionReport?)?
      if let (claim, guest) = adopting {
        adopted = try await opening.adopt(claim.file, of: guest, into: account.store, of: user)
      }
      do throws(EventLogError) {
        var end = try await conclude(pending, outcomes, adopted?.adoption, isAnonymous)
        if case .claimLost = end {
          // The guest belongs to another account, so hide the received events again.
          if let adopting, adopted?.report != nil {
            _ = try await account.store.undoAdoption(of: adopting.guest)
          }
          adopted?.report = nil
          end = try await conclude(pending, outcomes, nil, isAnonymous)
        }
        if case .current(let shown) = end { return (account.with(shown), adopted?.report) }
      } catch {
        if adopted == nil { throw error }
        throw error.afterChanges("No event is lost, and signing in again finishes the adoption.")
      }
      try await account.store.close()
      return nil
    } catch {
      try? await account.store.close()
      throw error
    }
  }

  /// The outcome of a sign-in.
  private enum Conclusion: Sendable {
    case current(AccountsFile.Entry)
    /// Another account has adopted the guest, or the journal no longer belongs to a guest.
    case claimLost
    /// Another process has removed the account's journal.
    case journalLost
  }

  /// Makes the account current, unless another process has adopted the guest or removed the
  /// journal.
  private func conclude(
    _ pending: PendingSignIn, _ outcomes: [AccountsOpening.AdoptionOutcome],
    _ adoption: AccountsFile.Adoption?, _ isAnonymous: Bool
  ) async throws(EventLogError) -> Conclusion {
    let (name, user, claim) = (pending.entry.file, pending.entry.user, pending.adopting?.claim)
    return try await change { file in
      _ = file.record(outcomes)
      guard let entry = file.entry(of: user), entry.file == name else { return .journalLost }
      if let claim, let adoption, !file.finish(claim, adoption) { return .claimLost }
      file.makeCurrent(entry, isAnonymous: isAnonymous)
      return .current(file.entry(ofFile: name) ?? entry)
    }
  }

  /// Reverts a failed sign-in, unless the account may have received events of the guest.
  ///
  /// In that case, no other account may adopt the guest, and the next opening finishes the sign-in.
  private func revert(_ pending: PendingSignIn) async {
    let (folder, entry) = (folder, pending.entry)
    if let (claim, guest) = pending.adopting {
      if await mayHaveAdopted(guest, pending) { return }
      failedClaim = claim
    }
    // If this fails, the next change releases the claim.
    try? await change { file in
      let isUsed = (try? folder.exists(entry.file)) != false
      let isCurrent = file.current.map { $0.hasBytes(of: entry.user) } ?? false
      // Another process may be signing in to the account.
      let isAdopting = file.entries.contains {
        $0.adoption?.account.hasBytes(of: entry.user) == true
      }
      if pending.plan.isNew, !isUsed, !isCurrent, !isAdopting {
        file.entries.removeAll { $0.file == entry.file }
      }
    }
  }

  private func mayHaveAdopted(_ guest: String, _ pending: PendingSignIn) async -> Bool {
    do throws(EventLogError) {
      guard try folder.exists(pending.entry.file) else { return false }
      let journal = Journal(
        path: folder.file(pending.entry.file), catalog: options.catalog,
        fileSystem: folder.fileSystem)
      return try journal.snapshot().snapshot.adoptedUsers.contains { $0.hasBytes(of: guest) }
    } catch {
      return true
    }
  }

  /// Opens the journal of the current account again after a failure.
  ///
  /// If this fails, too, the store stays closed until the next sign-in or opening.
  func reopenCurrent() async {
    let current = feed.value
    guard await current.store.isClosed, let account = try? await opening.reopen(current) else {
      return
    }
    activate(account)
  }

  func undoAdoption(of user: String) async throws(EventLogError) -> DeviceUndoReport {
    try await exclusively { () throws(EventLogError) in
      let account = feed.value
      let report = try await account.store.undoAdoption(of: user)
      // Return the journal to its user, unless another account is adopting it.
      try await change { file in
        guard let entry = file.entry(of: user), case .done(let adopter, _) = entry.adoption,
          adopter.hasBytes(of: account.user)
        else { return }
        file.update(entry.file) { $0.adoption = nil }
      }
      return report
    }
  }
}
