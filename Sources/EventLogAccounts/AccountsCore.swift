import EventLog

/// The accounts of a folder: whoever changes who is current waits for the one before.
actor AccountsCore {
  nonisolated let feed: LatestFeed<Account>
  private let folder: AccountsFolder
  private let registered: [any Provider]
  private let options: AccountOptions
  private var file: AccountsFile
  private var replication: AccountReplication?
  private var isBusy = false
  private var isClosed = false
  /// Whoever waits for the call before, by the order in which they came.
  private var waiting: [(number: Int, turn: CheckedContinuation<Void, Never>)] = []
  private var nextNumber = 0

  private init(
    _ folder: AccountsFolder, _ providers: [any Provider], _ options: AccountOptions,
    _ file: AccountsFile, _ current: Account
  ) {
    self.folder = folder
    self.registered = providers
    self.options = options
    self.file = file
    feed = LatestFeed(current)
  }

  static func open(
    _ path: String, _ providers: [any Provider], _ options: AccountOptions
  ) async throws(EventLogError) -> AccountsCore {
    let folder = AccountsFolder(path: path, fileSystem: options.journal.fileSystem)
    try folder.make()
    let opening = AccountsOpening(folder, options)
    let (file, hasSignedIn) = try await opening.file()
    let current: Account
    do throws(EventLogError) {
      current = try await opening.account(file.current, file)
    } catch {
      throw hasSignedIn ? error.afterSignIn : error
    }
    let core = AccountsCore(folder, providers, options, file, current)
    await core.replicate()
    return core
  }

  deinit { replication?.cancel() }

  // MARK: - One after the other

  private func exclusively<Value>(
    _ body: () async throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    while isBusy { try await waitForTurn() }
    isBusy = true
    defer {
      isBusy = false
      giveTurn()
    }
    guard !isClosed else {
      throw EventLogError(
        usage: "The accounts are closed. Nothing was changed.",
        hint: "Open the folder again: Accounts.open(…).")
    }
    return try await body()
  }

  /// Waits for the call before.
  ///
  /// - Throws: `cancelled`.
  private func waitForTurn() async throws(EventLogError) {
    let number = nextNumber
    nextNumber += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting.append((number, $0)) }
    } onCancel: {
      Task { await self.stopWaiting(number) }
    }
    guard Task.isCancelled else { return }
    // A turn that is not taken is the next one's.
    if !isBusy { giveTurn() }
    throw .turnNotAwaited
  }

  private func giveTurn() {
    if !waiting.isEmpty { waiting.removeFirst().turn.resume() }
  }

  private func stopWaiting(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).turn.resume()
  }

  // MARK: - Signing in and out

  func signIn(
    as user: String, isAnonymous: Bool, guest: GuestChoice
  ) async throws(EventLogError) -> SignIn {
    try EventLogError.checkAccount(user)
    return try await exclusively { () throws(EventLogError) in
      try await switchTo(user, isAnonymous: isAnonymous, guest: guest)
    }
  }

  private func switchTo(
    _ user: String, isAnonymous: Bool, guest: GuestChoice
  ) async throws(EventLogError) -> SignIn {
    let current = feed.value
    if !current.isGuest, current.user.hasBytes(of: user) {
      return try keepCurrent(isAnonymous: isAnonymous)
    }
    // Whoever is adopted writes nothing more that would not be taken over.
    if current.isGuest || current.isAnonymous { await leave() }
    var before = file
    // What an earlier sign-in has left unfinished is no longer wanted.
    before.beginning = nil
    do throws(EventLogError) {
      let guestEntry = try adoptable(current)
      if let guestEntry, before.entry(of: guestEntry.user) == nil {
        before.entries.append(guestEntry)
      }
      let plan = SignInPlan(
        hasJournal: file.entry(of: user) != nil, guestHasEvents: guestEntry != nil, guest: guest)
      let adoption = try await become(
        user, isAnonymous: isAnonymous, plan, adopting: guestEntry, before)
      return SignIn(account: feed.value, adoption: adoption)
    } catch {
      await restore(before)
      throw error
    }
  }

  /// Adopts a guest, if one is given, and makes the account the current user.
  private func become(
    _ user: String, isAnonymous: Bool, _ plan: SignInPlan,
    adopting guestEntry: AccountsFile.Entry?, _ before: AccountsFile
  ) async throws(EventLogError) -> AdoptionReport? {
    let opening = AccountsOpening(folder, options)
    var next = before
    let entry = plan.isNew ? opening.newEntry(user, in: &next) : next.entry(of: user)!
    // Adopting needs what the account's journal says, and so does whoever is shown it.
    var shown = next
    shown.makeCurrent(entry, isAnonymous: isAnonymous)
    let account = try await opening.account(user, shown)
    var adoption: AdoptionReport?
    do throws(EventLogError) {
      if plan.adopts, let guestEntry {
        // Whoever reads this behind a crash finishes what it says.
        next.beginning = .init(
          user: user, adopting: guestEntry.file, isAnonymous: isAnonymous)
        try write(next)
        adoption = try await opening.adopt(guestEntry.file, into: account.store)
        next.beginning = nil
        next.update(guestEntry.file) { $0.adoptedBy = user }
      }
      next.makeCurrent(entry, isAnonymous: isAnonymous)
      try write(next)
    } catch {
      try? await account.store.close()
      throw error
    }
    await leave()
    feed.publish(account)
    replicate()
    return adoption
  }

  /// Makes whoever was current before a failure current again.
  ///
  /// Where that fails too, the store stays closed: the next sign-in or opening goes on from there.
  private func restore(_ before: AccountsFile) async {
    if file != before { try? write(before) }
    let current = feed.value
    guard await current.store.isClosed,
      let account = try? await AccountsOpening(folder, options).reopened(current)
    else { return }
    feed.publish(account)
    replicate()
  }

  /// The same user again: an identity was linked to an anonymous account, or nothing happened.
  private func keepCurrent(isAnonymous: Bool) throws(EventLogError) -> SignIn {
    let current = feed.value
    if current.isAnonymous != isAnonymous, let entry = file.entry(of: current.user) {
      var next = file
      next.update(entry.file) { $0.isAnonymous = isAnonymous }
      try write(next)
      feed.publish(
        Account(
          user: current.user, isGuest: false, isAnonymous: isAnonymous, isNew: current.isNew,
          store: current.store, places: current.places))
    }
    return SignIn(account: feed.value, adoption: nil)
  }

  /// The journal that the next account adopts: the guest's, or that of an anonymous account.
  private func adoptable(
    _ current: Account
  ) throws(EventLogError) -> AccountsFile.Entry? {
    guard current.isGuest || current.isAnonymous else { return nil }
    let entry = AccountsFile.Entry(
      file: Path.name(of: current.store.path), user: current.user,
      isAnonymous: current.isAnonymous)
    return try folder.exists(entry.file) ? entry : nil
  }

  func signOut(_ leaving: Leaving) async throws(EventLogError) -> SignOut {
    try await exclusively { () throws(EventLogError) in
      let current = feed.value
      if current.isGuest { return SignOut(isRemoved: false, lost: 0) }
      if leaving == .keep {
        try await signOut(removing: [])
        return SignOut(isRemoved: false, lost: 0)
      }
      let files = file.family(of: current.user)
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

  /// Removes the journal of an account, and of whom it has adopted here.
  ///
  /// - Parameter proof: of its events being elsewhere; nil if they may be lost.
  private func remove(
    _ account: Account, _ files: [String], provedBy proof: Proof?
  ) async throws(EventLogError) {
    await leave()
    do throws(EventLogError) {
      // What was appended since may be nowhere else, and so may what cannot be looked at.
      if let proof, proof.size == nil || size(of: account) != proof.size {
        throw EventLogError.eventsOnlyHere(1)
      }
      try await signOut(removing: files)
    } catch {
      if feed.value.store === account.store { await restore(file) }
      throw error
    }
  }

  private func signOut(removing files: [String]) async throws(EventLogError) {
    var next = file
    (next.current, next.beginning) = (nil, nil)
    next.entries.removeAll { files.contains($0.file) }
    next.removing += files.filter { !next.removing.contains($0) }
    let guest = try await AccountsOpening(folder, options).account(nil, next)
    try write(next)
    await leave()
    feed.publish(guest)
    // What could not be removed before is no failure of this call.
    if files.isEmpty { try? finishRemoval() } else { try finishRemoval() }
  }

  /// Removes the journals that are to go; the next opening tries again what cannot be removed now.
  private func finishRemoval() throws(EventLogError) {
    var (rest, failure): ([String], EventLogError?) = ([], nil)
    for name in file.removing {
      do throws(EventLogError) { try folder.remove(name) } catch {
        rest.append(name)
        failure = failure ?? error
      }
    }
    if rest != file.removing {
      var next = file
      next.removing = rest
      try write(next)
    }
    if let failure { throw failure }
  }

  /// How many events of adopted journals the account's journal lacks.
  private func eventsNotAdopted(by account: Account, in files: [String]) async -> Int {
    var count = 0
    for name in files where folder.file(name) != account.store.path {
      guard let isThere = try? folder.exists(name), isThere else { continue }
      let path = folder.file(name)
      do throws(EventLogError) {
        var options = options.journal
        options.user = nil
        let report = try await account.store.dryRunAdoption(
          of: JournalRemote(path: path, options: options))
        count += Int(clamping: report.sync.pulledCount)
      } catch {
        // Nobody knows what it holds.
        count += (try? Journal(path: path, fileSystem: folder.fileSystem).status().eventCount) ?? 1
      }
    }
    return count
  }

  func undoAdoption(of user: String) async throws(EventLogError) -> AdoptionUndoReport {
    try await exclusively { () throws(EventLogError) in
      let report = try await feed.value.store.undoAdoption(of: user)
      // The user's journal is the user's again.
      if let entry = file.entry(of: user), entry.adoptedBy != nil {
        var next = file
        next.update(entry.file) { $0.adoptedBy = nil }
        try write(next)
      }
      return report
    }
  }

  /// Ends what runs for the current user, and closes the journal.
  private func leave() async {
    await replication?.stop()
    replication = nil
    try? await feed.value.store.close()
  }

  private func write(_ next: AccountsFile) throws(EventLogError) {
    try folder.write(next)
    file = next
  }

  // MARK: - What is elsewhere

  func eventsOnlyHere() async -> Int {
    await proof(of: feed.value, readingAll: false).onlyHere
  }

  /// What is known of an account's events elsewhere.
  private struct Proof {
    /// How many of them the best of the places lacks.
    var onlyHere: Int
    /// How long the journal was when they were counted; nil where that could not be known.
    var size: Int64?
  }

  /// How long the journal is, without the spaces at its end; nil where that cannot be known.
  private func size(of account: Account) -> Int64? {
    let path = account.store.path
    // One that has not begun is not one that cannot be opened.
    if (try? folder.exists(Path.name(of: path))) == false { return 0 }
    return JournalFile.contentSize(of: path, in: options.journal.fileSystem)
  }

  /// Syncs with each place, and looks how many events the best of them lacks.
  ///
  /// - Parameter readsAll: whether objects are read that earlier syncs have found whole: they may
  ///   have been damaged or removed since.
  private func proof(of account: Account, readingAll readsAll: Bool) async -> Proof {
    var best = Proof(onlyHere: account.store.snapshot.eventCount, size: size(of: account))
    // Somebody else may be current before this ends.
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
  private func quickProof(of account: Account) async -> Proof {
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

  /// The remote of a provider that can be used now; nil also where nobody waits for it any more.
  private static func remote(of provider: any Provider, for user: String) async -> (any Remote)? {
    await unlessCancelled { () async -> (any Remote)? in
      guard case .available = await provider.availability(for: user) else { return nil }
      return try? await provider.remote(for: user)
    } ?? nil
  }

  // MARK: - Providers

  private func replicate() {
    let account = feed.value
    guard !account.isGuest, !registered.isEmpty else { return }
    let clock = options.journal.clock
    let feed = feed
    let replication = AccountReplication(
      account.user, account.store, registered, file.choice, options.schedule,
      now: { Timestamp(milliseconds: clock.now()) ?? Timestamp(trusted: 0) },
      sleep: options.sleep,
      onChange: { [weak self] replication in
        var hasArrived = false
        feed.update { current in
          // Somebody else may be current by now.
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
      guard let entry = file.entry(of: user), entry.isRestoring else { return }
      var next = file
      next.update(entry.file) { $0.isRestoring = false }
      try write(next)
    }
  }

  var choice: ProviderChoice { file.choice }

  func choose(_ choice: ProviderChoice) async throws(EventLogError) {
    if case .only(let name) = choice, !registered.contains(where: { $0.name == name }) {
      throw EventLogError(
        invalidInput: "There is no provider \"\(name)\". Nothing was changed.",
        hint: registered.isEmpty
          ? "Pass the app's providers when you open the accounts."
          : "Choose one of \(registered.map(\.name).joined(separator: ", ")).")
    }
    try await exclusively { () throws(EventLogError) in
      var next = file
      next.choice = choice
      try write(next)
      replication?.choose(choice)
    }
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

  var all: [KnownAccount] {
    let current = feed.value
    var known = file.entries.map { entry in
      KnownAccount(
        user: entry.user, isGuest: GuestName.isGuest(entry.user), adoptedBy: entry.adoptedBy,
        isCurrent: entry.user.hasBytes(of: current.user),
        path: folder.file(entry.file))
    }
    if !known.contains(where: \.isCurrent),
      (try? folder.exists(Path.name(of: current.store.path))) == true
    {
      known.append(
        KnownAccount(
          user: current.user, isGuest: current.isGuest, adoptedBy: nil, isCurrent: true,
          path: current.store.path))
    }
    return known.sorted { $0.user.precedes($1.user) }
  }

  func close() async throws(EventLogError) {
    try await exclusively { () throws(EventLogError) in
      await replication?.stop()
      replication = nil
      isClosed = true
      defer { feed.finish() }
      try await feed.value.store.close()
    }
  }
}
