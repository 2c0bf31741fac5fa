import EventLog

extension AccountsCore {
  func eventsOnlyHere() async -> Int {
    await proof(of: feed.value, readingAll: false).onlyHere
  }

  /// What is known of an account's events elsewhere.
  struct Proof {
    /// How many of them the best of the places lacks.
    var onlyHere: Int
    /// How long the journal was when they were counted; nil where that could not be known.
    var size: Int64?
  }

  /// How long the journal is, without the spaces at its end; nil where that cannot be known.
  func size(of account: Account) -> Int64? {
    let path = account.store.path
    // One that has not begun is not one that cannot be opened.
    if (try? folder.exists(Path.name(of: path))) == false { return 0 }
    return JournalFile.contentSize(of: path, in: options.journal.fileSystem)
  }

  /// Syncs with each place, and looks how many events the best of them lacks.
  ///
  /// - Parameter readsAll: whether objects are read that earlier syncs have found whole: they may
  ///   have been damaged or removed since.
  func proof(of account: Account, readingAll readsAll: Bool) async -> Proof {
    var best = Proof(onlyHere: account.store.snapshot.eventCount, size: size(of: account))
    // The current account may change before this ends.
    let replication = replication
    for name in replication?.places.map(\.provider) ?? [] {
      guard let provider = registered.first(where: { $0.name == name }),
        let remote = await Self.remote(of: provider, for: account.user)
      else { continue }
      do throws(EventLogError) {
        if readsAll {
          try await account.store.syncReadingAll(of: remote)
        } else {
          try await account.store.sync(with: remote)
        }
        replication?.noteSync(with: name, at: remote.address)
        // What is appended from here on is not looked for.
        let size = size(of: account)
        let rest = try await account.store.dryRunSync(with: remote, .push)
        // One of the two users has adopted the other: nothing goes there, or nothing comes back.
        if rest.oneWay != nil { continue }
        let count = Int(clamping: rest.pushedCount)
        if count < best.onlyHere || count == 0 { best = Proof(onlyHere: count, size: size) }
      } catch {
        continue
      }
      if best.onlyHere == 0 { break }
    }
    return best
  }

  /// The same by what earlier syncs have found whole, and as far as it comes in a while.
  func quickProof(of account: Account) async -> Proof {
    let patience = options.patience
    return await withTaskGroup(of: Proof?.self) { group in
      group.addTask { await self.proof(of: account, readingAll: false) }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      // Whichever of the two is the first ends the other one.
      var found: Proof?
      for await proof in group {
        group.cancelAll()
        found = found ?? proof
      }
      guard let found else { preconditionFailure("A proof always returns.") }
      return found
    }
  }

  /// The remote of a provider, or nil if it can't be used now, and after cancellation.
  private static func remote(of provider: any Provider, for user: String) async -> (any Remote)? {
    await unlessCancelled { () async -> (any Remote)? in
      guard case .available = await provider.availability(for: user) else { return nil }
      return try? await provider.remote(for: user)
    } ?? nil
  }

  // MARK: - Providers

  func replicate() {
    let account = feed.value
    guard !account.isGuest, !registered.isEmpty else { return }
    let clock = options.journal.clock
    let feed = feed
    let replication = AccountReplication(
      account.user, account.store, registered, account.choice, options.schedule,
      now: { Timestamp(milliseconds: clock.now()) ?? Timestamp(trusted: 0) },
      sleep: options.sleep,
      onChange: { [weak self] replication in
        var hasArrived = false
        feed.update { current in
          // The current account may have changed.
          guard current.store === account.store else { return }
          let wasNew = current.isNew
          current = current.with(replication.places)
          hasArrived = wasNew && !current.isNew
        }
        if hasArrived { Task { [weak self] in await self?.noteArrival(of: account.user) } }
      })
    self.replication = replication
    feed.update { $0 = $0.with(replication.places) }
    replication.start()
  }

  /// Remembers that a place has answered. If that fails, the next start waits for an answer again.
  private func noteArrival(of user: String) async {
    try? await exclusively { () throws(EventLogError) in
      try await change { file in
        guard let entry = file.entry(of: user) else { return }
        file.update(entry.file) { $0.isRestoring = false }
      }
    }
  }

  func choose(_ choice: ProviderChoice) async throws(EventLogError) {
    if case .only(let name) = choice, !registered.contains(where: { $0.name == name }) {
      throw EventLogError(
        invalidInput: "There is no provider \"\(name)\". Nothing was changed.",
        hint: registered.isEmpty
          ? "Pass the app's providers when you open the accounts."
          : "Choose one of \(registered.map(\.name).joined(separator: ", ")).")
    }
    try await exclusively { () throws(EventLogError) in
      let current = feed.value
      guard !current.isGuest else {
        throw EventLogError(
          usage: "A guest's events stay on this device. Nothing was changed.",
          hint: "Sign in first: each account has a choice of its own.")
      }
      let clock = options.journal.clock
      let chosen = AccountsFile.Choice(
        providers: choice, at: Timestamp(milliseconds: clock.now()) ?? Timestamp(trusted: 0))
      let own = current.ownEntry
      let entry = try await change { file -> AccountsFile.Entry in
        // Another process may have removed the journal.
        file.list(own)
        file.update(own.file) { $0.choice = chosen }
        return file.entry(ofFile: own.file) ?? own
      }
      noteChoice(entry)
    }
  }

  func noteChoice(_ entry: AccountsFile.Entry) {
    replication?.choose(entry.choice?.providers)
    let places = replication?.places ?? []
    feed.update { $0 = $0.with(entry).with(places) }
  }

  func providerReports() async -> [ProviderReport] {
    let account = feed.value
    if account.isGuest { return [] }
    var reports: [ProviderReport] = []
    for provider in registered {
      let answer = await unlessCancelled { await provider.availability(for: account.user) }
      reports.append(
        ProviderReport(
          name: provider.name, availability: answer ?? .unreachable(because: .notAwaited),
          status: replication?.places.first { $0.provider == provider.name }))
    }
    return reports
  }

  func syncNow() { replication?.syncNow() }
}
