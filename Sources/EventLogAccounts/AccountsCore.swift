import EventLog
import EventLogRemotes

/// Implements ``Accounts``.
///
/// Calls that change the current user run one at a time.
actor AccountsCore {
  nonisolated let feed: LatestFeed<Account>
  let folder: AccountsFolder
  let providers: [any Provider]
  let options: AccountOptions
  var replication: AccountReplication?
  /// The claim of a failed sign-in. The next change releases it.
  var failedClaim: AccountsFile.Claim?
  private var isBusy = false
  private var isClosed = false
  /// The waiting calls, in order of arrival.
  private var waiting: [(number: Int, turn: CheckedContinuation<Void, Never>)] = []
  private var nextNumber = 0

  private init(
    _ folder: AccountsFolder, _ providers: [any Provider], _ options: AccountOptions,
    _ current: Account
  ) {
    self.folder = folder
    self.providers = providers
    self.options = options
    feed = LatestFeed(current)
  }

  static func open(
    _ path: String, _ providers: [any Provider], _ options: AccountOptions
  ) async throws(EventLogError) -> AccountsCore {
    let folder = AccountsFolder(path: path, fileSystem: options.journal.fileSystem)
    try folder.create()
    let opening = AccountsOpening(folder, options)
    let (file, hasSignedIn) = try await opening.updatedFile()
    guard let entry = file.current.flatMap(file.entry(of:)) ?? file.guest else {
      preconditionFailure("A folder without an account has a guest.")
    }
    let current: Account
    do throws(EventLogError) { current = try await opening.open(entry) } catch {
      throw hasSignedIn ? error.afterSignIn : error
    }
    let core = AccountsCore(folder, providers, options, current)
    await core.replicate()
    return core
  }

  deinit { replication?.cancel() }

  var opening: AccountsOpening { AccountsOpening(folder, options) }

  // MARK: - Mutual exclusion

  func exclusively<Value>(
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

  /// Waits for the end of the previous call.
  ///
  /// - Throws: `canceled`.
  private func waitForTurn() async throws(EventLogError) {
    let number = nextNumber
    nextNumber += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting.append((number, $0)) }
    } onCancel: {
      Task { await self.stopWaiting(number) }
    }
    guard Task.isCancelled else { return }
    // The turn isn't needed, so pass it on.
    if !isBusy { giveTurn() }
    throw .waitCanceled
  }

  private func giveTurn() {
    if !waiting.isEmpty { waiting.removeFirst().turn.resume() }
  }

  private func stopWaiting(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
    waiting.remove(at: index).turn.resume()
  }

  // MARK: - accounts.json

  /// Changes `accounts.json`, starting from its contents on disk.
  @discardableResult
  func change<Value: Sendable>(
    _ body: @escaping @Sendable (inout AccountsFile) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    let claim = failedClaim
    let (file, value) = try await opening.change { (file) throws(EventLogError) in
      if let claim { file.release(claim) }
      return try body(&file)
    }
    failedClaim = nil
    let current = feed.value
    // Another process may have changed the account's choice.
    if let entry = file.entry(of: current.user), entry.choice != current.chosen {
      applyChoice(entry)
    }
    return value
  }

  /// Ends the replication of the current journal, and closes it.
  func closeCurrent() async {
    await replication?.stop()
    replication = nil
    try? await feed.value.store.close()
  }

  /// Publishes an account as the current one, and starts its replication.
  func activate(_ account: Account) {
    feed.publish(account)
    replicate()
  }

  var all: [KnownAccount] {
    let current = feed.value
    let file = (try? folder.read()) ?? AccountsFile()
    var known = file.entries.compactMap { entry -> KnownAccount? in
      let path = folder.file(entry.file)
      let isGuest = GuestName.isGuest(entry.user)
      // Omit guests without events.
      if isGuest, (try? folder.exists(entry.file)) != true { return nil }
      return KnownAccount(
        user: entry.user, isGuest: isGuest, adoptedBy: entry.adoption?.account,
        isCurrent: path == current.store.path, path: path)
    }
    let name = Path.name(of: current.store.path)
    if !known.contains(where: \.isCurrent), (try? folder.exists(name)) == true {
      known.append(
        KnownAccount(
          user: current.user, isGuest: current.isGuest, adoptedBy: nil, isCurrent: true,
          path: current.store.path))
    }
    return known.sorted {
      $0.user.hasBytes(of: $1.user) ? $0.path.precedes($1.path) : $0.user.precedes($1.user)
    }
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
