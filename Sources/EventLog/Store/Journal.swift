/// A journal to read from: its state, its events, its health. Nothing here changes a byte.
public struct Journal: Sendable {
  public let path: String
  let fileSystem: any FileSystem
  let catalog: SchemaCatalog
  let usesCheckpoint: Bool

  /// - Parameters:
  ///   - catalog: the collections that a snapshot rebuilds.
  ///   - usesCheckpoint: whether ``snapshot(at:includingDeleted:)`` and ``status()`` may begin with
  ///     the checkpoint that a store has left, and read only what stands behind it.
  public init(
    path: String, catalog: SchemaCatalog = .standard,
    fileSystem: any FileSystem = SystemFileSystem(), usesCheckpoint: Bool = true
  ) {
    self.path = path
    self.catalog = catalog
    self.fileSystem = fileSystem
    self.usesCheckpoint = usesCheckpoint
  }

  /// Reads all events and rebuilds the state.
  ///
  /// Around damage it reads on: `snapshot.damage` says what is missing, and then conflicts may show
  /// that are none. It never hides one.
  ///
  /// - Parameters:
  ///   - cut: the part of the journal to look back at; nil: all of it.
  ///   - includingDeleted: whether what is deleted is shown as well.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `noEvent` or `noDevice` for a cut that
  ///   names what the journal does not hold.
  /// - Complexity: O(checkpoint and what stands behind it), or O(file size) for a cut, and where no
  ///   checkpoint fits; memory by the state, not the journal. A cut by event or device takes one
  ///   reading more.
  public func snapshot(
    at cut: Cut? = nil, includingDeleted: Bool = false
  ) throws(EventLogError) -> JournalSnapshot {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let limits = try cut.map { (cut) throws(EventLogError) in try resolve(cut, file) }
    if let limits {
      let (pass, end) = try read(file, into: CutSink(Fold(catalog), limits))
      var fold = pass.sink.inner
      fold.eventCount = pass.sink.eventCount
      let view = Snapshot.View(
        frontier: pass.sink.frontier(pass.ledger), held: pass.sink.held(pass.ledger),
        includesDeleted: includingDeleted)
      return try state(pass, end, file, fold: fold, view, within: limits)
    }
    let start = begin(file)
    let (pass, end) = try read(file, from: start.pass)
    return try state(
      pass, end, file, fold: pass.sink, Snapshot.View(includesDeleted: includingDeleted),
      knowing: start.bases)
  }

  /// Completes what was read with the bases of its conflicts.
  private func state<Sink: EventSink>(
    _ pass: JournalPass<Sink>, _ end: JournalReading.End, _ file: JournalFile, fold: Fold,
    _ view: Snapshot.View, within limits: ResolvedCut? = nil,
    knowing known: ConflictBases = ConflictBases()
  ) throws(EventLogError) -> JournalSnapshot {
    var bases = known
    try bases.update(
      for: fold.openConflicts(pass.ledger, includingDeleted: view.includesDeleted), in: fold,
      pass.ledger, within: limits,
      reread: JournalRereading(
        JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
        upTo: end.lacksLineFeed ? end.size : pass.endOffset,
        after: pass))
    let snapshot = Snapshot(
      fold: fold, ledger: pass.ledger, damage: pass.problems.kept.filter(\.isDamage),
      bases: bases, view: view)
    return JournalSnapshot(
      snapshot: snapshot, firstDamage: pass.problems.firstDamage,
      warnings: pass.problems.kept.filter { !$0.isDamage } + tailProblems(end))
  }

  /// Hands over the events of the file, or of a part of it, in the order of the file, with their
  /// lines' bytes, until `body` returns false.
  ///
  /// - Throws: as ``snapshot(at:includingDeleted:)``.
  public func replay(
    at cut: Cut? = nil, _ body: (Event, [UInt8]) -> Bool
  ) throws(EventLogError) -> ReplayResult {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let limits = try cut.map { (cut) throws(EventLogError) in try resolve(cut, file) }
    return try withoutActuallyEscaping(body) { (body) throws(EventLogError) in
      let sink = CutSink(lines: ReplaySink(body: body), limits ?? ResolvedCut())
      let (pass, end) = try read(file, into: sink)
      return ReplayResult(
        firstDamage: pass.problems.firstDamage,
        warnings: pass.problems.kept.filter { !$0.isDamage } + tailProblems(end))
    }
  }

  /// Checks every line and every event.
  ///
  /// - Throws: `noJournal`, `inputOutput`. What is wrong with the journal is in the report.
  public func verify() throws(EventLogError) -> VerificationReport {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    var fold = Fold(catalog)
    fold.notes = []
    var (pass, end) = try read(file, into: fold, refusingOthers: false)
    let isForeign = try isForeign(file, end)
    for problem in tailProblems(end, isForeign: isForeign) { pass.problems.add(problem) }
    if !pass.sink.setNames.isEmpty {
      // A register may have been written before its key became a set.
      fold.knownSets = pass.sink.setNames
      try JournalRereading(
        JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
        upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass
      ).read(into: &fold)
      pass.sink.notes = fold.notes
    }
    return VerificationReport(
      eventCount: pass.sink.eventCount, byteCount: end.size,
      deviceCount: pass.ledger.devices.filter { $0.eventCount > 0 }.count,
      problems: pass.problems.kept, problemCount: pass.problems.count,
      notes: pass.sink.notes ?? [])
  }

  /// Who has written what.
  ///
  /// - Throws: as ``snapshot(at:includingDeleted:)``.
  public func status() throws(EventLogError) -> JournalStatus {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let (pass, end) = try read(file, from: begin(file).pass)
    let ledger = pass.ledger
    let decision = try decision(side.readRecord(), file, ledger, end)
    let devices = ledger.devices.indices.filter { ledger.devices[$0].eventCount > 0 }
      .map { index in
        JournalStatus.Device(
          id: DeviceID(trusted: ledger.name(index)), name: ledger.devices[index].name,
          eventCount: ledger.devices[index].eventCount,
          last: Timestamp(trusted: ledger.devices[index].lastAt))
      }
    return JournalStatus(
      user: ledger.user, device: decision.device, notice: decision.reason?.sentence,
      devices: devices.sorted { $0.id < $1.id }, eventCount: pass.sink.eventCount,
      byteCount: end.size, frontier: ledger.frontier,
      conflictCount: pass.sink.openConflicts(ledger).count, remotes: side.remotes,
      quarantined: side.quarantined,
      firstDamage: pass.problems.firstDamage,
      warnings: pass.problems.kept.filter { !$0.isDamage } + tailProblems(end))
  }

  /// Under which ID the next append will write.
  private func decision(
    _ record: DeviceRecord?, _ file: JournalFile, _ ledger: Ledger, _ end: JournalReading.End
  ) throws(EventLogError) -> DeviceDecision {
    let state = record.flatMap { ledger.find($0.device) }.map { ledger.devices[$0] }
    var found: LineChecksum?
    if let record, record.sequence > 0 {
      found = try RangeReader.checksum(
        of: EventID(device: record.device, sequence: record.sequence), path: path,
        file: file.descriptor, fileSystem: fileSystem, ledger: ledger, size: end.size)
    }
    return .decide(
      DeviceDecision.Facts(
        record: record, machine: fileSystem.machineIdentity(), file: .init(try file.status),
        foundChecksum: found, deviceHasEvents: (state?.last ?? 0) > 0,
        deviceIsForked: state?.fork != nil,
        deviceIsStopped: state?.isStopped ?? false
          || record.flatMap { ledger.find($0.device) }.map(ledger.hasSeenBeyond) ?? false,
        hasDoubtfulTail: end.doubtfulTail != nil))
  }

  // MARK: - Reading

  /// Where a reading of the state may begin: behind a checkpoint, if there is one that fits.
  func begin(_ file: JournalFile) -> (pass: JournalPass<Fold>, bases: ConflictBases) {
    if usesCheckpoint, let stored = StoredState(beside: file, catalog, fileSystem),
      var pass = try? stored.pass(stored.fold)
    {
      pass.sink.refs = nil
      return (pass, stored.bases ?? ConflictBases())
    }
    return (JournalPass(sink: Fold(catalog)), ConflictBases())
  }

  func read<Sink: EventSink>(
    _ file: JournalFile, into sink: Sink, watching event: EventID? = nil,
    refusingOthers: Bool = true
  ) throws(EventLogError) -> (JournalPass<Sink>, JournalReading.End) {
    var pass = JournalPass(sink: sink)
    pass.watched = event.map { .init(device: $0.device.text, sequence: $0.sequence) }
    return try read(file, from: pass, refusingOthers: refusingOthers)
  }

  func read<Sink: EventSink>(
    _ file: JournalFile, from start: JournalPass<Sink>, refusingOthers: Bool = true
  ) throws(EventLogError) -> (JournalPass<Sink>, JournalReading.End) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    var pass = start
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    let identity = DeviceRecord.FileIdentity(try file.status)
    var end = try reading.read(
      into: &pass, synced: side.fittingRecord(of: identity)?.syncedEvent)
    // A batch that is just being written looks like a doubtful end: with the lock, it is whole.
    if end.doubtfulTail != nil, (try? file.lock(exclusive: false, milliseconds: 5000)) == true {
      defer { file.unlock() }
      end = try reading.read(
        into: &pass, synced: side.fittingRecord(of: identity)?.syncedEvent)
    }
    if refusingOthers, try isForeign(file, end) {
      throw JournalWriter<Sink>.notAJournal(path)
    }
    return (pass, end)
  }

  /// Whether the file holds something else than a journal: no event, and no first batch that tore.
  private func isForeign(
    _ file: JournalFile, _ end: JournalReading.End
  ) throws(EventLogError) -> Bool {
    guard end.holdsNoEvent else { return false }
    let record = SideFolder(beside: path, fileSystem: fileSystem).readRecord()
    return try record?.isFirstWriter(
      of: .init(file.status), machine: fileSystem.machineIdentity()) != true
  }

  func tailProblems(
    _ end: JournalReading.End, isForeign: Bool = false
  ) -> [JournalProblem] {
    if let tail = end.doubtfulTail {
      let reason = end.tailReason.map { " (its first line \($0.clause))" } ?? ""
      return [
        JournalProblem(
          code: .doubtfulTail, line: tail.number, byte: tail.offset,
          message: isForeign
            ? "The file holds no event\(reason): it is not a journal, or nothing is left of one."
              + " An append refuses it and leaves it as it is."
            : "The end, \(end.size - tail.offset) bytes, is in doubt\(reason): an append that was"
              + " cut off, or damage. It is not counted; the next append puts it aside.",
          device: nil, sequence: nil)
      ]
    }
    return []
  }

  /// The error of a verb that does not read around damage.
  public static func damaged(_ path: String, _ problem: JournalProblem) -> EventLogError {
    EventLogError(
      .damaged,
      "\(path):\(problem.line): the journal has damage (byte \(problem.byte)). \(problem.message)"
        + " Nothing was changed.",
      hint: "eventlog verify lists all of it; --read-around goes on with what can be read.",
      at: .init(file: path, line: problem.line, byte: problem.byte))
  }
}

/// A snapshot with what was found in the file it was read from.
public struct JournalSnapshot: Sendable {
  public let snapshot: Snapshot
  /// The first damage in the file's order.
  public let firstDamage: JournalProblem?
  /// What is not as it should be and costs nothing: a line that stands twice, a doubtful end.
  public let warnings: [JournalProblem]
}

/// What a replay found besides events.
public struct ReplayResult: Sendable, Hashable {
  public let firstDamage: JournalProblem?
  public let warnings: [JournalProblem]
}

/// What a check of every line found.
public struct VerificationReport: Sendable {
  public let eventCount: Int
  public let byteCount: Int64
  public let deviceCount: Int
  /// In the file's order; at most 10,000 are kept.
  public let problems: [JournalProblem]
  /// How many there are.
  public let problemCount: Int
  /// Events that are sound and change no field here.
  public let notes: [JournalProblem]
}

/// Who has written what in a journal.
public struct JournalStatus: Sendable {
  public let user: String?
  /// Under which ID this copy writes; nil where the next append takes a fresh one.
  public let device: DeviceID?
  /// Why it takes a fresh one, in a sentence for the person whose journal it is; nil where there is
  /// nothing to say.
  public let notice: String?
  public let devices: [Device]
  public let eventCount: Int
  public let byteCount: Int64
  public let frontier: VectorClock
  public let conflictCount: Int
  /// The addresses of the remotes that it is replicated with.
  public let remotes: [String]
  /// The files in quarantine.
  public let quarantined: [String]
  public let firstDamage: JournalProblem?
  public let warnings: [JournalProblem]

  /// One writer.
  public struct Device: Sendable, Hashable {
    public let id: DeviceID
    public let name: String
    public let eventCount: Int
    /// `at` of its last event.
    public let last: Timestamp
  }
}

/// Turns layouts into events for a caller.
private struct ReplaySink: EventSink {
  let body: (Event, [UInt8]) -> Bool
  var isDone = false

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    hand(Event(layout, canonical: canonical), line)
  }

  mutating func applyRepeated(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    device: Int, ledger: Ledger
  ) {
    var event = Event(layout, canonical: canonical)
    event.isRepeated = true
    hand(event, line)
  }

  private mutating func hand(_ event: Event, _ line: Span<UInt8>) {
    if !isDone { isDone = !body(event, line.copy()) }
  }
}
