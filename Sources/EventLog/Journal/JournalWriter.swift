/// Appends to a journal: one batch at a time, under the lock, durable when the call returns.
///
/// It waits for the disk and is not safe to use from two threads at once; ``CommitQueue`` gives
/// many callers their turn. The events that it writes go through the same scanner, ledger and sink
/// as those that it reads.
package final class JournalWriter<Sink: EventSink> {
  package let path: String
  private(set) var options: JournalOptions
  let side: SideFolder
  /// How far it has read.
  let reader: JournalReader<Sink>
  /// Who it is.
  var identity: WriterIdentity
  private var syncFailure: Errno?
  /// Up to here the file is synced, as far as this writer has seen to it itself.
  var syncedOffset: Int64 = 0
  /// What this writer has written and not synced.
  var buffered: Buffered?
  /// Whether lines were written and not synced, also where what was read was forgotten since.
  var owesSync = false
  private var madeFile = false
  var room = PreparedRoom()
  /// The record's file as the last commit left it, with nothing left to read, decide or write
  /// again; nil where that is not known.
  var left: FileStatus?
  /// The batch of the last commit, whose memory the next one takes.
  private var spareBatch: JournalBatch<Sink>?
  /// What was put aside by commits that tell nobody.
  private var asides: [String] = []

  package init(path: String, options: JournalOptions, sink: Sink) {
    self.path = path
    self.options = options
    side = SideFolder(beside: path, fileSystem: options.fileSystem)
    reader = JournalReader(path: path, options: options, side: side, sink: sink)
    identity = WriterIdentity(side)
    reader.reset()
  }

  deinit { reader.close() }

  /// What was read and written so far.
  package var pass: JournalPass<Sink> {
    _read { yield reader.pass }
    _modify { yield &reader.pass }
  }
  /// Whether ``pass`` is what the journal held at some time: not after a reading or a commit broke
  /// off, until the next reading.
  package var isWhole: Bool { reader.isWhole }
  package var end: JournalReading.End { reader.end }
  /// How often what was read was forgotten.
  package var resetCount: Int { reader.resetCount }
  /// Called whenever a reading begins anew; see ``JournalReader``.
  package var checkpoint: ((JournalFile) -> JournalPass<Sink>?)? {
    get { reader.checkpoint }
    set { reader.checkpoint = newValue }
  }
  var fileSystem: any FileSystem { options.fileSystem }
  /// What the next append would decide, as far as a reading without the lock can tell.
  package var foreseen: DeviceDecision { identity.foreseen }
  var sameDevice: DeviceID? { identity.device }

  struct Buffered {
    /// Where its lines stand.
    let range: Range<Int64>
    /// The sequence of the last own event before them; 0 if there was none.
    let sequence: Int64
  }

  /// What a commit did besides appending.
  package struct Outcome: Sendable {
    package var events: [EventID] = []
    /// Whether anything was written.
    package var wrote = false
    /// Where bytes from a doubtful end were put.
    package var quarantined: String?
    package var quarantinedBytes: Int64 = 0
    /// Why a fresh device ID was taken, where there is something to say.
    package var freshDevice: DeviceDecision.Reason?
    /// Whether all that this writer has written is synced.
    package var isDurable = true

    /// What was put aside, and where.
    package func asideSentence(of journal: String) -> String? {
      quarantined.map {
        "The last \(quarantinedBytes) bytes of \(journal) were an interrupted append or damage."
          + " They were moved to \"\($0)\"."
      }
    }
  }

  /// Takes note of what a commit did that answers to nobody, for ``takeAsides()``.
  func note(_ outcome: Outcome) {
    if let sentence = outcome.asideSentence(of: "\"\(path)\"") { asides.append(sentence) }
    if let sentence = outcome.freshDevice?.sentence { asides.append(sentence) }
  }

  /// Sentences about what was put aside since they were taken last, and about what will be.
  func takeAsides() -> [String] {
    defer { asides = [] }
    guard let tail = end.doubtfulTail else { return asides }
    return asides + [
      "The last \(end.size - tail.offset) bytes of \"\(path)\" are an interrupted append or damage."
        + " They do not count; the next append moves them to the quarantine folder."
    ]
  }

  /// Has `body` take events of a user, where nobody has said yet whose events are to come: a
  /// journal may be made for them. If it fails, nobody has said so.
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

  /// A batch that is never written, to try out what one would come to.
  func dryRunBatch() -> JournalBatch<Sink> {
    JournalBatch(
      pass: pass, path: path, device: sameDevice, options: options,
      start: reader.writeOffset, startLine: writeLineNumber)
  }

  /// The number of the line that an append would write first.
  private var writeLineNumber: Int { pass.nextLineNumber + (end.lacksLineFeed ? 1 : 0) }

  /// A batch that goes on behind what was read, and owns it: so its arrays are changed in place.
  private func takeBatch(from file: JournalFile) -> JournalBatch<Sink> {
    let (start, startLine) = (reader.writeOffset, writeLineNumber)
    var batch =
      spareBatch.take()
      ?? JournalBatch(
        pass: JournalPass(sink: blank), path: path, device: nil, options: options, start: 0,
        startLine: 1)
    reader.isWhole = false
    batch.begin(
      with: &reader.pass, device: sameDevice, options: options, start: start, startLine: startLine)
    batch.recordedDevice = identity.record?.device
    batch.continuedDevice = identity.continued
    if sameDevice == nil { batch.lost = identity.lost(from: batch.pass.ledger) }
    batch.fetcher = LineFetcher(of: file.descriptor, in: fileSystem)
    return batch
  }

  /// Takes back what was read, with what the batch added.
  private func giveBack(_ batch: inout JournalBatch<Sink>) {
    swap(&reader.pass, &batch.pass)
    reader.isWhole = true
  }

  /// Forgets what was read.
  func reset() {
    reader.reset()
    identity.reset()
    syncedOffset = 0
    (buffered, left) = (nil, nil)
  }

  /// A sink that has taken nothing.
  var blank: Sink { reader.blank }
  /// A pass that has read nothing.
  var emptyPass: JournalPass<Sink> { reader.emptyPass }

  // MARK: - Committing

  /// Runs `prepare` with the journal read to its end and locked, then writes what it added.
  ///
  /// - Parameters:
  ///   - durably: whether to sync before returning; else what was written waits, safe from a crash
  ///     of the process but not of the machine, for ``sync()`` or the next durable commit. The
  ///     first batch of a fresh device is always synced.
  ///   - written: called with the outcome once the batch is written, before it is synced.
  /// - Throws: what `prepare` throws, with the journal as it was; `locked`; `syncFailed` if the
  ///   last step failed, after which the writer refuses further commits: whether the batch survives
  ///   a power loss is then unknown.
  package func commit(
    durably: Bool = true, written: (Outcome) -> Void = { _ in },
    _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome {
    if let syncFailure { throw Self.syncFailed(path, syncFailure) }
    let (file, status) = try openLocked()
    defer { unlock(file) }
    do throws(EventLogError) { try readOn(file, status) } catch {
      left = nil
      removeIfUnused(file)
      throw error
    }
    return try commit(to: file, durably: durably, written: written, prepare)
  }

  /// Does the same as ``commit(durably:written:_:)`` without ``durably``, where that takes no time:
  /// nobody else has the lock or has written anything, and no file has to be synced.
  ///
  /// - Parameter byteCountMax: No more bytes are going to be added, besides those of what the first
  ///   event has seen.
  /// - Returns: Nil where it may take time. Then nothing was done.
  package func commitAtOnce(
    upTo byteCountMax: Int, _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome? {
    guard syncFailure == nil, left != nil, sameDevice != nil,
      case let seenCount = seenBytesMax, seenCount <= JournalBatch<Sink>.seenBytesMax,
      !needsRecord(for: byteCountMax + seenCount),
      let file = reader.file, file.isWritable,
      (try? file.lock(exclusive: true, milliseconds: 0)) == true
    else { return nil }
    defer { unlock(file) }
    guard let status = file.currentStatus, isAsLeft(file, status) else { return nil }
    return try commit(to: file, durably: false, written: { _ in }, prepare)
  }

  /// No less than the bytes that state what the next own event has seen.
  private var seenBytesMax: Int {
    // Behind an own event, there is nothing to state until something comes.
    if spareBatch?.allSeenLineCount == pass.lineCount { return 0 }
    return pass.seen(by: sameDevice).reduce(16) { $0 + $1.description.utf8.count + 3 }
  }

  /// Runs `prepare` with the lock taken and all read, then writes what it added.
  private func commit(
    to file: JournalFile, durably: Bool, written: (Outcome) -> Void,
    _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome {
    do throws(EventLogError) {
      let recordVersion = identity.recordVersion
      let sequence = identity.lastSequence(in: pass.ledger)
      var batch = takeBatch(from: file)
      do throws(EventLogError) {
        try prepare(&batch)
      } catch {
        // A batch that was given up may have been applied in part.
        if batch.bytes.isEmpty {
          giveBack(&batch)
        } else {
          reader.mustReload = true
        }
        throw error
      }
      let outcome: Outcome
      do throws(EventLogError) {
        outcome = try write(&batch, after: sequence, to: file, durably: durably, written)
      } catch {
        // The batch may still own what was read, or may have been written in part.
        reader.mustReload = true
        throw error
      }
      if !outcome.wrote { removeIfUnused(file) }
      noteLeft(hasNewRecord: identity.recordVersion != recordVersion)
      spareBatch = consume batch
      return outcome
    } catch {
      left = nil
      removeIfUnused(file)
      throw error
    }
  }

  /// Runs `body` with the journal read to its end and locked.
  func whileLocked(
    _ body: (JournalWriter) throws(EventLogError) -> Void
  ) throws(EventLogError) {
    let (file, status) = try openLocked()
    defer { unlock(file) }
    try readOn(file, status)
    try body(self)
  }

  /// Makes durable what buffered commits have written.
  ///
  /// - Throws: `syncFailed`, after which the writer refuses further commits; `locked`.
  package func sync() throws(EventLogError) {
    if let syncFailure { throw Self.syncFailed(path, syncFailure) }
    if owesSync { _ = try commit { (_) throws(EventLogError) in } }
  }

  // MARK: - The file

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
      reader.mustReload = true
    }
  }

  /// Never keeps the lock: what holds one is closed.
  func unlock(_ file: JournalFile) {
    if file.unlock() { return }
    reader.close()
    reader.mustReload = true
  }

  // MARK: - Writing

  private func write(
    _ batch: inout JournalBatch<Sink>, after sequence: Int64, to file: JournalFile,
    durably: Bool, _ written: (Outcome) -> Void
  ) throws(EventLogError) -> Outcome {
    var outcome = Outcome(events: batch.events, isDurable: durably || sameDevice == nil)
    if batch.hasDuplicateWriter { try identity.retire(.duplicateWriter) }
    guard !batch.bytes.isEmpty else {
      giveBack(&batch)
      if owesSync, durably { try sync(file) }
      return outcome
    }
    let bytes = end.lacksLineFeed ? [0x0A] + batch.bytes : batch.bytes
    let offset = end.lacksLineFeed ? batch.start - 1 : batch.start
    // Until the batch is on the disk, what was read no longer describes the file.
    reader.mustReload = true
    if let tail = end.doubtfulTail { try putAside(tail, of: file, &outcome) }
    if case .fresh(let reason) = identity.decision, batch.device != nil {
      outcome.freshDevice = reason
    }
    let writer = batch.hasDuplicateWriter ? nil : batch.device
    var spaceCount = 0
    do throws(EventLogError) {
      try prepareRecord(for: writer, batchBytes: bytes.count, file)
      spaceCount =
        outcome.quarantined == nil
        ? try prepareRoom(for: bytes, at: offset, mayFit: durably && !owesSync, file) : 0
      spaceCount = try write(bytes, at: offset, spaceCount: spaceCount, file)
    } catch {
      throw outcome.quarantined == nil
        ? error
        : error.afterChanges(
          "Nothing was appended; its damaged end was moved to the quarantine folder.")
    }
    giveBack(&batch)
    pass.endOffset = offset + Int64(bytes.count)
    let first = buffered ?? Buffered(range: offset..<offset, sequence: sequence)
    buffered = Buffered(
      range: first.range.lowerBound..<pass.endOffset, sequence: first.sequence)
    (madeFile, owesSync) = (false, true)
    let size = outcome.quarantined == nil ? end.size : 0
    reader.end = JournalReading.End()
    reader.end.size = max(size, pass.endOffset + Int64(spaceCount))
    if let writer { identity.wrote(writer, pass.ledger) }
    outcome.wrote = true
    written(outcome)
    // What came has changed what earlier lines had seen: until all is read anew, below.
    if pass.ledger.mustReread { reader.isWhole = false }
    if outcome.isDurable { try sync(file) }
    reader.finish(file, behind: bytes)
    if pass.ledger.mustReread {
      reader.mustReload = true
      do throws(EventLogError) { try readOn(file, try file.status) } catch {
        throw error.afterChanges("The written events are kept.")
      }
    }
    return outcome
  }

  /// Syncs the file and notes in the record what is now synced.
  private func sync(_ file: JournalFile) throws(EventLogError) {
    do throws(Errno) {
      try fileSystem.sync(file.descriptor)
      // Nobody has synced the name before a device of this file has synced an event.
      if (identity.record?.sequence ?? 0) == 0 {
        try fileSystem.syncFolder(Path.folder(of: path))
      }
    } catch {
      syncFailure = error
      throw Self.syncFailed(path, error)
    }
    (buffered, owesSync) = (nil, false)
    syncedOffset = pass.endOffset
    identity.noteSynced(pass.ledger)
  }

  /// Moves a doubtful end to quarantine.
  ///
  /// Its numbers are not used again, whatever fails next, so the record says so before anything
  /// is cut; and the cut is durable before the record speaks of another device, because the old
  /// record is what tells such an end from damage.
  private func putAside(
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

  /// Whether the record has to be made durable before so many more bytes are written.
  private func needsRecord(for byteCount: Int) -> Bool {
    byteCount + (buffered?.range.count ?? 0) > 4096 && !identity.isDurable
  }

  /// Before a batch larger than a page, the record is made current and durable: if the batch tears,
  /// it tells the torn lines from damage; batches that wait for one sync count as one. Before the
  /// first batch of a fresh device too: if its sync fails, it tells whose lines have to be written
  /// again. A batch without own events, of a journal that has no device yet, needs no record.
  ///
  /// What was written under the device before is synced first: a failed sync could drop it, and the
  /// record of the fresh device would not tell.
  private func prepareRecord(
    for device: DeviceID?, batchBytes: Int, _ file: JournalFile
  ) throws(EventLogError) {
    guard let device else { return }
    if sameDevice != nil, let current = identity.record {
      return needsRecord(for: batchBytes) ? try identity.makeDurable(current) : ()
    }
    if owesSync {
      do throws(Errno) { try fileSystem.sync(file.descriptor) } catch {
        syncFailure = error
        throw Self.syncFailed(path, error)
      }
    }
    var record = DeviceRecord(
      device: device, machine: fileSystem.machineIdentity(),
      file: .init(try file.status), sequence: 0, checksum: LineChecksum(before: 0, chain: 0))
    record.past = identity.fitting?.written.suffix(DeviceRecord.pastMax) ?? []
    try identity.replace(record)
  }

  /// Sees to the room at the end of the file, and returns how many spaces go behind `bytes`.
  private func prepareRoom(
    for bytes: [UInt8], at offset: Int64, mayFit: Bool, _ file: JournalFile
  ) throws(EventLogError) -> Int {
    let fits = mayFit && bytes.firstIndex(of: 0x0A) == bytes.count - 1
    do throws(Errno) {
      if !fits { try cutRoom(of: file, at: offset) }
    } catch {
      throw .inputOutput("cut", path, error, meaning: "Nothing was appended.")
    }
    return room.spaces(
      behind: offset + Int64(bytes.count), fits: fits, size: end.size,
      after: options.commitsBeforeRoom)
  }

  /// - Returns: how many spaces stand behind the lines.
  private func write(
    _ bytes: [UInt8], at offset: Int64, spaceCount: Int, _ file: JournalFile
  ) throws(EventLogError) -> Int {
    do throws(Errno) {
      if spaceCount > 0, try writeWithRoom(bytes, at: offset, spaceCount, file) {
        return spaceCount
      }
      try fileSystem.writeAll(file.descriptor, bytes, at: offset)
      return 0
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

  /// A file that this writer made and put nothing into is taken away again.
  ///
  /// It stays open, and locked until the commit ends; the next commit sees that it is gone.
  private func removeIfUnused(_ file: JournalFile) {
    guard madeFile, let size = try? file.status.size, size == 0, file.isCurrent else { return }
    try? fileSystem.remove(path)
    madeFile = false
  }

  static func syncFailed(_ path: String, _ cause: Errno) -> EventLogError {
    EventLogError(
      .syncFailed,
      "The disk did not confirm the last append to \"\(path)\": \(cause). It may not survive a"
        + " power loss, and the journal accepts no appends until it is reopened.",
      hint: "Check the disk, then reopen the journal, which rewrites its end.",
      at: .init(file: path), cause: cause)
  }

  package static func notAJournal(_ path: String) -> EventLogError {
    EventLogError(
      .notAJournal, "\"\(path)\" is not a journal: it contains no events. It was not changed.",
      hint: "Check the path.", at: .init(file: path))
  }
}
