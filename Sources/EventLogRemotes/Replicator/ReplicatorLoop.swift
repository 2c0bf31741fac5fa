import EventLog
import EventLogSystem
import Synchronization

/// Keeps a store in sync with one remote.
final class ReplicatorLoop: Sendable {
  /// The reasons for a sync.
  struct Reasons: OptionSet, Sendable {
    let rawValue: Int
    /// The store has events that the remote is missing.
    static let local = Reasons(rawValue: 1)
    /// The remote has changed.
    static let remote = Reasons(rawValue: 2)
    /// A caller has requested a sync.
    static let requested = Reasons(rawValue: 4)
  }

  private struct Counts {
    /// The number of events in the store.
    var held = 0
    /// The number of these that the remote has, or nil if unknown.
    var synced: Int?
    /// The time since which the remote has been missing some of them.
    var pendingSince: Timestamp?
  }

  let wakeUp: AsyncSignal<Reasons>
  /// Retained only during a sync, because releasing the store ends the replication.
  private let store: Weak<EventStore>
  private let options: JournalOptions
  private let remote: any Remote
  private let schedule: ReplicationSchedule
  private let board: ReplicatorBoard
  private let tools: ReplicatorTools
  private let counts: Mutex<Counts>

  init(
    _ store: EventStore, _ remote: any Remote, _ schedule: ReplicationSchedule,
    _ board: ReplicatorBoard, _ tools: ReplicatorTools
  ) {
    (self.store, self.remote, self.schedule) = (Weak(store), remote, schedule)
    options = store.options
    (self.board, self.tools) = (board, tools)
    wakeUp = AsyncSignal(sleep: tools.sleep)
    counts = Mutex(Counts(held: store.snapshot.eventCount))
  }

  var address: String { remote.address }

  private var now: Timestamp { options.now }

  /// Records the number of events in the store.
  func noteState(_ eventCount: Int) {
    let now = now
    let pending = counts.withLock { counts -> (Int, Timestamp)? in
      counts.held = eventCount
      guard let synced = counts.synced, eventCount > synced else { return nil }
      let since = counts.pendingSince ?? now
      counts.pendingSince = since
      return (eventCount - synced, since)
    }
    guard let pending else { return }
    board.update(remote.address) { status in
      switch status.phase {
      case .synced, .pending, .waiting: status.phase = .pending(pending.0, since: pending.1)
      case .syncing, .oneWay, .retrying, .stopped: break
      }
    }
    wakeUp.raise(.local)
  }

  /// Syncs repeatedly until the task is canceled.
  func run() async {
    let observer = (remote as? any LocalRemote)?.observe { [weak wakeUp] in
      wakeUp?.raise(.remote)
    }
    defer { observer?.cancel() }
    var memory =
      await atSide { [address] in ReplicatorMemory(of: address, in: $0) } ?? ReplicatorMemory()
    // The remote may have been synced by other means after the last run.
    if await showRecord() { (memory.retry, memory.failureCount) = (nil, 0) }
    await waitOn(memory)
    while !Task.isCancelled {
      _ = wakeUp.take()
      do throws(EventLogError) {
        try await sync(&memory)
        await waitForReason()
      } catch {
        if error.code == .canceled { break }
        tools.onEnd(remote.address, .failure(error))
        await wait(after: error, &memory)
      }
    }
  }

  /// Reads or writes the journal's side folder.
  private func atSide<Value: Sendable>(
    _ body: @escaping @Sendable (SideFolder) throws(EventLogError) -> Value
  ) async -> Value? {
    try? await store.object?.performAtSide(body)
  }

  /// Shows the last success and failure of earlier runs of the app.
  ///
  /// - Returns: Whether the last sync is known to be a success.
  private func showRecord() async -> Bool {
    let record = await atSide { [address] (side) throws(EventLogError) in
      try side.remoteRecord(of: address)
    }
    guard let record = record ?? nil else { return false }
    board.update(address) { status in
      status.lastSynced = record.success?.syncedAt
      status.failingSince = record.failure?.since
    }
    return record.success != nil && record.failure == nil
  }

  private func keep(_ memory: ReplicatorMemory) async {
    await atSide { [address] in memory.keep(of: address, in: $0) }
  }

  // MARK: - One sync

  private func sync(_ memory: inout ReplicatorMemory) async throws(EventLogError) {
    guard let store = store.object else {
      throw EventLogError(.canceled, "The store of this replication is gone.")
    }
    board.update(remote.address) { $0.phase = .syncing }
    let before = counts.withLock { $0.held }
    var report = SyncReport()
    var replication = store.replication(with: remote, requiringEvents: memory.hasHeldEvents)
    replication.permission = tools.permission
    for try await progress in replication {
      if case .finished(let done) = progress { report = done }
    }
    let hasEvents = report.otherHeldEvents || !report.pushed.isEmpty
    let news = ReplicatorMemory(hasHeldEvents: memory.hasHeldEvents || hasEvents)
    if news != memory {
      memory = news
      await keep(memory)
    }
    let now = now
    let held = counts.withLock { counts in
      counts.synced = before + Int(clamping: report.pulledCount)
      counts.pendingSince = nil
      return counts.held
    }
    board.report(report.withoutLedgers, of: remote.address, at: now)
    tools.onEnd(remote.address, .success(report))
    // Counts the events that were appended during the sync.
    noteState(held)
  }

  /// Waits until there is a reason for the next sync.
  private func waitForReason() async {
    let reasons = await wakeUp.wait(for: [.local, .remote, .requested], atMost: schedule.interval)
    if reasons.isEmpty || reasons.contains(.requested) { return }
    _ = await wakeUp.wait(for: .requested, atMost: schedule.delay)
  }

  // MARK: - Failures

  private func wait(after error: EventLogError, _ memory: inout ReplicatorMemory) async {
    if error.code == .noJournal, !memory.hasHeldEvents {
      let now = now
      // The remote has answered, but has nothing to send.
      board.update(remote.address) {
        ($0.phase, $0.lastSynced, $0.hasAnswered) = (.waiting, now, true)
      }
      let held = counts.withLock { counts in
        counts.synced = 0
        return counts.held
      }
      noteState(held)
      return await waitForReason()
    }
    // Also recorded for a remote that has never answered, because the app has chosen it. A deleted
    // or replaced journal is no failure of the remote, and its side folder must not be created
    // again.
    if error.code != .journalReplaced {
      await atSide { [address, now] in $0.note(error, of: address, at: now, isKnown: true) }
    }
    if Replicator.isFinal(error.code) {
      board.update(remote.address) { $0.phase = .stopped(because: error) }
      _ = await wakeUp.wait(for: .requested)
      return
    }
    memory.failureCount += 1
    // Never before the time that the remote has requested.
    let backoff = schedule.backoff(memory.failureCount, options.random)
    let delay = max(backoff, error.retryAfter ?? .zero)
    let now = now
    let retry = ReplicatorMemory.Retry(
      at: now.advanced(by: delay), delay: delay, because: error,
      since: memory.retry?.since ?? now)
    memory.retry = retry
    await keep(memory)
    await wait(delay, for: retry)
  }

  /// Waits for the rest of a delay that began in an earlier run of the app.
  private func waitOn(_ memory: ReplicatorMemory) async {
    guard let retry = memory.retry else { return }
    board.update(remote.address) { $0.failingSince = retry.since }
    let rest = Duration.milliseconds(retry.at.milliseconds - now.milliseconds)
    // Never longer than the original delay, even if the system clock was changed.
    if rest > .zero { await wait(min(rest, retry.delay ?? schedule.retryMax), for: retry) }
  }

  private func wait(_ delay: Duration, for retry: ReplicatorMemory.Retry) async {
    board.update(remote.address) { status in
      status.phase = .retrying(at: retry.at, because: retry.because)
      status.failingSince = retry.since
    }
    // A failed sync may have changed the remote itself, so changes are ignored at first.
    let pause = min(delay, Self.pause)
    if await wakeUp.wait(for: .requested, atMost: pause).isEmpty {
      _ = await wakeUp.wait(for: [.remote, .requested], atMost: delay - pause)
    }
  }

  /// The time after a failure in which changes to the remote are ignored.
  private static let pause = Duration.seconds(5)
}
