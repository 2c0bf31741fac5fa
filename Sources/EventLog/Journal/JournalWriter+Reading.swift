extension JournalWriter {
  /// Reads on to the journal's end without appending, and without the lock where nothing is in
  /// doubt.
  ///
  /// - Returns: whether anything was read, or what was read before is gone.
  /// - Throws: `notAJournal`, `inputOutput`; `noJournal` where there is none, and then the pass is
  ///   empty.
  package func refresh() throws(EventLogError) -> Bool {
    do throws(EventLogError) {
      try reader.closeIfReplaced()
      let file = try reader.open()
      let status = try file.status
      if isAsLeft(file, status) { return false }
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

  /// Reads what is not at hand any more since an append or a reading failed.
  func readWhole() throws(EventLogError) {
    if isWhole { return }
    do throws(EventLogError) { _ = try refresh() } catch {
      guard error.code == .noJournal else { throw error }
    }
  }

  /// Reads again what `pass` holds.
  package func rereading() throws(EventLogError) -> JournalRereading { try reader.rereading() }

  /// Brings the pass to the file's end, with the lock, and decides under which ID to write.
  ///
  /// - Parameter status: The file's.
  func readOn(_ file: JournalFile, _ status: FileStatus) throws(EventLogError) {
    if !isAsLeft(file, status) { try readOn(file, with: .exclusive) }
  }

  private enum Lock { case none, shared, exclusive }

  private func readOn(_ file: JournalFile, with lock: Lock) throws(EventLogError) {
    left = nil
    let machine = fileSystem.machineIdentity()
    let fileIdentity = DeviceRecord.FileIdentity(try file.status)
    var record = try side.requireRecord()
    if record == nil, lock == .exclusive {
      record = side.takeOverOrphan(of: fileIdentity, machine: machine)
    }
    let resetCount = reader.resetCount
    try reader.readOn(file, record)
    if reader.resetCount != resetCount {
      // A checkpoint is made of synced lines only; what was just read may not be synced.
      syncedOffset = pass.isResumed ? pass.checkpointOffset : 0
      buffered = nil
    }
    // An append by another process may be under way, or have taken a fresh ID.
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
    if end.isForeign { throw Self.notAJournal(path) }
    if lock == .exclusive {
      try identity.decide(record, machine: machine, file: fileIdentity, pass, end)
      try rewriteUnsynced(file)
    } else {
      identity.foresee(record, machine: machine, file: fileIdentity, pass, end)
    }
    reader.finish(file)
  }

  /// Whether nobody has written anything since the last commit of this writer.
  ///
  /// A record that another process has brought up to date meanwhile, in place and within one tick
  /// of the file system's clock, passes for the older one. It then calls more lines synced than
  /// this writer knows of, which only costs syncing them again.
  func isAsLeft(_ file: JournalFile, _ status: FileStatus) -> Bool {
    guard let left, side.recordStatus == left else { return false }
    return reader.isUnchanged(file, size: status.size)
  }

  /// Takes note, under the lock, of what a commit has left behind.
  ///
  /// - Parameter hasNewRecord: Whether the commit may have written `device.json`. Else that is as
  ///   it was found; were it not, the next commit has to see the difference.
  func noteLeft(hasNewRecord: Bool) {
    let isSettled = !reader.mustReload && end.doubtfulTail == nil && identity.device != nil
    if !isSettled {
      left = nil
    } else if left == nil || hasNewRecord {
      left = side.recordStatus
    }
    if isSettled { pass.ledger.users.ownDevice = identity.device }
  }

  /// Own lines behind the last one known to be synced are written again, in place, and synced:
  /// after a failed sync the kernel may have dropped them while they still read well. The bytes are
  /// the same.
  ///
  /// The failed sync may have been another process's, so this is not for reopening alone.
  private func rewriteUnsynced(_ file: JournalFile) throws(EventLogError) {
    let end = min(reader.writeOffset, self.end.size)
    guard identity.decision.trustsRecord, let record = identity.record,
      // What this writer holds back itself is no sync that failed.
      !holdsBackAll(behind: record, upTo: end),
      pass.ledger.ends(of: record.device).contains(where: { $0.sequence > record.sequence }),
      var offset = try unsyncedOffset(behind: record, file)
    else { return }
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
        meaning: "Its last lines may not be on the disk yet; nothing was appended.")
    }
    syncedOffset = end
    (buffered, owesSync) = (nil, false)
    identity.noteSynced(pass.ledger)
  }

  /// Whether all own events behind `record` are among those that this writer has not synced yet.
  private func holdsBackAll(behind record: DeviceRecord, upTo end: Int64) -> Bool {
    guard let buffered else { return false }
    return buffered.range.upperBound == end
      && (buffered.sequence <= record.sequence || buffered.range.lowerBound <= syncedOffset)
  }

  /// Where the lines begin that `record` does not call synced.
  private func unsyncedOffset(
    behind record: DeviceRecord, _ file: JournalFile
  ) throws(EventLogError) -> Int64? {
    let next = pass.ledger.ends(of: record.device).compactMap {
      pass.ledger.event(at: max(1, record.sequence + 1), inHistoryOf: $0)
    }.first
    guard let next else { return nil }
    let position = try RangeReader.position(
      of: next, path: path, file: file.descriptor, fileSystem: fileSystem, ledger: pass.ledger,
      size: end.lacksLineFeed ? end.size : pass.endOffset)
    return position.map { max(syncedOffset, $0.offset) }
  }
}
