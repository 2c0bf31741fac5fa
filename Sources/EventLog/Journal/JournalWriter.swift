/// Appends to a journal, one batch at a time, under the lock.
///
/// It blocks on the disk and must not be used from two threads at once. The events that it writes
/// pass through the same scanner, ledger and sink as those that it reads.
package final class JournalWriter<Sink: EventSink> {
  package let path: String
  private(set) var options: JournalOptions
  package let side: SideFolder
  /// The reading of the journal.
  let reader: JournalReader<Sink>
  /// The device ID and the record.
  var identity: WriterIdentity
  var syncState = SyncState.synced { didSet { syncState.checkInvariants(after: oldValue) } }
  /// The offset up to which this writer knows the file to be synced.
  var syncedOffset: Int64 = 0
  /// The numbers of statements and erased events with nothing left, until another process writes.
  var handledErasures = [0, 0]
  private var madeFile = false
  /// The batch of the last commit, whose memory the next one reuses.
  private var spareBatch: JournalBatch<Sink>?
  /// The notices of commits that don't return them to a caller.
  private var pendingNotices: [String] = []

  package init(path: String, options: JournalOptions, sink: Sink) {
    self.path = path
    self.options = options
    side = SideFolder(beside: path, fileSystem: options.fileSystem)
    reader = JournalReader(path: path, options: options, side: side, sink: sink)
    identity = WriterIdentity(side)
    reader.reset()
  }

  deinit { reader.close() }

  /// The reading, including what was written.
  package var pass: JournalPass<Sink> {
    _read { yield reader.pass }
    _modify { yield &reader.pass }
  }
  /// Whether ``pass`` is a state of the journal.
  ///
  /// False after a failed reading or commit until the next reading.
  package var isWhole: Bool { reader.isWhole }
  package var end: JournalReading.End { reader.end }
  /// The number of times that the reading was reset.
  package var resetCount: Int { reader.resetCount }
  /// The number of times that lines of others were read.
  var readingCount = 0
  /// Called whenever a reading starts from the beginning.
  ///
  /// See ``JournalReader``.
  package var checkpoint: ((JournalFile) -> JournalPass<Sink>?)? {
    get { reader.checkpoint }
    set { reader.checkpoint = newValue }
  }
  var fileSystem: any FileSystem { options.fileSystem }
  /// The decision for the next append, as far as a reading without the lock can determine it.
  package var foreseen: DeviceDecision { identity.foreseen }
  var sameDevice: DeviceID? { identity.device }

  /// The effects of a commit besides appending.
  package struct Outcome: Sendable {
    package var events: [EventID] = []
    /// Whether anything was written.
    package var wrote = false
    /// The file to which bytes of a doubtful end were moved.
    package var quarantined: String?
    package var quarantinedBytes: Int64 = 0
    /// The reason for a fresh device ID.
    package var freshDevice: DeviceDecision.Reason?
    /// The sync that makes everything that this writer has written durable, or nil if the caller
    /// didn't request it, or nothing has to be synced.
    package var sync: SyncJob?

    /// The notice about quarantined bytes.
    package func quarantineNotice(of journal: String) -> String? {
      quarantined.map {
        "The last \(quarantinedBytes) bytes of \(journal) were an interrupted append or damage."
          + " They were moved to \"\($0)\"."
      }
    }
  }

  /// Keeps the notices of a commit that doesn't return them to a caller, for ``takeNotices()``.
  package func note(_ outcome: Outcome) {
    if let sentence = outcome.quarantineNotice(of: "\"\(path)\"") {
      pendingNotices.append(sentence)
    }
    if let sentence = outcome.freshDevice?.sentence { pendingNotices.append(sentence) }
  }

  /// Returns and clears the pending quarantine notices.
  package func takeNotices() -> [String] {
    defer { pendingNotices = [] }
    if awaitsAgreement {
      pendingNotices.append(
        "\(pass.unerased.count) events, most of \"\(path)\", were erased on another device. They"
          + " have no effect anymore, but their contents are kept here until you agree: with the"
          + " option --agree of erase, or agreeToErasures() in an app.")
    }
    guard let tail = end.doubtfulTail else { return pendingNotices }
    return pendingNotices + [
      "The last \(end.size - tail.offset) bytes of \"\(path)\" are an interrupted append or damage."
        + " They do not count; the next append moves them to the quarantine folder."
    ]
  }

  /// Runs `body` with a user whose events it may receive into a new journal.
  ///
  /// Resets the user if it fails.
  func expecting<Value>(
    user: String?, _ body: () throws(EventLogError) -> Value
  ) throws(EventLogError) -> Value {
    guard let user, options.user == nil, isWhole, pass.ledger.user == nil else { return try body() }
    options.user = user
    do throws(EventLogError) { return try body() } catch {
      options.user = nil
      throw error
    }
  }

  /// A batch that is never written, for examining the effect of events.
  func dryRunBatch() -> JournalBatch<Sink> {
    JournalBatch(
      pass: pass, path: path, device: sameDevice, options: options,
      start: reader.writeOffset, startLine: writeLineNumber)
  }

  /// The line number of the next append.
  private var writeLineNumber: Int { pass.nextLineNumber + (end.lacksLineFeed ? 1 : 0) }

  /// Returns a batch that continues the reading and owns it, so that its arrays are changed in
  /// place.
  private func takeBatch(from file: JournalFile) -> JournalBatch<Sink> {
    let (start, startLine) = (reader.writeOffset, writeLineNumber)
    var batch =
      spareBatch.take()
      ?? JournalBatch(
        pass: JournalPass(sink: blank), path: path, device: nil, options: options, start: 0,
        startLine: 1)
    reader.lend {
      batch.begin(
        with: &$0, device: sameDevice, options: options, start: start, startLine: startLine)
    }
    batch.recordedDevice = identity.record?.device
    batch.continuedDevice = identity.continued
    if sameDevice == nil {
      batch.lost = identity.lost(from: batch.pass.ledger)
    } else {
      batch.allSeenLineCount = reader.allSeenLineCount
    }
    batch.fetcher = LineFetcher(of: file.descriptor, in: fileSystem)
    return batch
  }

  /// Discards the reading.
  func reset() {
    reader.reset()
    identity.reset()
    syncedOffset = 0
  }

  /// A sink without events.
  var blank: Sink { reader.blank }
  /// A pass that has read nothing.
  var emptyPass: JournalPass<Sink> { reader.emptyPass }

  // MARK: - Committing

  /// Reads the journal to its end under the lock, runs `prepare`, and writes the events that it
  /// adds.
  ///
  /// - Parameter durably: Whether to sync before returning. If not, the lines survive a crash of
  ///   the process but not of the machine, until ``sync()`` or the next durable commit. The first
  ///   batch of a fresh device is always synced.
  /// - Throws: The error of `prepare`, with the journal unchanged; `locked`; `syncFailed` if the
  ///   sync failed. In that case, the batch may not survive a power loss, and the writer refuses
  ///   all later commits.
  @discardableResult
  package func commit(
    durably: Bool = true,
    _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome {
    let outcome = try write(durably: durably, prepare)
    if let sync = outcome.sync { try finish(sync, failure: sync.run()) }
    return outcome
  }

  /// Commits like ``commit(durably:_:)`` up to the sync.
  ///
  /// If ``Outcome/sync`` isn't nil, the lock is kept. The caller has to run the sync and then call
  /// ``finish(_:failure:)``. Until then, only ``writeAtOnce(durably:_:)`` may be called.
  package func write(
    durably: Bool = true,
    _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome {
    try checkSync()
    let (file, status) = try openLocked()
    defer { unlock(file) }
    do throws(EventLogError) { try readOn(file, status) } catch {
      removeIfUnused(file)
      throw error
    }
    return try write(to: file, durably: durably, prepare)
  }

  /// Writes like ``write(durably:_:)``, but only if nothing has to be waited for: no other process
  /// holds the lock or has written anything.
  ///
  /// - Returns: Nil if something has to be waited for. In that case, nothing was done.
  package func writeAtOnce(
    durably: Bool, _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome? {
    if case .failed = syncState { return nil }
    guard sameDevice != nil, let file = reader.file, file.isWritable,
      syncState.isSyncing || (try? file.lock(exclusive: true, milliseconds: 0)) == true
    else { return nil }
    defer { unlock(file) }
    guard let status = file.currentStatus, isCurrent(file, status) else { return nil }
    return try write(to: file, durably: durably, prepare)
  }

  /// Runs `prepare` under the lock and after reading, then writes the events that it adds.
  private func write(
    to file: JournalFile, durably: Bool,
    _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome {
    var batch = takeBatch(from: file)
    let outcome: Outcome
    do throws(EventLogError) {
      try prepare(&batch)
      outcome = try write(&batch, to: file, durably: durably)
    } catch {
      if batch.bytes.isEmpty {
        reader.takeBack(&batch.pass, isWritten: false)
      } else if !reader.isWhole {
        // The events of the batch were applied, and written in part at most.
        reader.markBroken()
      }
      removeIfUnused(file)
      throw error
    }
    if !outcome.wrote { removeIfUnused(file) }
    spareBatch = consume batch
    return outcome
  }

  /// Runs `body` under the lock, with the journal read to its end.
  func whileLocked(
    _ body: (JournalWriter) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    try checkSync()
    let (file, status) = try openLocked()
    defer { unlock(file) }
    try readOn(file, status)
    try body(self)
  }

  // MARK: - File

  private func openLocked() throws(EventLogError) -> (JournalFile, FileStatus) {
    while true {
      if let file = reader.file, !file.isWritable {
        try reader.closeIfReplaced()
        reader.close()
      }
      let isOpen = reader.file != nil
      let file = try reader.open(options.user == nil ? .readWrite : .create)
      if !isOpen { madeFile = file.isNew }
      let status = try file.lockCurrent(
        milliseconds: options.lockWaitMilliseconds, meaning: "Nothing was appended.")
      if let status { return (file, status) }
      reader.close()
      reader.distrust()
    }
  }

  /// Releases the lock, unless a sync is running, which keeps it.
  ///
  /// Closes the file if that fails, because that releases it too.
  func unlock(_ file: JournalFile) {
    if syncState.isSyncing || file.unlock() { return }
    reader.close()
    reader.distrust()
  }

  // MARK: - Writing

  private func write(
    _ batch: inout JournalBatch<Sink>, to file: JournalFile, durably: Bool
  ) throws(EventLogError) -> Outcome {
    var outcome = Outcome(events: batch.events)
    if batch.hasDuplicateWriter { try identity.retire(.duplicateWriter) }
    guard !batch.bytes.isEmpty else {
      reader.takeBack(&batch.pass, isWritten: false)
      if durably, syncState.isOwed { outcome.sync = beginSync(of: file) }
      return outcome
    }
    let mustSync = durably || sameDevice == nil
    let bytes = end.lacksLineFeed ? [0x0A] + batch.bytes : batch.bytes
    let offset = end.lacksLineFeed ? batch.start - 1 : batch.start
    if let tail = end.doubtfulTail { try quarantine(tail, of: file, &outcome) }
    if case .fresh(let reason) = identity.decision, batch.device != nil {
      outcome.freshDevice = reason
    }
    let writer = batch.hasDuplicateWriter ? nil : batch.device
    do throws(EventLogError) {
      try identity.forgetSynced(from: offset)
      try prepareRecord(for: writer, file)
      try write(bytes, at: offset, file)
    } catch {
      throw outcome.quarantined == nil
        ? error
        : error.afterChanges(
          "Nothing was appended; its damaged end was moved to the quarantine folder.")
    }
    reader.takeBack(&batch.pass, isWritten: true)
    reader.allSeenLineCount = batch.allSeenLineCount
    pass.endOffset = offset + Int64(bytes.count)
    syncState.noteWritten()
    madeFile = false
    reader.end = JournalReading.End()
    reader.end.size = pass.endOffset
    if let writer {
      identity.wrote(writer, pass.ledger)
      pass.ledger.users.ownDevice = writer
    }
    outcome.wrote = true
    if mustSync { outcome.sync = beginSync(of: file) }
    // Received events have changed the clocks of earlier lines, so the journal has to be reread.
    if pass.ledger.mustReread { reader.markBroken() } else { reader.finish(file, after: bytes) }
    if !mustSync { try rereadIfNeeded(file) }
    return outcome
  }

  /// Reads the journal again if the written events have changed the clocks of earlier lines, and
  /// overwrites what they erase.
  func rereadIfNeeded(_ file: JournalFile) throws(EventLogError) {
    guard pass.ledger.mustReread else {
      // The events are written. The next commit tries again.
      do throws(EventLogError) { try overwriteErased(file) } catch {
        pendingNotices.append(error.message)
      }
      return
    }
    do throws(EventLogError) { try readOn(file, try file.status) } catch {
      throw error.afterChanges("The written events are kept.")
    }
  }

  /// Moves a doubtful end to quarantine.
  ///
  /// Its sequences must not be used again even if a later step fails, so the record is retired
  /// before the file is cut. The cut is synced before the record names another device, because only
  /// the old record distinguishes such an end from damage.
  private func quarantine(
    _ tail: LinePosition, of file: JournalFile, _ outcome: inout Outcome
  ) throws(EventLogError) {
    outcome.quarantinedBytes = end.size - tail.offset
    outcome.quarantined = try side.quarantine(
      file.descriptor, from: tail.offset, to: end.size,
      at: Timestamp(milliseconds: options.clock.now()) ?? Timestamp(trusted: 0))
    if identity.decision == .fresh(.doubtfulTail) { try identity.retire(.doubtfulEnd) }
    do throws(Errno) {
      try fileSystem.truncate(file.descriptor, to: tail.offset)
      try fileSystem.sync(file.descriptor)
    } catch {
      throw .inputOutput("cut", path, error, meaning: "Nothing was appended.")
    }
  }

  /// Writes the record of a fresh device durably before its first batch: if the batch is torn, or
  /// its sync fails, the record shows which lines are in doubt.
  ///
  /// From then on, an older record does that as well, so it is never synced again.
  ///
  /// Lines of the previous device are synced first: a failed sync could drop them, and the fresh
  /// device's record wouldn't show it.
  private func prepareRecord(
    for device: DeviceID?, _ file: JournalFile
  ) throws(EventLogError) {
    guard let device, sameDevice == nil || identity.record == nil else { return }
    if syncState.isOwed {
      do throws(Errno) { try fileSystem.sync(file.descriptor) } catch {
        throw failed(error)
      }
    }
    var record = DeviceRecord(
      device: device, machine: fileSystem.machineIdentity(),
      file: .init(try file.status), sequence: 0, checksum: LineChecksum(before: 0, chain: 0))
    record.syncedOffset = identity.syncedOffset
    record.past = identity.fitting?.written.suffix(DeviceRecord.pastMax) ?? []
    try identity.replace(record)
  }

  private func write(
    _ bytes: [UInt8], at offset: Int64, _ file: JournalFile
  ) throws(EventLogError) {
    do throws(Errno) {
      // Blank bytes may follow the last line.
      if end.doubtfulTail == nil, end.size > offset {
        try fileSystem.truncate(file.descriptor, to: offset)
      }
      try fileSystem.writeAll(file.descriptor, bytes, at: offset)
    } catch {
      let isCut = (try? fileSystem.truncate(file.descriptor, to: offset)) != nil
      throw .inputOutput(
        "append to", path, error,
        meaning: isCut
          ? "Nothing was appended; the journal is unchanged."
          : "A part was written and could not be removed: check before you append again.",
        hint: error == .noSpace || error == .quotaExceeded
          ? "Free some disk space, then append again." : nil)
    }
  }

  /// Removes the file if this writer created it and has written nothing.
  ///
  /// It stays open and locked until the commit ends. The next commit detects that it is gone.
  private func removeIfUnused(_ file: JournalFile) {
    guard madeFile, let size = try? file.status.size, size == 0, file.isCurrent else { return }
    try? fileSystem.remove(path)
    madeFile = false
  }

  /// - Parameter record: The record that was made for this file, if there is one.
  package static func notAJournal(_ path: String, _ record: DeviceRecord?) -> EventLogError {
    if let event = record?.event {
      return EventLogError(
        .notAJournal,
        "\"\(path)\" contains no valid line, although \(event.shortID) was written to it: its"
          + " content was damaged or replaced. It was not changed.",
        hint: "Restore it from a copy, or move it away and sync a new journal with another device.",
        at: .init(file: path))
    }
    return EventLogError(
      .notAJournal, "\"\(path)\" is not a journal: it contains no events. It was not changed.",
      hint: "Check the path.", at: .init(file: path))
  }
}
