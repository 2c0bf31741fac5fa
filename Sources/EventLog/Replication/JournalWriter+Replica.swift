extension JournalWriter {
  /// Reads to the end of the journal and syncs it, including lines of other processes, before
  /// anything is sent.
  ///
  /// - Throws: `noJournal` if there is none; `notAJournal`, `locked`, `inputOutput`, `syncFailed`,
  ///   `userNeeded`.
  func syncToDisk() throws(EventLogError) {
    guard try fileExists else {
      try reader.checkIsThere()
      reset()
      throw EventLogError(
        .noJournal, "There is no journal at \"\(path)\".", hint: "Check the path.",
        at: .init(file: path))
    }
    do throws(EventLogError) {
      // Under the lock, this rewrites lines that a failed sync may have lost.
      note(try commit { (_) throws(EventLogError) in })
    } catch {
      // A read-only journal is still a source.
      guard error.isForReadersOnly else { throw error }
      _ = try refresh()
    }
    guard syncedOffset < pass.endOffset, let file = reader.file else { return }
    do throws(Errno) { try fileSystem.sync(file.descriptor) } catch {
      throw .inputOutput(
        "sync", path, error,
        meaning: "Its last lines may not be on the disk yet; nothing was sent.")
    }
    syncedOffset = pass.endOffset
  }

  /// Reads the journal like ``syncToDisk()``, or without changes in a dry run.
  ///
  /// - Throws: The errors of ``syncToDisk()`` except `noJournal`.
  func open(dryRun isDryRun: Bool) throws(EventLogError) -> ReplicaState {
    do throws(EventLogError) {
      if isDryRun { _ = try refresh() } else { try syncToDisk() }
    } catch {
      guard error.code == .noJournal else { throw error }
    }
    try pass.ledger.checkUser()
    return ReplicaState(
      statement: pass.ledger.statement, device: sameDevice ?? foreseen.device, ledger: pass.ledger,
      damage: pass.report.firstDamage, devicesMax: options.devicesMax)
  }

  private var fileExists: Bool {
    get throws(EventLogError) {
      do throws(Errno) { _ = try fileSystem.status(at: path) } catch {
        if error == .noSuchFile { return false }
        throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
      }
      return true
    }
  }

  /// The user of the journal.
  ///
  /// If the journal hasn't been read yet, only its first line is read. Nil if that line doesn't
  /// name the user.
  var owner: String? {
    get throws(EventLogError) {
      if let user = pass.ledger.user { return user }
      guard try fileExists else { return nil }
      let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
      defer { file.close() }
      var finder = OwnerFinder()
      var reader = LineReader()
      var scanner = LineScanner()
      do throws(Errno) {
        try reader.readLines(
          of: file.descriptor, in: fileSystem, scanner: &scanner, into: &finder)
      } catch {
        throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
      }
      return finder.user
    }
  }

  /// Discards the reading and the checkpoints, because the file no longer contains those lines.
  ///
  /// The next reading then finds the damage.
  package func distrust() {
    side.removeCheckpoints()
    reader.distrust()
  }

  /// Returns a source of the lines of some ranges, which reads them from a separate descriptor on
  /// `worker`.
  ///
  /// - Parameter onChange: Called if the file no longer contains the lines.
  func source(
    _ ranges: [EventRange], on worker: SerialWorker, onChange: @escaping @Sendable () -> Void
  ) throws(EventLogError) -> any LineSource {
    let source = try reader.openAgain(.read)
    return JournalLineSource(
      RangeReader(
        ranges, path: path, file: source.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
        size: end.lacksLineFeed ? end.size : pass.endOffset),
      of: source, on: worker, onChange: onChange)
  }

  /// Appends received lines durably.
  func receive(
    _ lines: LineBatch, from user: String?, on filter: ReceiveFilter
  ) throws(EventLogError) -> ReceiveResult {
    var result = ReceiveResult()
    note(
      try expecting(user: user) { () throws(EventLogError) in
        try commit { (batch) throws(EventLogError) in
          result = try batch.receive(lines.bytes, on: filter)
        }
      })
    return result
  }

  /// Retires this journal's device ID if other devices refer to events of it that aren't held here.
  ///
  /// - Returns: The reason, or nil if the ID isn't retired now.
  package func notice(
    _ events: [FullEventID], dryRun isDryRun: Bool
  ) throws(EventLogError) -> DeviceDecision.Reason? {
    guard let device = foreseen.device, lacksOwn(events, of: device) else { return nil }
    if isDryRun { return .duplicateWriter }
    var isRetired = false
    try whileLocked { (writer) throws(EventLogError) in
      // Events that another process has appended since then don't count.
      guard writer.sameDevice == device, writer.lacksOwn(events, of: device) else { return }
      try writer.identity.retire(.duplicateWriter)
      isRetired = true
    }
    return isRetired ? .duplicateWriter : nil
  }

  private func lacksOwn(_ events: [FullEventID], of device: DeviceID) -> Bool {
    let ledger = pass.ledger
    let gaps = ledger.missingRanges.filter { $0.device == device }
    return events.contains { event in
      event.device == device && ledger.locate(event) == nil
        // Events that are known to be missing here may come back.
        && !gaps.contains { $0.first <= event.sequence && event.sequence < $0.last }
    }
  }
}

extension EventLogError {
  /// Whether the file can be read but not written.
  package var isForReadersOnly: Bool { cause == .permissionDenied || cause == .readOnlyFileSystem }
}

/// Determines the user of a journal from its first line.
private struct OwnerFinder: LineSink {
  var user: String?
  var isStopped = false

  mutating func event(
    _ layout: LineLayout, canonical: Span<UInt8>, line: Span<UInt8>, at position: LinePosition
  ) {
    user = Joining(layout, canonical).map { String(decoding: $0.user, as: UTF8.self) }
    isStopped = true
  }

  mutating func fault(_ fault: LineFault, line: Span<UInt8>, at position: LinePosition) {
    isStopped = true
  }
}
