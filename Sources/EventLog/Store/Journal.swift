/// A journal to read from: its state, its events, its health. Nothing here changes a byte.
public struct Journal: Sendable {
  /// The journal's file.
  public let path: String
  let fileSystem: any FileSystem
  let catalog: SchemaCatalog
  let usesCheckpoint: Bool
  /// Whose journal it is, where nothing in it tells.
  let user: String?

  /// - Parameters:
  ///   - catalog: the collections that a snapshot rebuilds. Events of others do not show, and
  ///     ``verify()`` notes them as of unknown types.
  ///   - usesCheckpoint: whether ``snapshot(at:includingDeleted:)`` and ``status()`` may begin with
  ///     the checkpoint that a store has left, and read only what stands behind it.
  ///   - user: whose journal it is, where it holds the events of several and nothing in it tells.
  public init(
    path: String, catalog: SchemaCatalog = SchemaCatalog(), usesCheckpoint: Bool = true,
    user: String? = nil
  ) {
    self.init(
      path: path, catalog: catalog, fileSystem: SystemFileSystem(),
      usesCheckpoint: usesCheckpoint, user: user)
  }

  /// The same on another disk.
  package init(
    path: String, catalog: SchemaCatalog = SchemaCatalog(), fileSystem: any FileSystem,
    usesCheckpoint: Bool = true, user: String? = nil
  ) {
    self.path = path
    self.catalog = catalog
    self.fileSystem = fileSystem
    self.usesCheckpoint = usesCheckpoint
    self.user = user
  }

  /// Reads all events and rebuilds the state.
  ///
  /// What is damaged or missing costs nothing else: `snapshot.damage` says what it is.
  ///
  /// - Parameters:
  ///   - cut: the part of the journal to look back at; nil: all of it.
  ///   - includingDeleted: whether what is deleted is shown as well.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `noEvent` or `noDevice` for a cut that
  ///   names what the journal does not hold.
  /// - Complexity: O(checkpoint and what stands behind it), or O(file size) for a cut, and where no
  ///   checkpoint fits; memory by the state, not the journal. A cut takes one reading more.
  public func snapshot(
    at cut: Cut? = nil, includingDeleted: Bool = false
  ) throws(EventLogError) -> JournalSnapshot {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    if let cut {
      let limits = try resolve(cut, file).cut
      let (pass, end) = try read(file, into: CutSink(Fold(catalog), limits))
      var fold = pass.sink.inner
      fold.eventCount = pass.sink.eventCount
      let view = Snapshot.View(
        frontier: pass.sink.frontier(pass.ledger), limits: pass.sink.limits,
        includesDeleted: includingDeleted)
      return try state(pass, end, file, fold: fold, view, within: limits)
    }
    let start = begin(file)
    let (pass, end) = try read(file, from: start.pass)
    return try state(
      pass, end, file, fold: pass.sink, Snapshot.View(includesDeleted: includingDeleted),
      // What turned up behind the checkpoint may have changed what candidates had seen.
      knowing: pass.restartCount == start.pass.restartCount ? start.bases : ConflictBases())
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
    let report = pass.report
    let snapshot = Snapshot(
      fold: fold, ledger: pass.ledger, damage: report.problems, bases: bases, view: view)
    return JournalSnapshot(
      snapshot: snapshot, firstDamage: report.firstDamage, damageCount: report.problemCount,
      warnings: tailProblems(end))
  }

  /// Hands over the events of the file, or of a part of it, each behind all that it has seen and
  /// else in the order of the file, with their lines' bytes, until `body` returns false.
  ///
  /// - Throws: as ``snapshot(at:includingDeleted:)``.
  /// - Complexity: two readings: who belongs to the journal is known behind its last line only.
  public func replay(
    at cut: Cut? = nil, _ body: (Event, [UInt8]) -> Bool
  ) throws(EventLogError) -> ReplayResult {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (limits, users) = try resolve(cut ?? Cut(), file)
    return try withoutActuallyEscaping(body) { (body) throws(EventLogError) in
      let sink = CutSink(ReplaySink(body: body), limits)
      let (pass, end) = try read(file, from: JournalPass(sink: sink, users: users))
      let report = pass.report
      return ReplayResult(
        firstDamage: report.firstDamage, damageCount: report.problemCount,
        warnings: tailProblems(end))
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
    var report = pass.report
    let tail = tailProblems(end, isForeign: try isForeign(file, end))
    report.problems += tail
    report.problemCount += tail.count
    var counts = pass.sink.noteCounts
    if !pass.sink.setNames.isEmpty {
      // A register may have been written before its key became a set.
      fold.knownSets = pass.sink.setNames
      try JournalRereading(
        JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
        upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass
      ).read(into: &fold)
      (pass.sink.notes, counts) = (fold.notes, fold.noteCounts)
    }
    let notes = (report.notes + (pass.sink.notes ?? []))
      .sorted(by: JournalProblem.stands(_:before:))
    for case .note(let note) in report.notes.map(\.code) { counts[note, default: 0] += 1 }
    // What a checkpoint tells would hide from others what was just found.
    if !report.problems.isEmpty {
      SideFolder(beside: path, fileSystem: fileSystem).removeCheckpoint()
    }
    let unkeptCount = pass.findings.noteCount - pass.findings.notes.count
    if unkeptCount > 0 { counts[.repeatedLine, default: 0] += unkeptCount }
    return VerificationReport(
      eventCount: pass.sink.eventCount, byteCount: end.size,
      deviceCount: pass.ledger.devices.indices.filter { pass.ledger.eventCount(of: $0) > 0 }.count,
      problems: report.problems, problemCount: report.problemCount,
      notes: notes, noteCounts: counts)
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
    // Under which ID the next append will write.
    let decision = DeviceDecision.decide(
      try side.requireRecord(), machine: fileSystem.machineIdentity(), file: .init(try file.status),
      pass,
      end)
    let report = pass.report
    let devices = ledger.devices.indices.filter { ledger.eventCount(of: $0) > 0 }.map { index in
      JournalStatus.Device(
        id: DeviceID(trusted: ledger.names.text(index)), name: ledger.name(of: index),
        eventCount: ledger.eventCount(of: index),
        last: Timestamp(trusted: ledger.lastAt(of: index)))
    }
    return JournalStatus(
      user: ledger.user, device: decision.device, notice: decision.reason?.sentence,
      devices: devices.sorted { $0.id < $1.id }, eventCount: pass.sink.eventCount,
      byteCount: end.size, frontier: ledger.frontier, forks: ledger.forks,
      missing: ledger.unacknowledgedRanges,
      conflictCount: pass.sink.openConflicts(ledger).count, remotes: try side.remotes,
      quarantined: try side.quarantined, firstDamage: report.firstDamage,
      damageCount: report.problemCount, warnings: tailProblems(end))
  }

  // MARK: - Reading

  /// Where a reading of the state may begin: behind a checkpoint, if there is one that fits.
  func begin(_ file: JournalFile) -> (pass: JournalPass<Fold>, bases: ConflictBases) {
    if usesCheckpoint, let stored = StoredState(beside: file, catalog, fileSystem),
      var pass = try? stored.pass(stored.fold, blank: Fold(catalog), user: user)
    {
      pass.sink.refs = nil
      return (pass, stored.bases ?? ConflictBases())
    }
    return (JournalPass(sink: Fold(catalog)), ConflictBases())
  }

  func read<Sink: EventSink>(
    _ file: JournalFile, into sink: Sink, refusingOthers: Bool = true
  ) throws(EventLogError) -> (JournalPass<Sink>, JournalReading.End) {
    try read(file, from: JournalPass(sink: sink), refusingOthers: refusingOthers)
  }

  func read<Sink: EventSink>(
    _ file: JournalFile, from start: JournalPass<Sink>, refusingOthers: Bool = true
  ) throws(EventLogError) -> (JournalPass<Sink>, JournalReading.End) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    var pass = start
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    let identity = DeviceRecord.FileIdentity(try file.status)
    let record = side.fittingRecord(of: identity)
    pass.ledger.users.given = user
    pass.findings.acceptedDamage = side.acceptedDamage
    var end = try reading.read(into: &pass, record: record)
    // A batch that is just being written looks like a doubtful end: with the lock, it is whole.
    if end.doubtfulTail != nil, (try? file.lock(exclusive: false, milliseconds: 5000)) == true {
      defer { file.unlock() }
      end = try reading.read(into: &pass, record: record)
    }
    if refusingOthers { try pass.ledger.checkUser() }
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
}

/// A snapshot with what was found in the file it was read from.
public struct JournalSnapshot: Sendable {
  /// The state, of all that can be read.
  public let snapshot: Snapshot
  /// The first damage in the file's order.
  public let firstDamage: JournalProblem?
  /// How much damage there is.
  public let damageCount: Int
  /// A doubtful end.
  public let warnings: [JournalProblem]
}

/// What a replay found besides events.
public struct ReplayResult: Sendable, Hashable {
  /// The first damage in the file's order; events may be missing because of it.
  public let firstDamage: JournalProblem?
  /// How much damage there is.
  public let damageCount: Int
  /// A doubtful end.
  public let warnings: [JournalProblem]
}

/// What a check of every line found.
public struct VerificationReport: Sendable {
  /// How many events count.
  public let eventCount: Int
  /// The size of the file.
  public let byteCount: Int64
  /// How many devices have written events that are held.
  public let deviceCount: Int
  /// What is missing or counts for nothing, in the file's order; at most 10,000 of a sort are kept.
  public let problems: [JournalProblem]
  /// How many there are.
  public let problemCount: Int
  /// What costs nothing: lines that stand twice, forks, dead bytes, acknowledged losses, and events
  /// that are sound and change no field here. At most 10,000 of a sort are kept.
  public let notes: [JournalProblem]
  /// How many there are of each sort.
  public let noteCounts: [JournalProblem.Note: Int]
}

/// Who has written what in a journal.
public struct JournalStatus: Sendable {
  /// Whose journal it is; nil where nothing tells.
  public let user: String?
  /// Under which ID this copy writes; nil where the next append takes a fresh one.
  public let device: DeviceID?
  /// Why it takes a fresh one, in a sentence for the person whose journal it is; nil where there is
  /// nothing to say.
  public let notice: String?
  /// All writers of events that are held.
  public let devices: [Device]
  /// How many events count.
  public let eventCount: Int
  /// The size of the file.
  public let byteCount: Int64
  /// The tips of all histories.
  public let frontier: VectorClock
  /// Device IDs under which two copies have written; both histories count.
  package let forks: [JournalFork]
  /// What is missing, and nobody has acknowledged to be lost.
  public let missing: [EventRange]
  /// How many conflicts are open.
  public let conflictCount: Int
  /// The addresses of the remotes that it is replicated with.
  public let remotes: [String]
  /// The files in quarantine.
  public let quarantined: [String]
  /// The first damage in the file's order.
  public let firstDamage: JournalProblem?
  /// How much damage there is.
  public let damageCount: Int
  /// A doubtful end.
  public let warnings: [JournalProblem]

  /// One writer.
  public struct Device: Sendable, Hashable {
    /// What its events name as their device.
    public let id: DeviceID
    /// What the device called itself when it joined.
    public let name: String
    /// How many of its events count.
    public let eventCount: Int
    /// `at` of its last event.
    public let last: Timestamp
  }
}

/// Turns layouts into events for a caller.
private struct ReplaySink: EventSink {
  let body: (Event, [UInt8]) -> Bool
  var isDone = false
  private var delivered = DeliveredEvents()

  init(body: @escaping (Event, [UInt8]) -> Bool) { self.body = body }

  /// What was handed over stays so.
  mutating func restart(_ blank: ReplaySink) {}

  mutating func apply(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition,
    branch: Int, ledger: Ledger
  ) {
    if isDone { return }
    let event = Event(layout, canonical: canonical)
    if delivered.add(event.fullID) { isDone = !body(event, line.copy()) }
  }
}
