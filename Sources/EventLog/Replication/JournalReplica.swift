/// A journal as a side of a replication, where nobody asks for its state.
///
/// Every byte of it is looked at, whatever a checkpoint tells: damage that nobody has seen yet is
/// found, and filled while another copy still has the event.
package final class JournalReplica: Replica {
  private let core: Confined<Core>

  /// What only the worker touches.
  private struct Core {
    let writer: JournalWriter<LedgerSink>
    var isDryRun = false
  }

  /// - Parameters:
  ///   - prefix: The lines with which the initiator's journal begins alike.
  ///   - initiator: The initiator's side folder. A copy on a stick has no checkpoint of its own, but
  ///     may begin with the very lines of the initiator's.
  init(
    _ path: String, _ options: JournalOptions, prefix: CommonPrefix<LedgerSink>? = nil,
    initiator: SideFolder? = nil
  ) {
    let writer = JournalWriter(path: path, options: options, sink: LedgerSink())
    let side = writer.side
    writer.checkpoint = { file in
      if let pass = prefix?.pass(of: file) { return pass }
      guard options.usesCheckpoints,
        let reading = CheckpointReading(ofBytesIn: file, side)
          ?? initiator.flatMap({ CheckpointReading(ofBytesIn: file, $0) })
      else { return nil }
      return reading.pass(LedgerSink(), blank: LedgerSink(), user: options.user)
    }
    core = Confined(label: "eventlog.journal", Core(writer: writer))
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

  package func prefix(
    with other: JournalRemote
  ) async throws(EventLogError) -> CommonPrefix<LedgerSink>? {
    try await withWriter { (writer) throws(EventLogError) in
      try other.checkIsOther(than: writer.path, writer.fileSystem)
    }
    // All of the journal is read anyway.
    return nil
  }

  package func remember(
    _ known: Set<String>, of address: String
  ) async throws(EventLogError) {
    try await withWriter { (writer) throws(EventLogError) in writer.side.keep(known, of: address) }
  }

  package func note(
    _ success: PlaceRecord.Success, of address: String, evenIfNew isNew: Bool
  ) async {
    try? await withWriter { (writer) throws(EventLogError) in
      writer.side.note(success, of: address, at: writer.options.now, evenIfNew: isNew)
    }
  }

  package func note(_ error: EventLogError, of address: String) async {
    try? await withWriter { (writer) throws(EventLogError) in
      writer.side.note(error, of: address, at: writer.options.now)
    }
  }

  package func open(dryRun isDryRun: Bool) async throws(EventLogError) -> ReplicaState {
    try await core.perform { (core) throws(EventLogError) in
      core.isDryRun = isDryRun
      return try core.writer.open(dryRun: isDryRun)
    }
  }

  package func adopt(_ users: [String]) async throws(EventLogError) -> ReplicaState {
    try await core.perform { (core) throws(EventLogError) in
      if !core.isDryRun { try core.writer.adopt(users) }
      return try core.writer.open(dryRun: core.isDryRun)
    }
  }

  // Nobody asks for its state.
  package func sameNames(
    besidesThoseOf user: String
  ) async throws(EventLogError) -> [SameName] { [] }

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
      try writer.source(ranges, on: reading) {
        core.run { $0.writer.distrust() }
      }
    }
  }

  package func receive(
    _ lines: LineBatch, from user: String?, on terms: ReceivingTerms
  ) async throws(EventLogError) -> ReceiveResult {
    try await withWriter { (writer) throws(EventLogError) in
      try writer.receive(lines, from: user, on: terms)
    }
  }

  package func finish() async throws(EventLogError) -> [Conflict] { [] }

  package func takeNotices() async throws(EventLogError) -> [String] {
    try await withWriter { (writer) throws(EventLogError) in
      writer.takeAsides()
    }
  }

  /// What nothing else tells the other side of a run: what is missing or damaged here.
  func damageNotices() async throws(EventLogError) -> [String] {
    try await withWriter { (writer) throws(EventLogError) in
      guard let damage = writer.pass.report.firstDamage else { return [] }
      return ["\"\(writer.path)\" is damaged (line \(damage.line)): \(damage.message)"]
    }
  }

  package func abandon() {}
}
