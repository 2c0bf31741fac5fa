/// Appends to a journal: one batch at a time, under the lock, durable when the call returns.
///
/// It waits for the disk and is not safe to use from two threads at once; ``CommitQueue`` gives
/// many callers their turn. The events that it writes go through the same scanner, ledger and sink
/// as those that it reads.
package final class JournalWriter<Sink: EventSink> {
  package let path: String
  private let options: JournalOptions
  private let side: SideFolder
  private let makeSink: () -> Sink
  private var file: JournalFile?
  private var pass: JournalPass<Sink>
  /// Nothing was read yet, or what was read no longer counts.
  private var mustReload = true
  private var end = JournalReading.End()
  private var known: (offset: Int64, tail: [UInt8])?
  private var record: DeviceRecord?
  private var decision = DeviceDecision.fresh(.noRecord)
  private var syncFailure: Errno?
  /// Up to here the file is synced, as far as this writer has seen to it itself.
  private var syncedOffset: Int64 = 0
  private var madeFile = false

  package init(path: String, options: JournalOptions, makeSink: @escaping () -> Sink) {
    self.path = path
    self.options = options
    self.makeSink = makeSink
    side = SideFolder(beside: path, fileSystem: options.fileSystem)
    pass = JournalPass(sink: makeSink())
  }

  deinit { file?.close() }

  /// What a commit did besides appending.
  package struct Outcome: Sendable {
    package var events: [EventID] = []
    /// Where bytes from a doubtful end were put.
    package var quarantined: String?
    package var quarantinedBytes: Int64 = 0
    /// Why a fresh device ID was taken, where there is something to say.
    package var freshDevice: DeviceDecision.Reason?
  }

  private var fileSystem: any FileSystem { options.fileSystem }

  // MARK: - Committing

  /// Runs `prepare` with the journal read to its end and locked, then writes what it added.
  ///
  /// - Throws: what `prepare` throws, with the journal as it was; `locked`; `syncFailed` if the
  ///   last step failed, after which the writer refuses further commits: whether the batch survives
  ///   a power loss is then unknown.
  package func commit(
    _ prepare: (inout JournalBatch<Sink>) throws(EventLogError) -> Void
  ) throws(EventLogError) -> Outcome {
    if let syncFailure { throw Self.syncFailed(path, syncFailure) }
    let file = try openLocked()
    defer { unlock(file) }
    do throws(EventLogError) {
      try readOn(file)
      let start = writeOffset
      let startLine = pass.nextLineNumber + (end.lacksLineFeed ? 1 : 0)
      var batch = JournalBatch(
        pass: takePass(), device: sameDevice, options: options, start: start, startLine: startLine)
      do throws(EventLogError) {
        try prepare(&batch)
      } catch {
        // A batch that was given up may have been applied in part.
        if batch.bytes.isEmpty { pass = batch.pass } else { mustReload = true }
        throw error
      }
      let outcome = try write(batch, to: file)
      if batch.bytes.isEmpty { removeIfUnused(file) }
      return outcome
    } catch {
      removeIfUnused(file)
      throw error
    }
  }

  /// The pass is moved into the batch, so that its arrays have one owner and are changed in place.
  private func takePass() -> JournalPass<Sink> {
    let taken = pass
    pass = JournalPass(sink: makeSink())
    return taken
  }

  private var sameDevice: DeviceID? {
    if case .same(let device) = decision { return device }
    return nil
  }

  /// Where the next line goes: behind the last good line, also where that lacks its LF.
  private var writeOffset: Int64 {
    guard end.lacksLineFeed, let last = pass.lastGood else { return pass.endOffset }
    return last.offset + Int64(last.byteCount) + 1
  }

  // MARK: - Opening and reading on

  private func openLocked() throws(EventLogError) -> JournalFile {
    while true {
      if let file, !file.isCurrent {
        file.close()
        self.file = nil
        mustReload = true
      }
      let access: FileAccess = options.user == nil ? .readWrite : .create
      let file: JournalFile
      if let open = self.file {
        file = open
      } else {
        file = try JournalFile.open(path, access, fileSystem: fileSystem)
        madeFile = file.isNew
        self.file = file
      }
      guard try file.lock(exclusive: true, milliseconds: options.lockWaitMilliseconds) else {
        throw EventLogError(
          .locked,
          "Another process has held the lock on \"\(path)\" for \(options.lockWaitMilliseconds)"
            + " ms. Nothing was appended.",
          hint: "Find the process that holds it (for example with lsof) or try again.",
          at: .init(file: path))
      }
      if file.isCurrent { return file }
      unlock(file)
    }
  }

  /// Never keeps the lock: what holds one is closed.
  private func unlock(_ file: JournalFile) {
    if file.unlock() { return }
    file.close()
    self.file = nil
    mustReload = true
  }

  /// Brings the pass to the file's end and decides under which ID to write.
  private func readOn(_ file: JournalFile) throws(EventLogError) {
    let status = try file.status
    let identity = DeviceRecord.FileIdentity(status)
    let machine = fileSystem.machineIdentity()
    let newRecord =
      try side.requireRecord() ?? side.adoptOrphan(of: identity, machine: machine)
    if mustReload || !lastLineStands(file, size: status.size) {
      pass = JournalPass(sink: makeSink())
      known = nil
      record = nil
      syncedOffset = 0
    }
    // Until all that follows has succeeded: a reading that broke off cannot be gone on with.
    mustReload = true
    if let newRecord, newRecord != record {
      // A record without a synced event looks out for the first one.
      pass.watched = .init(
        device: newRecord.device.text, sequence: max(1, newRecord.sequence))
    }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    end = try reading.read(
      into: &pass,
      synced: newRecord.flatMap {
        SideFolder.fits($0, identity, machine) ? $0.syncedEvent : nil
      })
    if end.holdsNoEvent,
      newRecord?.isFirstWriter(of: identity, machine: machine) != true
    {
      throw Self.notAJournal(path)
    }
    decide(newRecord, identity: identity, machine: machine)
    try rewriteUnsynced(file)
    rememberLastLine(file)
    // A last line without LF would be read a second time.
    mustReload = end.lacksLineFeed
  }

  private func decide(
    _ newRecord: DeviceRecord?, identity: DeviceRecord.FileIdentity, machine: String?
  ) {
    let device = newRecord.flatMap { pass.ledger.find($0.device) }
    var found = pass.watched?.found
    if let newRecord, newRecord == record, case .same = decision {
      // It was found before, and the end of what was read then still stands.
      found = newRecord.checksum
    } else if found == nil, let newRecord, let device,
      pass.ledger.devices[device].last == newRecord.sequence
    {
      found = pass.ledger.devices[device].checksum
    }
    decision = .decide(
      DeviceDecision.Facts(
        record: newRecord, machine: machine, file: identity, foundChecksum: found,
        deviceHasEvents: device.map { pass.ledger.devices[$0].last > 0 } ?? false,
        deviceIsStopped: device.map { pass.ledger.devices[$0].isStopped } ?? false,
        hasDoubtfulTail: end.doubtfulTail != nil))
    record = newRecord
  }

  /// Own lines behind the last one known to be synced are written again, in place, and synced:
  /// after a failed sync the kernel may have dropped them while they still read well.
  ///
  /// The failed sync may have been another process's, so this is not for reopening alone.
  private func rewriteUnsynced(_ file: JournalFile) throws(EventLogError) {
    guard decision.trustsRecord, let record, let index = pass.ledger.find(record.device),
      pass.ledger.devices[index].last > record.sequence,
      var offset = unsyncedOffset(behind: record)
    else { return }
    let end = min(writeOffset, self.end.size)
    do throws(Errno) {
      while offset < end {
        let count = Int(min(1 << 20, end - offset))
        let bytes = try fileSystem.readBytes(file.descriptor, at: offset, count: count)
        if bytes.isEmpty { break }
        try fileSystem.writeAll(file.descriptor, bytes, at: offset)
        offset += Int64(bytes.count)
      }
      try fileSystem.sync(file.descriptor)
    } catch {
      throw .inputOutput(
        "sync", path, error,
        meaning: "Lines at its end may not be on the disk yet; nothing was appended.")
    }
    syncedOffset = end
    updateRecord(of: record.device)
  }

  /// Where the lines begin that `record` does not call synced.
  private func unsyncedOffset(behind record: DeviceRecord) -> Int64? {
    guard let watched = pass.watched, watched.found != nil,
      watched.device == record.device.text, watched.sequence == max(1, record.sequence)
    else { return syncedOffset > 0 ? syncedOffset : nil }
    return max(syncedOffset, record.sequence > 0 ? watched.endOffset : watched.offset)
  }

  private func rememberLastLine(_ file: JournalFile) {
    guard let last = pass.lastGood else {
      known = nil
      return
    }
    let end = last.offset + Int64(last.byteCount)
    let tail = try? fileSystem.readBytes(file.descriptor, at: max(0, end - 26), count: 26)
    known = tail.map { (end, $0) }
  }

  /// Whether the last line known still stands where it stood, and nothing read was cut.
  private func lastLineStands(_ file: JournalFile, size: Int64) -> Bool {
    guard size >= pass.endOffset else { return false }
    guard let known else { return pass.endOffset == 0 }
    let tail = try? fileSystem.readBytes(
      file.descriptor, at: max(0, known.offset - 26), count: known.tail.count)
    return tail == known.tail
  }

  // MARK: - Writing

  private func write(
    _ batch: JournalBatch<Sink>, to file: JournalFile
  ) throws(EventLogError) -> Outcome {
    var outcome = Outcome(events: batch.events)
    guard !batch.bytes.isEmpty else {
      pass = batch.pass
      return outcome
    }
    let lacksLineFeed = end.lacksLineFeed
    let bytes = lacksLineFeed ? [0x0A] + batch.bytes : batch.bytes
    let offset = lacksLineFeed ? batch.start - 1 : batch.start
    // Until the batch is on the disk, what was read no longer describes the file.
    mustReload = true
    if let tail = end.doubtfulTail { try putAside(tail, of: file, &outcome) }
    if case .fresh(let reason) = decision { outcome.freshDevice = reason }
    try prepareRecord(for: batch.device!, batchBytes: bytes.count, file)
    try writeAndSync(bytes, at: offset, file)
    pass = batch.pass
    pass.endOffset = offset + Int64(bytes.count)
    mustReload = false
    madeFile = false
    end = JournalReading.End()
    decision = .same(batch.device!)
    syncedOffset = pass.endOffset
    updateRecord(of: batch.device!)
    rememberLastLine(file)
    return outcome
  }

  /// Moves a doubtful end to quarantine.
  ///
  /// Its numbers are dead from here on, whatever fails next, so the record says so before anything
  /// is cut; and the cut is durable before the record speaks of another device, because the old
  /// record is what tells such an end from damage.
  private func putAside(
    _ tail: LinePosition, of file: JournalFile, _ outcome: inout Outcome
  ) throws(EventLogError) {
    outcome.quarantinedBytes = end.size - tail.offset
    outcome.quarantined = try side.quarantine(
      file.descriptor, from: tail.offset, to: end.size,
      at: Timestamp(milliseconds: options.clock.now()) ?? Timestamp(trusted: 0))
    if decision == .fresh(.doubtfulTail), var record, !record.isRetired {
      record.isRetired = true
      try side.replaceRecord(record)
      self.record = record
    }
    do throws(Errno) {
      try fileSystem.truncate(file.descriptor, to: tail.offset)
      try fileSystem.sync(file.descriptor)
    } catch {
      throw .inputOutput("cut", path, error, meaning: "Nothing was appended.")
    }
  }

  /// Before a batch larger than a page, the record is made current and durable: if the batch tears,
  /// it tells the torn lines from damage. Before the first batch of a fresh device too: if its sync
  /// fails, it tells whose lines have to be written again.
  private func prepareRecord(
    for device: DeviceID, batchBytes: Int, _ file: JournalFile
  ) throws(EventLogError) {
    var record: DeviceRecord
    if sameDevice != nil, let current = self.record {
      guard batchBytes > 4096 else { return }
      record = current
    } else {
      record = DeviceRecord(
        device: device, machine: fileSystem.machineIdentity(),
        file: .init(try file.status), sequence: 0, checksum: LineChecksum(line: 0, chain: 0))
    }
    try side.replaceRecord(record)
    self.record = record
  }

  private func writeAndSync(
    _ bytes: [UInt8], at offset: Int64, _ file: JournalFile
  ) throws(EventLogError) {
    do throws(Errno) {
      try fileSystem.writeAll(file.descriptor, bytes, at: offset)
    } catch {
      let isCut = (try? fileSystem.truncate(file.descriptor, to: offset)) != nil
      throw .inputOutput(
        "append to", path, error,
        meaning: isCut
          ? "Nothing was appended; the journal is as it was."
          : "What was written of it could not be cut off again: look before appending it anew.",
        hint: error == .noSpace || error == .quotaExceeded
          ? "Make room on the disk and append again." : nil)
    }
    do throws(Errno) {
      try fileSystem.sync(file.descriptor)
      // Nobody has synced the name before a device of this file has synced an event.
      if record?.sequence == 0 { try fileSystem.syncFolder(Path.folder(of: path)) }
    } catch {
      syncFailure = error
      throw Self.syncFailed(path, error)
    }
  }

  /// Notes in the record what is now synced. Where that fails, the older one still fits.
  private func updateRecord(of device: DeviceID) {
    guard var record, record.device == device, let index = pass.ledger.find(device) else { return }
    record.sequence = pass.ledger.devices[index].last
    record.checksum = pass.ledger.devices[index].checksum
    if side.updateRecord(record) { self.record = record }
  }

  /// A file that this writer made and put nothing into is taken away again.
  ///
  /// It stays open, and locked until the commit ends; the next commit sees that it is gone.
  private func removeIfUnused(_ file: JournalFile) {
    guard madeFile, let size = try? file.status.size, size == 0, file.isCurrent else { return }
    try? fileSystem.remove(path)
    madeFile = false
  }

  private static func syncFailed(_ path: String, _ cause: Errno) -> EventLogError {
    EventLogError(
      .syncFailed,
      "The disk did not confirm the last append to \"\(path)\": \(cause). Whether it survives a"
        + " power loss is unknown; until the journal is opened again, it takes no appends.",
      hint: "Check the disk, then open the journal again: its end is then written anew.",
      at: .init(file: path), cause: cause)
  }

  package static func notAJournal(_ path: String) -> EventLogError {
    EventLogError(
      .notAJournal, "\"\(path)\" holds no event: it is not a journal. It was left as it is.",
      hint: "Check the path.", at: .init(file: path))
  }
}
