/// A reader for a journal's state, events, and health.
///
/// Only `repair` and `acceptLoss`, in the module `EventLogInspection`, append to the journal. All
/// other methods leave its bytes unchanged.
public struct Journal: Sendable {
  /// The path of the journal's file.
  public let path: String
  package let fileSystem: any FileSystem
  package let catalog: SchemaCatalog
  let usesCheckpoint: Bool
  /// The time that a reading waits for another process's append.
  package var lockWaitMilliseconds: Int32 = 5000
  /// The journal's user, if the journal itself doesn't determine one.
  let user: String?

  /// Creates a reader for a journal.
  ///
  /// The file is opened by the methods that read it.
  ///
  /// - Parameters:
  ///   - path: The path of the journal's file.
  ///   - catalog: The collections that a snapshot contains. Events of other collections aren't
  ///     shown.
  ///   - usesCheckpoint: Whether ``snapshot(at:includingDeleted:)`` and `status()` may begin with
  ///     the checkpoint that a store has left and read only the lines after it.
  ///   - user: The journal's user, in case it contains the events of several users and doesn't
  ///     determine one itself.
  public init(
    path: String, catalog: SchemaCatalog = SchemaCatalog(), usesCheckpoint: Bool = true,
    user: String? = nil
  ) {
    self.init(
      path: path, catalog: catalog, fileSystem: SystemFileSystem(),
      usesCheckpoint: usesCheckpoint, user: user)
  }

  /// Creates a reader for a journal on another file system.
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

  /// Reads all events and returns the state.
  ///
  /// A damaged journal can be read: the state contains every event that can be read, and
  /// ``Snapshot/damage`` lists what is missing.
  ///
  /// - Parameters:
  ///   - cut: The part of the journal to include, or `nil` for all of it.
  ///   - includingDeleted: Whether the snapshot also shows deleted entities.
  /// - Returns: The state, and the problems found in the file.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `noEvent` or `noDevice` if the journal
  ///   doesn't contain the event or device that `cut` refers to.
  /// - Complexity: O(*n*), where *n* is the size of the checkpoint and the lines after it. Without
  ///   a checkpoint, and for a cut, *n* is the size of the file, and a cut reads the file twice.
  ///   The memory used depends on the size of the state, not of the journal.
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
      // Lines after the checkpoint may have changed what candidates had seen.
      knowing: pass.restartCount == start.pass.restartCount ? start.bases : ConflictBases())
  }

  /// Returns the snapshot of a reading, with the bases of its conflicts.
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

  /// Checks every line and every event.
  ///
  /// If the check finds a problem, it discards the journal's checkpoints, so that later readings
  /// find the problem, too.
  ///
  /// - Throws: `noJournal`, `inputOutput`. A damaged journal isn't an error.
  /// - Complexity: O(*n*), where *n* is the size of the file.
  package func check() throws(EventLogError) -> JournalCheck {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let (pass, end) = try read(
      file, from: JournalPass(sink: RuleChecker(catalog)), refusingOthers: false,
      withoutRecord: "Without it, a check can't find out whether the end of the journal was cut"
        + " off. The events can be read.")
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    var report = pass.report
    let tail = tailProblems(end, isForeign: end.isForeign)
    report.problems += tail
    report.problemCount += tail.count
    var rules = pass.sink
    if rules.needsSecondReading {
      // A value may have been written before its key became a set.
      rules = rules.secondPass
      try JournalRereading(
        JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
        upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass
      ).read(into: &rules)
    }
    var counts = rules.counts
    let notes = (report.notes + rules.notes).sorted(by: JournalProblem.stands(_:before:))
    for case .note(let note) in report.notes.map(\.code) { counts[note, default: 0] += 1 }
    // A checkpoint would hide these problems from later readings.
    if !report.problems.isEmpty { side.removeCheckpoints() }
    let unkeptCount = pass.findings.noteCount - pass.findings.notes.count
    if unkeptCount > 0 { counts[.repeatedLine, default: 0] += unkeptCount }
    return JournalCheck(
      eventCount: pass.sink.eventCount, byteCount: end.size,
      deviceCount: pass.ledger.devices.indices.filter { pass.ledger.eventCount(of: $0) > 0 }.count,
      problems: report.problems, problemCount: report.problemCount,
      notes: notes, noteCounts: counts)
  }

  // MARK: - Reading

  /// The journal's user, and the number of valid events.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of the checkpoint and the lines after it, or of
  ///   the file if no checkpoint fits.
  package func contents() throws(EventLogError) -> (user: String?, eventCount: Int) {
    let meaning = "The device that writes here is unknown without it. The events can be read."
    return try readLatest(withoutRecord: meaning) { (pass, _, _) in
      (pass.ledger.user, pass.sink.eventCount)
    }
  }

  /// Passes on the current state while the file is open.
  ///
  /// - Parameter meaning: The consequence if `device.json` can't be read.
  package func readLatest<Result>(
    withoutRecord meaning: String,
    _ body: (JournalPass<Fold>, JournalReading.End, JournalFile) throws(EventLogError) -> Result
  ) throws(EventLogError) -> Result {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    var start = begin(file).pass
    start.sink.keepsPast = false
    let (pass, end) = try read(file, from: start, withoutRecord: meaning)
    return try body(pass, end, file)
  }

  /// Begins a reading of the state, after a checkpoint if one fits.
  func begin(_ file: JournalFile) -> (pass: JournalPass<Fold>, bases: ConflictBases) {
    if let (pass, stored) = stored(file) { return (pass, stored.bases ?? ConflictBases()) }
    return (JournalPass(sink: Fold(catalog)), ConflictBases())
  }

  /// The pass that continues after a checkpoint, if every byte that it covers is unchanged, so that
  /// new damage is found.
  func beginWhole(_ file: JournalFile) -> JournalPass<Fold>? {
    guard let (pass, stored) = stored(file),
      stored.checkpoint.origin.isWhole(in: file, fileSystem)
    else { return nil }
    return pass
  }

  /// The pass that continues after a checkpoint, and the stored state, or nil if none fits.
  private func stored(_ file: JournalFile) -> (pass: JournalPass<Fold>, StoredState)? {
    guard usesCheckpoint, let stored = StoredState(beside: file, catalog, fileSystem),
      var pass = try? stored.pass(stored.fold, blank: Fold(catalog), user: user)
    else { return nil }
    pass.sink.refs = nil
    return (pass, stored)
  }

  package func read<Sink: EventSink>(
    _ file: JournalFile, into sink: Sink
  ) throws(EventLogError) -> (JournalPass<Sink>, JournalReading.End) {
    try read(file, from: JournalPass(sink: sink))
  }

  /// Reads the journal together with `device.json`.
  ///
  /// The record is read first: read later, it could name events that the journal's reading missed.
  /// If the two still disagree or the end is doubtful, an append may be under way, so both are read
  /// again under the lock.
  ///
  /// - Parameter meaning: The effect of an unreadable record, for the error message; nil to read on
  ///   as if there were none.
  /// - Throws: `locked` if another process keeps the lock, so that an append can't be distinguished
  ///   from damage; `inputOutput` if the record can't be read, unless `meaning` is nil.
  package func read<Sink: EventSink>(
    _ file: JournalFile, from start: JournalPass<Sink>, refusingOthers: Bool = true,
    withoutRecord meaning: String? = nil
  ) throws(EventLogError) -> (JournalPass<Sink>, JournalReading.End) {
    let side = SideFolder(beside: path, fileSystem: fileSystem)
    let (identity, machine) = (
      DeviceRecord.FileIdentity(try file.status), fileSystem.machineIdentity()
    )
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    var (pass, end) = (start, JournalReading.End())
    pass.ledger.users.explicitUser = user
    pass.findings.acceptedDamage = side.acceptedDamage
    pass.findings.overwrites = side.overwrites
    func readOn() throws(EventLogError) {
      let record =
        if let meaning { try side.requireRecord(meaning: meaning) } else { side.readRecord() }
      end = try reading.read(
        into: &pass,
        record: record.flatMap { SideFolder.fits($0, identity, machine) ? $0 : nil })
      end.decision = .decide(record, machine: machine, file: identity, pass, end)
    }
    try readOn()
    let isDoubtful = end.doubtfulTail != nil || end.record != nil && end.decision.device == nil
    if isDoubtful {
      // A file system without locks has no writers to wait for.
      switch try? file.lock(exclusive: false, milliseconds: Int64(lockWaitMilliseconds)) {
      case true?:
        defer { file.unlock() }
        try readOn()
      case false?:
        throw .locked(
          path, milliseconds: Int64(lockWaitMilliseconds),
          meaning: "The end of the file is an append that is not finished, or damage.")
      case nil: break
      }
    }
    if refusingOthers { try pass.ledger.checkUser() }
    if refusingOthers, end.isForeign { throw JournalWriter<Sink>.notAJournal(path, end.record) }
    return (pass, end)
  }

  package func tailProblems(
    _ end: JournalReading.End, isForeign: Bool = false
  ) -> [JournalProblem] {
    if let tail = end.doubtfulTail {
      func reason(_ owner: String) -> String {
        end.tailReason.map { " (\(owner) first line \($0.clause))" } ?? ""
      }
      return [
        JournalProblem(
          code: .doubtfulTail, line: tail.number, byte: tail.offset,
          message: isForeign
            ? "The file contains no events\(reason("its")): it is not a journal, or nothing is left"
              + " of one. An append refuses it and does not change it."
            : "The last \(end.size - tail.offset) bytes are an interrupted append or"
              + " damage\(reason("their")). They do not count; the next append moves them to the"
              + " quarantine folder.",
          device: nil, sequence: nil)
      ]
    }
    return []
  }
}

/// A snapshot, and the problems found in the file that it was read from.
public struct JournalSnapshot: Sendable {
  /// The state of all events that can be read.
  public let snapshot: Snapshot
  /// The first problem in the file that is damage, or `nil` if there is none.
  public let firstDamage: JournalProblem?
  /// The number of problems in the file that are damage.
  public let damageCount: Int
  /// A warning if the end of the file may be a torn write.
  ///
  /// Empty otherwise.
  public let warnings: [JournalProblem]
}

/// The result of checking every line of a journal.
///
/// It contains at most 10,000 problems and notes of each kind.
package struct JournalCheck: Sendable {
  package let eventCount: Int
  /// The size of the file in bytes, without spaces that a writer keeps at its end for later lines.
  package let byteCount: Int64
  package let deviceCount: Int
  /// The problems found, in the order of the file.
  package let problems: [JournalProblem]
  package let problemCount: Int
  /// The findings that cause no loss, in the order of the file.
  package let notes: [JournalProblem]
  package let noteCounts: [JournalProblem.Note: Int]
}
