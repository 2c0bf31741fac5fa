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
      // What is removed in any case needs only a number.
      let proof =
        leaving == .removeIfElsewhere
        ? await proof(of: current, readingAll: true) : await quickProof(of: current)
      let strangers = await eventsNotAdopted(by: current, in: files)
      if Task.isCancelled { throw EventLogError.signOutCancelled }
      switch SignOutPlan(leaving, onlyHere: proof.onlyHere + strangers) {
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
  /// - Parameter proof: of its events being elsewhere; nil if they may be lost.
  private func remove(
    _ account: Account, _ files: [String], provedBy proof: Proof?
  ) async throws(EventLogError) {
    await leave()
    do throws(EventLogError) {
      // An event that was appended since may be nowhere else. So may those of a journal whose size
      // cannot be read.
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
        // Another process may have signed in somebody else.
        if let current = file.current, current.hasBytes(of: user) { file.current = nil }
        file.entries.removeAll { files.contains($0.file) }
        file.removing += files.filter { !file.removing.contains($0) }
      }
    } catch {
      try? await guest.store.close()
      throw error
    }
    await leave()
    feed.publish(guest)
    // A journal that could not be removed before is no failure of this call.
    if files.isEmpty { try? await finishRemoval() } else { try await finishRemoval() }
  }

  /// Removes the journals that are to go; the next opening tries again what cannot be removed now.
  private func finishRemoval() async throws(EventLogError) {
    let folder = folder
    let failure = try await change { file -> EventLogError? in
      var failure: EventLogError?
      file.removing.removeAll { name in
        do throws(EventLogError) {
          try folder.remove(name)
          return true
        } catch {
          failure = failure ?? error
          return false
        }
      }
      return failure
    }
    if let failure { throw failure }
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
        // Its events are unknown.
        let journal = Journal(path: folder.file(name), fileSystem: folder.fileSystem)
        count += (try? journal.status().eventCount) ?? 1
      }
    }
    return count
  }
}
