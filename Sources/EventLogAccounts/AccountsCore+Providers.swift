import EventLog

extension AccountsCore {
  func eventsOnlyHere() async -> Int {
    await countLocalOnly(of: feed.value, readingAll: false).onlyHere
  }

  /// An upper bound on the events that only this device has.
  struct LocalOnlyCount {
    /// The number of events that the most complete remote lacks.
    var onlyHere: Int
    /// The size of the journal before the count, or nil if it is unknown.
    var size: Int64?
  }

  /// Counts all events, as if no remote had any.
  func countAll(of account: Account) async -> LocalOnlyCount {
    let size = folder.size(of: Path.name(of: account.store.path))
    // Include the events that other processes have appended.
    try? await account.store.refresh()
    return LocalOnlyCount(onlyHere: account.store.snapshot.eventCount, size: size)
  }

  /// Syncs with the remotes, and counts the events that the most complete one lacks.
  ///
  /// - Parameter readsAll: Whether to read even objects that earlier syncs found intact, because
  ///   they may have been damaged or removed since.
  func countLocalOnly(of account: Account, readingAll readsAll: Bool) async -> LocalOnlyCount {
    var best = await countAll(of: account)
    let file = Path.name(of: account.store.path)
    // The current account may change during the count.
    guard let replication else { return best }
    for name in replication.statuses.map(\.provider) {
      do throws(EventLogError) {
        try replication.checkChoice(of: name)
        guard case .success(let remote)? = await replication.remote(of: name) else { continue }
        try await account.store.sync(with: remote, readingAll: readsAll) {
          () throws(EventLogError) in try replication.checkChoice(of: name)
        }
        replication.recordSync(with: name, at: remote.address)
        // The count below may not include later appends.
        let size = folder.size(of: file)
        let rest = try await account.store.dryRunSync(with: remote, .push)
        // One of the two users has adopted the other, so events go one way only.
        if rest.oneWay != nil { continue }
        let count = Int(clamping: rest.pushedCount)
        if count < best.onlyHere || count == 0 {
          best = LocalOnlyCount(onlyHere: count, size: size)
        }
      } catch {
        continue
      }
      if best.onlyHere == 0 { break }
    }
    return best
  }

  /// Like `countLocalOnly(of:readingAll:)`, but reads only new objects, and stops after
  /// `options.removalTimeout`.
  func quickCountLocalOnly(of account: Account) async -> LocalOnlyCount {
    let timeout = options.removalTimeout
    return await withTaskGroup(of: LocalOnlyCount?.self) { group in
      group.addTask { await self.countLocalOnly(of: account, readingAll: false) }
      group.addTask {
        try? await Task.sleep(for: timeout)
        return nil
      }
      // The first task to end cancels the other one. A canceled count returns an upper bound.
      var found: LocalOnlyCount?
      for await count in group {
        group.cancelAll()
        found = found ?? count
      }
      guard let found else { preconditionFailure("A count always returns.") }
      return found
    }
  }

  // MARK: - Providers

  func replicate() {
    let account = feed.value
    guard !account.isGuest, !providers.isEmpty else { return }
    let feed = feed
    let replication = AccountReplication(account, folder, providers, options) {
      [weak self] replication in
      var isFirstSync = false
      feed.update { current in
        // The current account may have changed.
        guard current.store === account.store else { return }
        let wasNew = current.isNew
        current = current.with(replication)
        isFirstSync = wasNew && !current.isNew
      }
      if isFirstSync { Task { [weak self] in await self?.recordFirstSync(of: account.user) } }
    }
    self.replication = replication
    feed.update { $0 = $0.with(replication) }
    replication.start()
  }

  /// Records that the account's journal has been synced with a remote.
  ///
  /// If recording fails, the account is restoring again at the next start.
  private func recordFirstSync(of user: String) async {
    try? await exclusively { () throws(EventLogError) in
      try await change { file in
        guard let entry = file.entry(of: user) else { return }
        file.update(entry.file) { $0.isRestoring = false }
      }
    }
  }

  func choose(_ choice: ProviderChoice) async throws(EventLogError) {
    if case .only(let name) = choice, !providers.contains(where: { $0.name == name }) {
      throw EventLogError(
        invalidInput: "There is no provider \"\(name)\". Nothing was changed.",
        hint: providers.isEmpty
          ? "Pass the app's providers when you open the accounts."
          : "Choose one of \(providers.map(\.name).joined(separator: ", ")).")
    }
    try await exclusively { () throws(EventLogError) in
      let current = feed.value
      guard !current.isGuest else {
        throw EventLogError(
          usage: "A guest's events stay on this device. Nothing was changed.",
          hint: "Sign in first: each account has a choice of its own.")
      }
      let chosen = AccountsFile.Choice(providers: choice, at: options.journal.now)
      let own = current.ownEntry
      let entry = try await change { (file) throws(EventLogError) -> AccountsFile.Entry in
        guard file.add(own) else { throw .removedElsewhere(current) }
        file.update(own.file) { $0.choice = chosen }
        return file.entry(ofFile: own.file) ?? own
      }
      applyChoice(entry)
    }
  }

  /// Publishes and applies the current account's choice, which is already on disk.
  func applyChoice(_ entry: AccountsFile.Entry) {
    let replication = replication
    replication?.applyChoice()
    feed.update { current in
      current = current.with(entry)
      // The replication may have read a later choice.
      if let replication { current = current.with(replication) }
    }
  }

  func providerReports() async -> [ProviderReport] {
    let account = feed.value
    if account.isGuest { return [] }
    var reports: [ProviderReport] = []
    for provider in providers {
      let answer = await unlessCancelled { await provider.availability(for: account.user) }
      reports.append(
        ProviderReport(
          name: provider.name, availability: answer ?? .unreachable(because: .providerCallCanceled),
          status: replication?.statuses.first { $0.provider == provider.name }))
    }
    return reports
  }

  func syncNow() { replication?.syncNow() }
}

extension EventLogError {
  /// Another process has removed the journal of the current account.
  fileprivate static func removedElsewhere(_ account: Account) -> EventLogError {
    EventLogError(
      .journalReplaced,
      "Another process has removed the journal of \(account.user). Nothing was changed.",
      hint: "Sign in again.", at: .init(file: account.store.path))
  }
}
