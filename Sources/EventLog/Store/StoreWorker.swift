import Synchronization

/// Runs a store's core on its own thread, one piece of work at a time.
final class StoreWorker: Sendable {
  /// How long buffered appends wait for a sync that they can share.
  private static let flushMilliseconds = 20

  private let core: Isolated<StoreCore>
  private let isFlushing = Mutex(false)
  private let isRefreshing = Mutex(false)

  var worker: SerialWorker { core.worker }

  init(_ core: consuming sending StoreCore) {
    self.core = Isolated(label: "eventlog.store", core)
  }

  /// Runs `body` on the worker and suspends until it returns or throws.
  func perform<Value: Sendable>(
    _ body: @escaping @Sendable (StoreCore) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    defer { run { $0.keepCheckpoint() } }
    return try await performQuietly(body)
  }

  /// Does the same without checking whether a checkpoint is due, for one of many small steps.
  func performQuietly<Value: Sendable>(
    _ body: @escaping @Sendable (StoreCore) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await core.perform { (core) throws(EventLogError) in
      core.catchUp()
      return try body(core)
    }
  }

  private func run(_ body: @escaping @Sendable (StoreCore) -> Void) {
    core.run { core in
      core.catchUp()
      body(core)
    }
  }

  /// Publishes the current state if that was deferred, and returns `value` once it isn't nil.
  ///
  /// If the worker is busy, this waits for the current work, which also publishes the state.
  func catchUp<Value>(until value: () -> Value?) -> Value {
    var pause = Backoff()
    while true {
      if let value = value() { return value }
      if core.nowIfIdle({ $0.catchUp() }) == nil { pause.take() }
    }
  }

  /// Publishes the current state, after all earlier work.
  func publishSoon() {
    run { core in
      if core.isShown { core.publish() }
      core.keepCheckpoint()
    }
  }

  /// Discards the state of a replication.
  func forgetReplication(_ id: ObjectIdentifier) {
    run { _ = $0.replications.removeValue(forKey: id) }
  }

  /// Discards what was read, after all earlier work, because the file no longer contains all of it.
  func distrust() {
    run { core in
      core.prefix = nil
      core.writer.distrust()
    }
  }

  /// Commits requests and answers each of them. Must be called on the worker.
  func commit(
    _ requests: [StoreRequest],
    _ answer: @Sendable (Int, Result<AppendReceipt, EventLogError>) -> Void
  ) -> [(Int, Result<AppendReceipt, EventLogError>)] {
    // The checkpoint is written later, because it would delay the remaining answers.
    let (answers, hasBuffered, mustKeepCheckpoint) = core.now { core in
      core.catchUp()
      let answers = core.commit(requests, for: self, answer)
      return (answers, core.hasBuffered, core.mustKeepCheckpoint)
    }
    if hasBuffered { flushSoon() }
    if mustKeepCheckpoint { run { $0.keepCheckpoint() } }
    return answers
  }

  /// Answers a buffered request on the caller's thread, if the worker is idle and it takes no time.
  /// Otherwise does nothing and returns nil.
  func commitAtOnce(_ request: StoreRequest) -> Result<AppendReceipt, EventLogError>? {
    guard request.mayBeAtOnce, let byteCountMax = request.byteCountMax else { return nil }
    let answer = core.nowIfIdle { core in
      (core.commitAtOnce(request, upTo: byteCountMax, for: self), core.hasBuffered)
    }
    guard let (result, hasBuffered) = answer, let result else { return nil }
    if hasBuffered { flushSoon() }
    return result
  }

  /// Syncs buffered appends, after all earlier work. Only then can a checkpoint cover them.
  func flush() {
    run { core in
      try? core.flush()
      core.keepCheckpoint()
    }
  }

  /// Does the same, removes the preallocation, and writes a checkpoint for the next opening.
  func finish() {
    run { core in
      try? core.flush()
      core.writer.trimPreallocation()
      core.keepCheckpoint(closing: true)
    }
  }

  /// Reads appends by other processes, after all earlier work. Several calls share one reading.
  ///
  /// A failure isn't reported here: the next call that reads fails, too.
  func refreshSoon() {
    let isFirst = isRefreshing.withLock { isRefreshing in
      defer { isRefreshing = true }
      return !isRefreshing
    }
    guard isFirst else { return }
    run { [self] core in
      isRefreshing.withLock { $0 = false }
      try? core.refresh()
      core.keepCheckpoint()
    }
  }

  private func flushSoon() {
    let isFirst = isFlushing.withLock { isFlushing in
      defer { isFlushing = true }
      return !isFlushing
    }
    guard isFirst else { return }
    worker.run(afterMilliseconds: Self.flushMilliseconds) {
      self.isFlushing.withLock { $0 = false }
      self.flush()
    }
  }
}
