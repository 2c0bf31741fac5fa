extension JournalWriter {
  /// Reads on to the journal's end without appending, and without the lock where nothing is in
  /// doubt.
  ///
  /// - Returns: whether anything was read, or what was read before is gone.
  /// - Throws: `notAJournal`, `inputOutput`; `noJournal` where there is none, and then the pass is
  ///   empty.
  package func refresh() throws(EventLogError) -> Bool {
    do throws(EventLogError) {
      if let file, !file.isCurrent {
        file.close()
        self.file = nil
        mustReload = true
      }
      let file = try openForReading()
      if !mustReload, try file.status.size == end.size, lastLineStands(file, size: end.size),
        side.readRecord() == judgedRecord
      {
        return false
      }
      try readOn(file, isLocked: false)
      return true
    } catch {
      if error.code == .noJournal { reset() }
      throw error
    }
  }

  /// Reads again what `pass` holds.
  package func rereading() throws(EventLogError) -> JournalRereading {
    let file = try openForReading()
    return JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
      upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass)
  }

  private func openForReading() throws(EventLogError) -> JournalFile {
    if let file { return file }
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    self.file = file
    return file
  }

  /// Brings the pass to the file's end and, under the lock, decides under which ID to write.
  func readOn(_ file: JournalFile, isLocked: Bool = true) throws(EventLogError) {
    let identity = DeviceRecord.FileIdentity(try file.status)
    let machine = fileSystem.machineIdentity()
    var newRecord = try side.requireRecord()
    if newRecord == nil, isLocked {
      newRecord = side.adoptOrphan(of: identity, machine: machine)
    }
    let size = try file.status.size
    if mustReload || !lastLineStands(file, size: size) { restart(file) }
    if let newRecord, isLocked, passedUnnoticed(newRecord) {
      mustReadAll = true
      restart(file)
    }
    // Until all that follows has succeeded: a reading that broke off cannot be gone on with.
    mustReload = true
    lookOut(for: newRecord)
    let synced = newRecord.flatMap {
      SideFolder.fits($0, identity, machine) ? $0.syncedEvent : nil
    }
    let reading = JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor)
    end = try reading.read(into: &pass, synced: synced)
    // A batch that is just being written looks like a doubtful end: with the lock, it is whole.
    if end.doubtfulTail != nil, !isLocked,
      (try? file.lock(exclusive: false, milliseconds: options.lockWaitMilliseconds)) == true
    {
      defer { file.unlock() }
      end = try reading.read(into: &pass, synced: synced)
    }
    mustReadAll = false
    if !isLocked, side.readRecord()?.device != newRecord?.device {
      // Another process has taken a fresh ID meanwhile, whose events may have been read.
      mustReload = end.lacksLineFeed
      return try readOn(file, isLocked: false)
    }
    if end.holdsNoEvent,
      newRecord?.isFirstWriter(of: identity, machine: machine) != true
    {
      throw Self.notAJournal(path)
    }
    let decided = judge(newRecord, identity: identity, machine: machine)
    if isLocked {
      try decide(decided, newRecord)
      try rewriteUnsynced(file)
    } else {
      try foresee(decided)
    }
    rememberLastLine(file)
    // A last line without LF would be read a second time.
    mustReload = end.lacksLineFeed
  }

  private func restart(_ file: JournalFile) {
    reset()
    guard let start = checkpoint?(mustReadAll ? nil : file) else { return }
    pass = start
    // A checkpoint is made of synced lines only; what was just read may not be synced.
    if start.isResumed { syncedOffset = start.endOffset }
  }

  /// Whether the event that `record` names lies behind, and nobody looked out for it.
  ///
  /// Then only a reading from the first line tells whether the journal holds that very event.
  private func passedUnnoticed(_ newRecord: DeviceRecord) -> Bool {
    if newRecord == watchedRecord || newRecord == record, case .same = decision { return false }
    if newRecord == watchedRecord { return false }
    guard let device = pass.ledger.find(newRecord.device) else { return false }
    return pass.ledger.devices[device].last > newRecord.sequence
  }

  private func lookOut(for newRecord: DeviceRecord?) {
    guard let newRecord, newRecord != record, newRecord != watchedRecord else { return }
    // A record without a synced event looks out for the first one.
    var watched = JournalPass<Sink>.WatchedEvent(
      device: newRecord.device.text, sequence: max(1, newRecord.sequence))
    if newRecord.sequence > 0, let device = pass.ledger.find(newRecord.device),
      pass.ledger.devices[device].last == newRecord.sequence
    {
      // It is the device's last one read: what comes of that device stands behind.
      watched.found = pass.ledger.devices[device].checksum
      watched.offset = pass.endOffset
      watched.endOffset = pass.endOffset
    }
    pass.watched = watched
    watchedRecord = newRecord
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
    // What this writer holds back itself is no sync that failed.
    if let buffered, buffered.lowerBound <= offset, buffered.upperBound == end { return }
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
    buffered = nil
    updateRecord(of: record.device)
  }

  /// Where the lines begin that `record` does not call synced.
  private func unsyncedOffset(behind record: DeviceRecord) -> Int64? {
    guard let watched = pass.watched, watched.found != nil,
      watched.device == record.device.text, watched.sequence == max(1, record.sequence)
    else { return syncedOffset > 0 ? syncedOffset : nil }
    return max(syncedOffset, record.sequence > 0 ? watched.endOffset : watched.offset)
  }

  func rememberLastLine(_ file: JournalFile) {
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
}
