import EventLog

extension AccountsCore {
  func signIn(
    as user: String, isAnonymous: Bool, guest: GuestChoice
  ) async throws(EventLogError) -> SignIn {
    try EventLogError.checkAccount(user)
    return try await exclusively { () throws(EventLogError) in
      let current = feed.value
      if !current.isGuest, current.user.hasBytes(of: user),
        try await keepCurrent(isAnonymous: isAnonymous)
      {
        return SignIn(account: feed.value, adoption: nil)
      }
      return try await switchTo(user, isAnonymous: isAnonymous, guest: guest)
    }
  }

  /// Signs in the current account again: an identity was linked to an anonymous one, or nothing
  /// happened.
  ///
  /// - Returns: False if another process has removed its journal.
  private func keepCurrent(isAnonymous: Bool) async throws(EventLogError) -> Bool {
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
    // A user who is adopted writes no further events, which would not be taken over.
    if current.isGuest || current.isAnonymous { await leave() }
    var begun: BegunSignIn?
    do throws(EventLogError) {
      let sign = try await begin(user, isAnonymous: isAnonymous, guest)
      begun = sign
      let (account, adoption) = try await finish(sign, isAnonymous: isAnonymous)
      await leave()
      show(account)
      return SignIn(account: account, adoption: adoption)
    } catch {
      if let begun { await takeBack(begun) }
      await restore()
      throw error
    }
  }

  /// A sign-in that `accounts.json` contains, and that is not finished.
  private struct BegunSignIn: Sendable {
    let file: AccountsFile
    let entry: AccountsFile.Entry
    let plan: SignInPlan
    /// The journal that the account adopts.
    let adopting: AccountsFile.Entry?
  }

  /// Lists the account's journal, and lets no other account adopt the guest's.
  private func begin(
    _ user: String, isAnonymous: Bool, _ choice: GuestChoice
  ) async throws(EventLogError) -> BegunSignIn {
    let (opening, folder, current) = (opening, folder, feed.value)
    return try await change { (file) throws(EventLogError) in
      let known = file.entry(of: user)
      var isAdoptable = false
      let guestEntry = current.ownEntry
      // An account that is not anonymous is never adopted.
      if current.isGuest || current.isAnonymous, try folder.exists(guestEntry.file) {
        file.list(guestEntry)
        isAdoptable =
          choice == .adopt && file.claim(guestEntry.file, for: user, isAnonymous: isAnonymous)
      }
      let plan = SignInPlan(
        hasJournal: known != nil, guestHasEvents: isAdoptable, guest: choice)
      let entry = known ?? opening.newEntry(user, in: &file)
      return BegunSignIn(
        file: file, entry: entry, plan: plan, adopting: plan.adopts ? guestEntry : nil)
    }
  }

  /// Opens the account's journal, adopts, and makes the account current in `accounts.json`.
  private func finish(
    _ begun: BegunSignIn, isAnonymous: Bool
  ) async throws(EventLogError) -> (Account, AdoptionReport?) {
    let (opening, user) = (opening, begun.entry.user)
    let settled = try await opening.settle(begun.file, for: user, except: begun.adopting?.file)
    let account = try await opening.account(begun.entry)
    do throws(EventLogError) {
      var adopted: (adoption: AccountsFile.Adoption, report: AdoptionReport?)?
      if let guest = begun.adopting {
        adopted = try await opening.adopt(
          guest.file, of: guest.user, into: account.store, of: user)
      }
      let (entry, guestFile, adoption) = (begun.entry, begun.adopting?.file, adopted?.adoption)
      do throws(EventLogError) {
        let shown = try await change { file -> AccountsFile.Entry in
          // Another process may have removed the journal.
          file.list(entry)
          _ = file.note(settled)
          // The claim may have been finished, or dropped by signing in to it again.
          if let guestFile { file.update(guestFile) { $0.adoption = adoption } }
          file.makeCurrent(entry, isAnonymous: isAnonymous)
          return file.entry(ofFile: entry.file) ?? entry
        }
        return (account.with(shown), adopted?.report)
      } catch {
        if adopted == nil { throw error }
        throw error.afterChanges("No event is lost, and signing in again finishes the adoption.")
      }
    } catch {
      try? await account.store.close()
      throw error
    }
  }

  /// Takes back what a failed sign-in has noted, unless the account may have received events of the
  /// guest: then no other account may adopt the guest, and the next opening finishes the sign-in.
  private func takeBack(_ begun: BegunSignIn) async {
    let (folder, entry) = (folder, begun.entry)
    if let guest = begun.adopting {
      if await mayHaveAdopted(guest.user, begun) { return }
      failedClaim = Claim(file: guest.file, account: entry.user)
    }
    // If this fails, the next change takes the claim back.
    try? await change { file in
      let isUsed = (try? folder.exists(entry.file)) != false
      let isCurrent = file.current.map { $0.hasBytes(of: entry.user) } ?? false
      if begun.plan.isNew, !isUsed, !isCurrent {
        file.entries.removeAll { $0.file == entry.file }
      }
    }
  }

  private func mayHaveAdopted(_ guest: String, _ begun: BegunSignIn) async -> Bool {
    do throws(EventLogError) {
      guard try folder.exists(begun.entry.file) else { return false }
      let journal = Journal(
        path: folder.file(begun.entry.file), catalog: options.catalog,
        fileSystem: folder.fileSystem)
      return try journal.snapshot().snapshot.adoptedUsers.contains { $0.hasBytes(of: guest) }
    } catch {
      return true
    }
  }

  /// Opens the journal of the current account again after a failure.
  ///
  /// If that fails, too, the store stays closed: the next sign-in or opening goes on from there.
  func restore() async {
    let current = feed.value
    guard await current.store.isClosed, let account = try? await opening.reopened(current) else {
      return
    }
    show(account)
  }

  func undoAdoption(of user: String) async throws(EventLogError) -> AdoptionUndoReport {
    try await exclusively { () throws(EventLogError) in
      let report = try await feed.value.store.undoAdoption(of: user)
      // The user's journal is the user's again.
      try await change { file in
        guard let entry = file.entry(of: user), entry.adoption != nil else { return }
        file.update(entry.file) { $0.adoption = nil }
      }
      return report
    }
  }
}
