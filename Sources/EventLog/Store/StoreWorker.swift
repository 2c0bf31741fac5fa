import Synchronization

/// Runs a store's work, one piece at a time: appends on their callers' threads if possible, and
/// everything else on a worker.
///
/// Locks are taken in this order:
///
/// - `turn` is held for each piece of work, except for a buffered append on its caller's thread.
/// - `deferral` is held while a deferred state is published.
/// - `core` is held while the state changes, but not during a sync. So buffered appends continue
///   during a sync.
///
/// ``snapshot`` waits for `core` only if the last append has deferred its state. Work that may take
/// time publishes such a state first, and defers none. So a reader never waits for it.
final class StoreWorker: Sendable {
  typealias Answer = Result<AppendReceipt, EventLogError>

  /// How long buffered appends wait for a sync that they can share.
  private static let flushMilliseconds = 20
  /// The delay after a sync that couldn't begin.
  private static let retryMilliseconds = 5000

  private let worker = SerialWorker(label: "eventlog.store")
  private let turn = Mutex(())
  private let deferral = Mutex(())
  private let core: Mutex<StoreCore>
  private let feed: LatestFeed<Snapshot>
  /// The appends that the worker writes next.
  private let waiting = Mutex(Queue())
  /// Whether work runs that needs `core`. An append on its caller's thread lets it go first.
  private let hasWork = Atomic(false)
  /// The delays of pending flushes, in milliseconds.
  private let flushDelays = Mutex<Set<Int>>([])
  private let isRefreshing = Atomic(false)

  private struct Waiting: Sendable {
    var request: StoreRequest
    var continuation: CheckedContinuation<Answer, Never>
  }

  private struct Queue: Sendable {
    var requests: [Waiting] = []
    /// Whether the last requests shared a sync, which the next ones probably can, too.
    var isShared = false
  }

  init(_ core: consuming sending StoreCore) {
    feed = core.feed
    self.core = Mutex(core)
  }

  /// The state after the last append, or after the last reading that followed it.
  var snapshot: Snapshot {
    feed.latest
      ?? deferral.withLock { _ in feed.latest ?? core.withLock { $0.publish() } }
  }

  // MARK: - Work

  /// Runs `body` on the worker and suspends until it returns or throws.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (StoreCore) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    defer { run { $0.performUpkeep() } }
    return try await performQuietly(body)
  }

  /// Does the same without checking whether a checkpoint is due, for one of many small steps.
  func performQuietly<Value: Sendable>(
    _ body: @escaping @Sendable (StoreCore) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform { () throws(EventLogError) in try self.exclusively(body) }
  }

  private func run(_ body: @escaping @Sendable (StoreCore) -> Void) {
    worker.run { self.exclusively(body) }
  }

  /// Runs `body`, which may take time, on this thread.
  private func exclusively<Value: Sendable, Failure: Error>(
    _ body: (StoreCore) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try turn.withLock { (_) throws(Failure) in
      beginWork()
      defer { hasWork.store(false, ordering: .releasing) }
      return try core.withLock { (core) throws(Failure) in try body(core) }
    }
  }

  /// Publishes a deferred state, and prevents further ones, because readers of the state must not
  /// wait for work that may take time or runs code of the app.
  ///
  /// Called with `turn`, so that one piece of work begins at a time.
  private func beginWork() {
    hasWork.store(true, ordering: .sequentiallyConsistent)
    deferral.withLock { _ in core.withLock { $0.publishIfDeferred() } }
  }

  /// Whether no work needs `core`. Only then, the snapshot of a state may be created when it is
  /// first read.
  var isIdle: Bool { !hasWork.load(ordering: .sequentiallyConsistent) }

  // MARK: - Appending

  /// Writes the events of a request, all or none.
  ///
  /// If the store isn't in use and nothing else has to be waited for, they are written on the
  /// caller's thread, which also waits for the disk if the request is durable. Otherwise, the
  /// caller suspends, and the worker writes all waiting requests together.
  ///
  /// A durable append blocks one of the threads that tasks share. That takes less time than handing
  /// it to a worker and back. While one blocks, all others suspend.
  func append(_ request: StoreRequest) async throws(EventLogError) -> AppendReceipt {
    if let answer = appendAtOnce(request) { return try answer.get() }
    let answer = await withCheckedContinuation { continuation in
      let isFirst = waiting.withLock { waiting in
        waiting.requests.append(Waiting(request: request, continuation: continuation))
        return waiting.requests.count == 1
      }
      if isFirst { worker.run { self.appendWaiting() } }
    }
    return try answer.get()
  }

  /// Writes a request on this thread, or returns nil if it has to wait.
  func appendAtOnce(_ request: StoreRequest) -> Answer? {
    let isBuffered = request.durability == .buffered
    guard isIdle,
      waiting.withLock({ $0.requests.isEmpty && (isBuffered || !$0.isShared) })
    else { return nil }
    func write() -> StoreCore.Written? {
      core.withLockIfAvailable { $0.writeAtOnce(request, for: self) } ?? nil
    }
    if isBuffered { return write().map { finish($0)[0] } }
    return turn.withLockIfAvailable { _ in write().map { finish($0)[0] } } ?? nil
  }

  private func appendWaiting() {
    turn.withLock { _ in
      // Requests that arrived during the previous work share this sync.
      let group = waiting.withLock { waiting in
        defer { waiting = Queue(isShared: waiting.requests.count > 1) }
        return waiting.requests
      }
      beginWork()
      let written = core.withLock { $0.write(group.map(\.request), for: self) }
      hasWork.store(false, ordering: .releasing)
      for index in group.indices where written.isBuffered[index] {
        group[index].continuation.resume(returning: written.answers[index])
      }
      let answers = finish(written)
      for index in group.indices where !written.isBuffered[index] {
        group[index].continuation.resume(returning: answers[index])
      }
    }
  }

  /// Runs the sync of written requests, and returns the answer of each.
  private func finish(_ written: StoreCore.Written) -> [Answer] {
    var written = written
    if let sync = written.sync {
      let failure = sync.run()
      written = core.withLock { $0.finish(written, failure: failure, for: self) }
    }
    // After the lock: a task that is being canceled may read the state before it continues.
    for (ticket, answer) in written.tickets { ticket.answer(answer) }
    if written.hasBuffered {
      flush(
        afterMilliseconds: written.hasFailedToSync
          ? Self.retryMilliseconds : Self.flushMilliseconds)
    }
    if written.needsUpkeep { run { $0.performUpkeep() } }
    return written.answers
  }

  // MARK: - Later work

  /// Publishes the current state, after all earlier work.
  func publishSoon() {
    run { core in
      if core.isShown { core.publish() }
      core.performUpkeep()
    }
  }

  /// Discards the state of a replication, and publishes what it has read.
  func forgetReplication(_ id: ObjectIdentifier) {
    run { _ = $0.replications.removeValue(forKey: id) }
    publishSoon()
  }

  /// Discards what was read, after all earlier work, because the file no longer contains all of it.
  func distrust() {
    run { core in
      core.prefix = nil
      core.writer.distrust()
    }
  }

  /// Syncs buffered appends, after all earlier work. Only then can a checkpoint cover them.
  func flush() {
    worker.run { [self] in
      turn.withLock { _ in
        beginWork()
        let written = core.withLock { $0.beginFlush(for: self) }
        hasWork.store(false, ordering: .releasing)
        if let written { _ = finish(written) }
      }
      exclusively { $0.performUpkeep() }
    }
  }

  /// Does the same, and writes a checkpoint for the next opening.
  func finish() {
    run { core in
      try? core.flush()
      core.performUpkeep(closing: true)
      core.endTickets()
    }
  }

  /// Reads appends by other processes, after all earlier work. Several calls share one reading.
  ///
  /// A failure isn't reported here: the next call that reads fails, too.
  func refreshSoon() {
    if isRefreshing.exchange(true, ordering: .acquiringAndReleasing) { return }
    run { [self] core in
      isRefreshing.store(false, ordering: .releasing)
      // Not between the steps of a sync, which publishes its own lines at its end.
      guard (try? core.writer.refresh()) != nil, core.hasUnpublishedReading else { return }
      core.publish()
      core.performUpkeep()
    }
  }

  private func flush(afterMilliseconds delay: Int) {
    guard flushDelays.withLock({ $0.insert(delay).inserted }) else { return }
    // A released store has flushed for the last time.
    worker.run(afterMilliseconds: delay) { [weak self] in
      self?.flushDelays.withLock { _ = $0.remove(delay) }
      self?.flush()
    }
  }
}
