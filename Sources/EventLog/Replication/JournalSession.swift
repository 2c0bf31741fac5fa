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
    /// Less than this behind what is stored is read again rather than stored.
    private static let keptBytesMin: Int64 = 1 << 16

    let writer: JournalWriter<LedgerSink>
    private let side: SideFolder
    /// Up to where what is stored spares the reading.
    private var storedOffset: Int64 = 0
    let visit: RemoteVisit
    /// What the journal would hold, while a run is rehearsed.
    var rehearsal: JournalBatch<LedgerSink>?
    /// What waits to be put among the lines of a journal with holes.
    var spool: RefillSpool?

    init(_ path: String, _ options: JournalOptions, _ visit: RemoteVisit) {
      var options = options
      options.user = nil
      writer = JournalWriter(path: path, options: options, sink: LedgerSink())
      let side = SideFolder(beside: path, fileSystem: options.fileSystem)
      self.side = side
      self.visit = visit
      writer.checkpoint = { [unowned self] file in
        storedOffset = 0
        guard let file else { return nil }
        if let pass = visit.beginning?.pass(of: file) { return pass }
        let stored = CheckpointReading(beside: file, side, options.fileSystem)
        storedOffset = stored?.checkpoint.origin.offset ?? 0
        return stored?.pass(LedgerSink())
      }
    }

    /// Leaves what was read for the next run, where reading that again would cost more.
    func keepReading() {
      guard !visit.isRehearsal, writer.pass.endOffset - storedOffset >= Self.keptBytesMin,
        let origin = writer.checkpointOrigin([])
      else { return }
      side.writeReading(CheckpointReading.checkpoint(of: writer.pass, origin).sealed)
      storedOffset = origin.offset
    }

    func open() throws(EventLogError) {
      do throws(EventLogError) {
        if visit.isRehearsal { _ = try writer.refresh() } else { try writer.secure() }
      } catch {
        guard error.code == .noJournal, visit.user != nil else { throw error }
      }
    }

    /// Says what it holds. What it lacks of its own device, and the visitor holds, is its affair:
    /// nobody else would tell whoever writes there.
    func statement(
      to visitor: [DeviceID: HistoryPoint]
    ) throws(EventLogError) -> FrontierStatement {
      var hasTwin = false
      do throws(EventLogError) {
        hasTwin = try writer.notice([visitor], rehearsing: visit.isRehearsal) != nil
      } catch {
        // One that can only be read is not written to by anybody either.
        guard error.isForReadersOnly else { throw error }
      }
      var statement = try writer.statement()
      statement.hasTwin = hasTwin
      return statement
    }

    func write(_ lines: LineBatch) throws(EventLogError) -> Reception {
      writer.expect(user: visit.user)
      if let reception = try writer.receive(
        lines, on: ReceivingTerms(), &spool, rehearsing: visit.isRehearsal)
      {
        return reception
      }
      var batch = rehearsal ?? writer.rehearsal()
      rehearsal = nil
      let reception = batch.receive(lines.bytes)
      batch.forgetBytes()
      rehearsal = batch
      return reception
    }

    /// What nothing else tells of: a device that ends before a damaged line looks like one that
    /// has written no more.
    var damageNotice: String? {
      guard let damage = writer.pass.problems.firstDamage, writer.pass.ledger.stranded.isEmpty
      else { return nil }
      return "\"\(writer.path)\" has damage (line \(damage.line)): what stands there cannot be"
        + " read, and did not cross. eventlog verify lists all of it."
    }
  }

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (Core) throws(EventLogError) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform { () throws(EventLogError) in
      try self.core.withLock { (core) throws(EventLogError) in try body(core) }
    }
  }

  /// Reads the journal.
  func open() async throws(EventLogError) {
    try await perform { (core) throws(EventLogError) in try core.open() }
  }

  func statement(
    to visitor: any DeviceHistories
  ) async throws(EventLogError) -> FrontierStatement {
    let points = visitor.points
    return try await perform { (core) throws(EventLogError) in try core.statement(to: points) }
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

  // Each batch was durable when it was taken, but for those that fill holes.
  func finish() async throws(EventLogError) -> Set<String> {
    try await perform { (core) throws(EventLogError) in
      if try core.writer.completeReception(&core.spool) != nil { _ = try core.writer.refresh() }
      core.keepReading()
    }
    return []
  }

  var notices: [String] {
    get async {
      let asides = try? await perform { (core) throws(EventLogError) in
        core.writer.takeAsides() + (core.damageNotice.map { [$0] } ?? [])
      }
      return asides ?? []
    }
  }
}
