import Synchronization

/// A journal as the side of a replication that a run is started on, where nobody asks for its
/// state.
final class LedgerReplica: LocalReplica {
  private let worker = SerialWorker(label: "eventlog.repair")
  private let core: Mutex<Core>

  private final class Core {
    let writer: JournalWriter<LedgerSink>
    var spool: RefillSpool?
    /// What the last filling of holes came to.
    var outcome: RewriteOutcome?

    init(_ path: String, _ options: JournalOptions) {
      writer = JournalWriter(path: path, options: options, sink: LedgerSink())
    }
  }

  init(_ path: String, _ options: JournalOptions) { core = Mutex(Core(path, options)) }

  /// Works with the journal, one call after the other.
  func withWriter<Value: Sendable>(
    _ body: @escaping @Sendable (JournalWriter<LedgerSink>) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await perform { (core) throws(EventLogError) in try body(core.writer) }
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Core) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform { () throws(EventLogError) in
      try self.core.withLock { (core) throws(EventLogError) in try body(core) }
    }
  }

  // Whoever repairs asks for what the run came to, and begins no two at once.
  func begun() -> any LocalReplica { self }

  func visit(
    _ address: String, rehearsing isRehearsal: Bool
  ) async throws(EventLogError) -> RemoteVisit {
    try await withWriter { (writer) throws(EventLogError) in
      RemoteVisit(
        user: try writer.owner ?? writer.options.user, device: writer.side.readRecord()?.device,
        isRehearsal: isRehearsal, known: writer.side.known(of: address))
    }
  }

  // All of the journal is read anyway.
  func beginning(
    with other: JournalRemote
  ) async throws(EventLogError) -> SharedBeginning? { nil }

  func remember(_ known: Set<String>, of address: String) async throws(EventLogError) {
    try await withWriter { (writer) throws(EventLogError) in writer.side.keep(known, of: address) }
  }

  func open(rehearsing isRehearsal: Bool) async throws(EventLogError) -> LocalState {
    try await withWriter { (writer) throws(EventLogError) in
      if isRehearsal { _ = try writer.refresh() } else { try writer.secure() }
      return LocalState(
        statement: try writer.statement(), device: writer.sameDevice, ledger: writer.pass.ledger)
    }
  }

  func checksum(of event: EventID) async throws(EventLogError) -> LineChecksum? {
    try await withWriter { (writer) throws(EventLogError) in try writer.checksum(of: event) }
  }

  func notice(_ claims: [[DeviceID: HistoryPoint]]) async throws(EventLogError) -> String? {
    try await withWriter { (writer) throws(EventLogError) in
      try writer.notice(claims)?.sentence
    }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let reading = SerialWorker(label: "eventlog.send")
    return try await withWriter { (writer) throws(EventLogError) in
      try writer.source(ranges, on: reading)
    }
  }

  func receive(
    _ lines: LineBatch, from user: String?, on terms: ReceivingTerms
  ) async throws(EventLogError) -> Reception {
    try await perform { (core) throws(EventLogError) in
      try core.writer.receive(lines, on: terms, &core.spool, rehearsing: false)
        ?? Reception()
    }
  }

  // MARK: - Giving up

  /// Begins to take what is to come before some events are given up, and what has seen them: it is
  /// judged as if they were gone.
  ///
  /// - Returns: what is left then; nil where events are missing among them.
  func beginGivingUp(
    _ lost: [EventID: LineChecksum]
  ) async throws(EventLogError) -> [DeviceID: HistoryPoint]? {
    try await perform { (core) throws(EventLogError) in
      let writer = core.writer
      let first = try writer.firstGivenUp(lost)
      if writer.isIncomplete(first) { return nil }
      core.spool = try writer.spool(without: first)
      var points: [DeviceID: HistoryPoint] = [:]
      for (device, point) in try writer.statement().frontier {
        let last = min(point.sequence, (first[device] ?? .max) - 1)
        guard last > 0,
          let checksum = try writer.checksum(of: EventID(device: device, sequence: last))
        else { continue }
        points[device] = HistoryPoint(sequence: last, checksum: checksum)
      }
      return points
    }
  }

  /// Gives them up, and takes what has come.
  func giveUp(_ lost: [EventID: LineChecksum]) async throws(EventLogError) -> RewriteOutcome {
    try await perform { (core) throws(EventLogError) in
      defer { core.spool = nil }
      return try core.writer.giveUp(lost, taking: core.spool)
    }
  }

  func completeReception() async throws(EventLogError) -> RewriteOutcome? {
    try await perform { (core) throws(EventLogError) in
      let outcome = try core.writer.completeReception(&core.spool)
      core.outcome = outcome ?? core.outcome
      return outcome
    }
  }

  /// What the last filling of holes came to; nil for none since it was asked.
  func takeOutcome() async -> RewriteOutcome? {
    try? await perform { (core) throws(EventLogError) in
      defer { core.outcome = nil }
      return core.outcome
    }
  }

  func finish() async throws(EventLogError) -> [Conflict] { [] }

  func abandon() {}
}
