extension JournalWriter {
  /// Reads to the journal's end without appending, and without the lock unless something is in
  /// doubt.
  ///
  /// - Returns: Whether anything was read, or the previous reading was discarded.
  /// - Throws: `notAJournal`, `inputOutput`; `noJournal` if there is none, in which case the pass
  ///   is empty.
  package func refresh() throws(EventLogError) -> Bool {
    do throws(EventLogError) {
      try reader.closeIfReplaced()
      let file = try reader.open()
      let status = try file.status
      if isCurrent(file, status) { return false }
      if reader.isUnchanged(file, size: status.size),
        side.readRecord() == identity.judged
      {
        return false
      }
      try readOn(file, with: .none)
      return true
    } catch {
      if error.code == .noJournal { reset() }
      throw error
    }
  }

  /// Reads the journal if an append or a reading has failed.
  func readWhole() throws(EventLogError) {
    if isWhole { return }
    do throws(EventLogError) { _ = try refresh() } catch {
      guard error.code == .noJournal else { throw error }
    }
  }

  /// Rereads the lines of `pass`.
  package func rereading() throws(EventLogError) -> JournalRereading { try reader.rereading() }

  /// Reads to the end of the file under the lock and decides on the device ID.
  ///
  /// - Parameter status: The file's status.
  func readOn(_ file: JournalFile, _ status: FileStatus) throws(EventLogError) {
    if isCurrent(file, status) { return }
    try readOn(file, with: .exclusive)
    try overwriteErased(file)
  }

  private enum Lock { case none, shared, exclusive }

  private func readOn(_ file: JournalFile, with lock: Lock) throws(EventLogError) {
    identity.doubt()
    handledErasures = [0, 0]
    let machine = fileSystem.machineIdentity()
    let fileIdentity = DeviceRecord.FileIdentity(try file.status)
    var record = try side.requireRecord()
    if record == nil, lock == .exclusive {
      record = side.takeOverOrphan(of: fileIdentity, machine: machine)
    }
    let (resetCount, endOffset) = (reader.resetCount, pass.endOffset)
    try reader.readOn(file, record)
    if reader.resetCount != resetCount || pass.endOffset != endOffset { readingCount += 1 }
    if reader.resetCount != resetCount {
      // A checkpoint contains only synced lines. Lines that were just read may be unsynced.
      syncedOffset = pass.isResumed ? pass.checkpointOffset : 0
    }
    // Another process may be appending, or may have taken a fresh ID.
    func decided() -> DeviceID? {
      DeviceDecision.decide(record, machine: machine, file: fileIdentity, pass, end).device
    }
    if lock == .none,
      end.doubtfulTail != nil || side.readRecord()?.device != record?.device
        || end.record != nil && decided() == nil,
      (try? file.lock(exclusive: false, milliseconds: options.lockWaitMilliseconds)) == true
    {
      defer { unlock(file) }
      reader.finish(file)
      return try readOn(file, with: .shared)
    }
    if end.isForeign { throw Self.notAJournal(path, end.record) }
    if lock == .exclusive {
      try identity.decide(record, machine: machine, file: fileIdentity, pass, end)
      try rewriteUnsynced(file)
    } else {
      identity.foresee(record, machine: machine, file: fileIdentity, pass, end)
    }
    // The decision may have found an event that only this process knows.
    pass.written = identity.fitting?.written ?? []
    reader.finish(file)
  }

  /// Whether nothing has to be read, decided or rewritten before a commit, because no other writer
  /// has changed anything since the last reading under the lock.
  ///
  /// A record that another process has updated in place, within one tick of the file system's
  /// clock, is taken for the older one. It lists more lines as synced than this writer knows, which
  /// only causes another sync.
  func isCurrent(_ file: JournalFile, _ status: FileStatus) -> Bool {
    identity.isCurrent && end.doubtfulTail == nil && pass.unerased.isEmpty
      && reader.isUnchanged(file, size: status.size)
  }

  /// Rewrites the lines that the record doesn't list as synced in place, with the same bytes, and
  /// syncs them: after a failed sync, the kernel may have dropped them although they can still be
  /// read.
  ///
  /// The failed sync may have been another process's, so this isn't limited to reopening.
  private func rewriteUnsynced(_ file: JournalFile) throws(EventLogError) {
    let end = min(reader.writeOffset, self.end.size)
    var offset = identity.syncedOffset
    guard identity.isOfThisFile, offset < end else { return }
    do throws(Errno) {
      while offset < end {
        let count = Int(min(1 << 20, end - offset))
        let bytes = try fileSystem.readBytes(file.descriptor, at: offset, count: count)
        if bytes.isEmpty { break }
        try fileSystem.writeAll(file.descriptor, bytes, at: offset)
        offset += Int64(bytes.count)
      }
      try fileSystem.sync(file.descriptor)
      // A crash may have prevented it.
      if identity.record?.sequence == 0 { try fileSystem.syncFolder(Path.folder(of: path)) }
    } catch {
      throw .inputOutput(
        "sync", path, error,
        meaning: "Its last lines may not be on the disk yet; nothing was appended.")
    }
    syncedOffset = end
    syncState = .synced
    identity.noteSynced(upTo: end, identity.ownEnd(in: pass.ledger))
  }
}
