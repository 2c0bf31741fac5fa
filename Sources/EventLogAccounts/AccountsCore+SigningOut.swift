import EventLog

extension AccountsCore {
  func signOut(_ leaving: Leaving) async throws(EventLogError) -> SignOut {
    try await exclusively { () throws(EventLogError) in
      let current = feed.value
      if current.isGuest { return SignOut(isRemoved: false, lost: 0) }
      if leaving == .keep {
        try await signOut(removing: [])
        return SignOut(isRemoved: false, lost: 0)
      }
      let files = try folder.read()?.family(of: current.user) ?? []
      // A journal that is removed in any case needs only an estimate of the loss.
      let proof =
        leaving == .removeIfElsewhere
        ? await proof(of: current, readingAll: true) : await quickProof(of: current)
      let notAdopted = await eventsNotAdopted(by: current, in: files)
      if Task.isCancelled { throw EventLogError.signOutCancelled }
      switch SignOutPlan(leaving, onlyHere: proof.onlyHere + notAdopted) {
      case .keep: return SignOut(isRemoved: false, lost: 0)
      case .refuse(let count): throw EventLogError.eventsOnlyHere(count)
      case .remove(let lost):
        try await remove(current, files, provedBy: leaving == .removeIfElsewhere ? proof : nil)
        return SignOut(isRemoved: true, lost: lost)
      }
    }
  }

  /// Removes the journal of an account, and of the users it has adopted here.
  ///
  /// - Parameter proof: Shows that its events exist elsewhere; nil if they may be lost.
  private func remove(
    _ account: Account, _ files: [String], provedBy proof: Proof?
  ) async throws(EventLogError) {
    await leave()
    do throws(EventLogError) {
      // A changed size means that events were appended after the proof. An unreadable size may hide
      // some.
      if let proof, proof.size == nil || size(of: account) != proof.size {
        throw EventLogError.eventsOnlyHere(1)
      }
      try await signOut(removing: files)
    } catch {
      if feed.value.store === account.store { await restore() }
      throw error
    }
  }

  private func signOut(removing files: [String]) async throws(EventLogError) {
    let (user, random) = (feed.value.user, options.journal.random)
    let entry = try await change { file in file.makeGuest(random) }
    let guest = try await opening.account(entry)
    do throws(EventLogError) {
      try await change { file in
        // Another process may have signed in another account.
        if let current = file.current, current.hasBytes(of: user) { file.current = nil }
        // It may also have undone the adoption of a guest.
        let family = file.family(of: user)
        let files = files.filter(family.contains)
        file.entries.removeAll { files.contains($0.file) }
        file.removing += files.filter { !file.removing.contains($0) }
      }
    } catch {
      try? await guest.store.close()
      throw error
    }
    await leave()
    feed.publish(guest)
    // Journals that earlier calls failed to remove don't fail this one.
    if files.isEmpty { try? await finishRemoval() } else { try await finishRemoval() }
  }

  /// Removes the journals listed in `removing`.
  ///
  /// The next opening retries failed removals.
  private func finishRemoval() async throws(EventLogError) {
    if let failure = try await opening.finishRemoval() { throw failure }
  }

  /// The number of events of adopted journals that the account's journal lacks.
  private func eventsNotAdopted(by account: Account, in files: [String]) async -> Int {
    let opening = opening
    var count = 0
    for name in files where folder.file(name) != account.store.path {
      guard let isThere = try? folder.exists(name), isThere else { continue }
      do throws(EventLogError) {
        let journal = Journal(path: folder.file(name), fileSystem: folder.fileSystem)
        let isOwn = try journal.status().user.map { $0.hasBytes(of: account.user) } ?? false
        let report =
          isOwn
          ? try await account.store.dryRunSync(with: opening.remote(name), .pull)
          : try await account.store.dryRunAdoption(of: opening.remote(name)).sync
        count += Int(clamping: report.pulledCount)
      } catch {
        // The journal can't be compared, so count all of its events.
        let journal = Journal(path: folder.file(name), fileSystem: folder.fileSystem)
        count += (try? journal.status().eventCount) ?? 1
      }
    }
    return count
  }
}
