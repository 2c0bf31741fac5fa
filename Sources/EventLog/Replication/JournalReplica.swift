/// A journal as a side of a replication, where nobody asks for its state.
package final class JournalReplica: Replica {
  private let core: Confined<Core>

  /// What only the worker touches.
  private struct Core {
    /// Less than this behind what is stored is read again rather than stored.
    static let keptBytesMin: Int64 = 1 << 16

    let writer: JournalWriter<LedgerSink>
    var isDryRun = false
    /// Up to where what is stored spares the reading.
    let stored: StoredOffset
  }

  /// Set by the writer's call for a checkpoint.
  private final class StoredOffset {
    var value: Int64 = 0
  }

  /// - Parameter beginning: what the journal has in common with another one.
  init(_ path: String, _ options: JournalOptions, beginning: SharedBeginning? = nil) {
    let writer = JournalWriter(path: path, options: options, sink: LedgerSink())
    let side = SideFolder(beside: path, fileSystem: options.fileSystem)
    let stored = StoredOffset()
    writer.checkpoint = { file in
      stored.value = 0
      if let pass = beginning?.pass(of: file) { return pass }
      let reading = CheckpointReading(beside: file, side, options.fileSystem)
      stored.value = reading?.checkpoint.origin.offset ?? 0
      return reading?.pass(LedgerSink(), blank: LedgerSink(), user: options.user)
    }
    core = Confined(label: "eventlog.journal", Core(writer: writer, stored: stored))
  }

  /// Works with the journal, one call after the other.
  func withWriter<Value: Sendable>(
    _ body: @escaping @Sendable (JournalWriter<LedgerSink>) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await core.perform { (core) throws(EventLogError) in try body(core.writer) }
  }

  package func begun() -> any Replica { self }

  package func visit(
    _ address: String, dryRun isDryRun: Bool
  ) async throws(EventLogError) -> RemoteVisit {
    try await withWriter { (writer) throws(EventLogError) in
      RemoteVisit(
        user: try writer.owner ?? writer.options.user, device: writer.side.readRecord()?.device,
        isDryRun: isDryRun, known: writer.side.known(of: address))
    }
  }

  // All of the journal is read anyway.
  package func beginning(
    with other: JournalRemote
  ) async throws(EventLogError) -> SharedBeginning? { nil }

  package func remember(
    _ known: Set<String>, of address: String
  ) async throws(EventLogError) {
    try await withWriter { (writer) throws(EventLogError) in writer.side.keep(known, of: address) }
  }

  package func open(dryRun isDryRun: Bool) async throws(EventLogError) -> ReplicaState {
    try await core.perform { (core) throws(EventLogError) in
      core.isDryRun = isDryRun
      return try core.writer.open(dryRun: isDryRun)
    }
  }

  package func chains(_ queries: [HistoryQuery]) async throws(EventLogError) -> [UInt32?] {
    try await withWriter { (writer) throws(EventLogError) in writer.pass.ledger.chains(queries) }
  }

  package func notice(_ events: [FullEventID]) async throws(EventLogError) -> String? {
    try await core.perform { (core) throws(EventLogError) in
      let reason = try core.writer.notice(events, dryRun: core.isDryRun)
      return core.isDryRun ? reason?.foretelling : reason?.sentence
    }
  }

  package func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let reading = SerialWorker(label: "eventlog.send")
    let core = core
    return try await withWriter { (writer) throws(EventLogError) in
      try writer.source(ranges, on: reading) { core.run { $0.writer.distrust() } }
    }
  }

  package func receive(
    _ lines: LineBatch, from user: String?, on terms: ReceivingTerms
  ) async throws(EventLogError) -> ReceiveResult {
    try await withWriter { (writer) throws(EventLogError) in
      try writer.receive(lines, from: user, on: terms)
    }
  }

  /// Leaves what was read for the next run, where reading that again would cost more.
  package func finish() async throws(EventLogError) -> [Conflict] {
    try await core.perform { (core) throws(EventLogError) in
      let writer = core.writer
      guard !core.isDryRun,
        writer.pass.endOffset - core.stored.value >= Core.keptBytesMin,
        let origin = writer.checkpointOrigin([])
      else { return [] }
      writer.side.writeReading(CheckpointReading.checkpoint(of: writer.pass, origin).sealed)
      core.stored.value = origin.offset
      return []
    }
  }

  package func takeNotices() async throws(EventLogError) -> [String] {
    try await withWriter { (writer) throws(EventLogError) in
      writer.takeAsides()
    }
  }

  /// What nothing else tells the other side of a run: what is missing or damaged here.
  func damageNotices() async throws(EventLogError) -> [String] {
    try await withWriter { (writer) throws(EventLogError) in
      guard let damage = writer.pass.report.firstDamage else { return [] }
      return ["\"\(writer.path)\" has damage (line \(damage.line)): \(damage.message)"]
    }
  }

  package func abandon() {}
}
