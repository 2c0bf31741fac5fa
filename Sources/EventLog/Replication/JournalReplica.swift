/// A journal as a side of a replication, where nobody asks for its state.
///
/// Every byte of it is looked at, whatever a checkpoint tells: damage that nobody has seen yet is
/// found, and filled while another copy still has the event.
package final class JournalReplica: Replica {
  private let core: Confined<Core>

  /// What only the worker touches.
  private struct Core {
    let writer: JournalWriter<LedgerSink>
    /// Where what was read is kept for the next run.
    let kept: KeptReading?
    let beginning: Beginning
    var isDryRun = false
  }

  /// What the last reading that began anew began with.
  private final class Beginning {
    var origin: Checkpoint.Origin?
  }

  /// - Parameters:
  ///   - beginning: what the journal has in common with another one.
  ///   - kept: what is kept elsewhere of an earlier reading.
  init(
    _ path: String, _ options: JournalOptions, beginning: SharedBeginning? = nil,
    kept: KeptReading? = nil
  ) {
    let writer = JournalWriter(path: path, options: options, sink: LedgerSink())
    let kept = options.usesCheckpoints ? kept : nil
    let stored = Beginning()
    writer.checkpoint = { file in
      stored.origin = nil
      if let pass = beginning?.pass(of: file) { return pass }
      guard options.usesCheckpoints, let reading = Self.stored(file, options.fileSystem, kept)
      else { return nil }
      stored.origin = reading.checkpoint.origin
      return reading.pass(LedgerSink(), blank: LedgerSink(), user: options.user)
    }
    core = Confined(
      label: "eventlog.journal", Core(writer: writer, kept: kept, beginning: stored))
  }

  /// What a checkpoint tells, or what is kept elsewhere, whichever reaches further: if every byte
  /// is still the same.
  private static func stored(
    _ file: JournalFile, _ fileSystem: any FileSystem, _ kept: KeptReading?
  ) -> CheckpointReading? {
    let side = SideFolder(beside: file.path, fileSystem: fileSystem)
    return [
      CheckpointReading(beside: file, side, fileSystem), kept?.checkpoint(of: file, fileSystem),
    ]
    .compactMap { $0 }
    .sorted { $0.checkpoint.origin.offset > $1.checkpoint.origin.offset }
    .first { $0.checkpoint.origin.isWhole(in: file, fileSystem) }
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

  package func beginning(
    with other: JournalRemote
  ) async throws(EventLogError) -> SharedBeginning? {
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
        core.run { core in
          core.writer.distrust()
          core.kept?.remove()
        }
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

  package func finish() async throws(EventLogError) -> [Conflict] {
    try await core.perform { (core) throws(EventLogError) in
      if !core.isDryRun { core.kept?.keep(core.writer, after: core.beginning.origin) }
    }
    return []
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
      return ["\"\(writer.path)\" is damaged (line \(damage.line)): \(damage.message)"]
    }
  }

  package func abandon() {}
}
