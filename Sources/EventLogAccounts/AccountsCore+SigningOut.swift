import EventLog

extension AccountsCore {
  func signOut(_ leaving: Leaving) async throws(EventLogError) -> SignOut {
    try await exclusively { () throws(EventLogError) in
      let kept = SignOut(isRemoved: false, lost: 0)
      if feed.value.isGuest { return kept }
      if leaving == .keep {
        _ = try await signOut(removing: [])
        return kept
      }
      for attempt in 0..<Self.attempts {
        let name = Path.name(of: feed.value.store.path)
        let (removals, onlyHere) = try await count(before: leaving, isFirst: attempt == 0)
        if Task.isCancelled { throw EventLogError.signOutCanceled }
        switch SignOutPlan(leaving, onlyHere: onlyHere) {
        case .keep: return kept
        case .refuse(let count): throw EventLogError.eventsOnlyHere(count)
        case .remove(let lost):
          let mustBeElsewhere = leaving == .removeIfElsewhere
          if mustBeElsewhere, removals.contains(where: { $0.bytes == nil }) { throw .eventsAdded }
          if try await remove(removals) {
            return (try? folder.exists(name)) == false
              ? SignOut(isRemoved: true, lost: lost) : kept
          }
          if mustBeElsewhere { throw .eventsAdded }
        }
      }
      throw EventLogError.keepsChanging(folder.path)
    }
  }

  /// Counts the events that may exist only on this device, and lists the journals to remove.
  ///
  /// - Returns: The journals of the account and of the users it has adopted on this device, with
  ///   their sizes when they were counted, and an upper bound.
  private func count(
    before leaving: Leaving, isFirst: Bool
  ) async throws(EventLogError) -> (removals: [AccountsFile.Removal], onlyHere: Int) {
    let (account, listed) = (feed.value, try folder.read() ?? AccountsFile())
    let own = account.ownEntry
    // If the journal is removed in any case, an estimate is enough. On later attempts, use the
    // fastest one.
    let counted =
      if leaving == .removeIfElsewhere {
        await countLocalOnly(of: account, readingAll: true)
      } else if isFirst {
        await quickCountLocalOnly(of: account)
      } else {
        await countAll(of: account)
      }
    var removals = [AccountsFile.Removal(entry: own, bytes: counted.size)]
    var onlyHere = counted.onlyHere
    for file in listed.family(of: account.user) where file != own.file {
      guard let entry = listed.entry(ofFile: file) else { continue }
      removals.append(.init(entry: entry, bytes: folder.size(of: file)))
      onlyHere += await eventsNotAdopted(by: account, in: file)
    }
    return (removals, onlyHere)
  }

  /// Signs out, and removes journals.
  ///
  /// - Returns: False if another process has written to one of the journals. Nothing was changed
  ///   then.
  private func remove(_ removals: [AccountsFile.Removal]) async throws(EventLogError) -> Bool {
    let account = feed.value
    await closeCurrent()
    do throws(EventLogError) {
      if try await signOut(removing: removals) { return true }
    } catch {
      if feed.value.store === account.store { await reopenCurrent() }
      throw error
    }
    await reopenCurrent()
    return false
  }

  private func signOut(
    removing removals: [AccountsFile.Removal]
  ) async throws(EventLogError) -> Bool {
    let (user, random) = (feed.value.user, options.journal.random)
    let entry = try await change { file in file.makeGuest(random) }
    let guest = try await opening.open(entry)
    var isDone = false
    do throws(EventLogError) {
      let milliseconds = options.journal.lockWaitMilliseconds
      if let journals = try await folder.lock(removals, waiting: milliseconds) {
        defer { for journal in journals { journal.close() } }
        let listed = try await change { file in file.signOut(user, removing: removals) }
        // Ignore failures, because `finishRemoval` retries and reports them.
        await folder.remove(journals.filter { listed.contains($0.name) })
        isDone = true
      }
    } catch {
      try? await guest.store.close()
      throw error
    }
    guard isDone else {
      try? await guest.store.close()
      return false
    }
    await closeCurrent()
    feed.publish(guest)
    // If this call removes nothing, ignore journals that earlier calls failed to remove.
    if removals.isEmpty { try? await finishRemoval() } else { try await finishRemoval() }
    return true
  }

  /// Removes the journals listed in `removing`.
  ///
  /// The next opening retries failed removals.
  private func finishRemoval() async throws(EventLogError) {
    if let failure = try await opening.finishRemoval() { throw failure }
  }

  /// The number of events of an adopted journal that the account's journal lacks.
  private func eventsNotAdopted(by account: Account, in name: String) async -> Int {
    guard let exists = try? folder.exists(name), exists else { return 0 }
    let journal = Journal(path: folder.file(name), fileSystem: folder.fileSystem)
    do throws(EventLogError) {
      let isOwn = try journal.contents().user.map { $0.hasBytes(of: account.user) } ?? false
      let report =
        isOwn
        ? try await account.store.dryRunSync(with: opening.remote(name), .pull)
        : try await account.store.dryRunAdoption(of: opening.remote(name)).sync
      return Int(clamping: report.pulledCount)
    } catch {
      // The journal can't be compared, so count all of its events.
      return (try? journal.contents().eventCount) ?? 1
    }
  }
}
