import Synchronization

/// One run with another journal.
final class JournalSession: RemoteSession {
  private let worker = SerialWorker(label: "eventlog.remote")
  private let core: Mutex<Core>

  init(_ path: String, _ options: JournalOptions, _ visit: RemoteVisit) {
    core = Mutex(Core(path, options, visit))
  }

  /// What only the worker touches.
  private final class Core {
    let writer: JournalWriter<LedgerSink>
    let visit: RemoteVisit
    /// What the journal would hold, while a run is rehearsed.
    var rehearsal: JournalBatch<LedgerSink>?

    init(_ path: String, _ options: JournalOptions, _ visit: RemoteVisit) {
      var options = options
      options.user = nil
      writer = JournalWriter(path: path, options: options, sink: LedgerSink())
      let side = SideFolder(beside: path, fileSystem: options.fileSystem)
      writer.checkpoint = { file in
        file.flatMap { CheckpointReading(beside: $0, side, options.fileSystem)?.pass(LedgerSink()) }
      }
      self.visit = visit
    }

    func statement() throws(EventLogError) -> FrontierStatement {
      do throws(EventLogError) {
        if visit.isRehearsal { _ = try writer.refresh() } else { try writer.secure() }
      } catch {
        guard error.code == .noJournal, visit.user != nil else { throw error }
        return FrontierStatement()
      }
      if let damage = writer.pass.problems.firstDamage, writer.pass.ledger.user == nil {
        throw Self.damaged(writer.path, damage)
      }
      return try writer.statement()
    }

    static func damaged(_ path: String, _ problem: JournalProblem) -> EventLogError {
      EventLogError(
        .damaged,
        "\(path):\(problem.line): the journal has damage (byte \(problem.byte)), and the line that"
          + " says whose it is cannot be read. Nothing was changed.",
        hint: "eventlog verify lists all of it.",
        at: .init(file: path, line: problem.line, byte: problem.byte))
    }

    func write(_ lines: LineBatch) throws(EventLogError) -> Reception {
      writer.expect(user: visit.user)
      guard visit.isRehearsal else { return try writer.receive(lines, disputed: [:]) }
      var batch = rehearsal ?? writer.rehearsal()
      rehearsal = nil
      let reception = batch.receive(lines.bytes)
      batch.forgetBytes()
      rehearsal = batch
      return reception
    }
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Core) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform { () throws(EventLogError) in
      try self.core.withLock { (core) throws(EventLogError) in try body(core) }
    }
  }

  func statement() async throws(EventLogError) -> FrontierStatement {
    try await perform { (core) throws(EventLogError) in try core.statement() }
  }

  func checksum(
    of event: EventID, inHistoryTo point: HistoryPoint
  ) async throws(EventLogError) -> LineChecksum? {
    try await perform { (core) throws(EventLogError) in try core.writer.checksum(of: event) }
  }

  func read(_ ranges: [EventRange]) async throws(EventLogError) -> any LineSource {
    let worker = worker
    return try await perform { (core) throws(EventLogError) in
      try core.writer.source(ranges, on: worker)
    }
  }

  func announce(_ statement: FrontierStatement) async throws(EventLogError) {}

  func write(_ lines: LineBatch) async throws(EventLogError) -> Reception {
    try await perform { (core) throws(EventLogError) in try core.write(lines) }
  }

  // Each batch is durable when it was taken.
  func finish() async throws(EventLogError) {}
}
