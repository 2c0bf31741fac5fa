extension JournalWriter {
  /// The origin of a checkpoint of the pass, or nil if none may be written.
  ///
  /// A checkpoint must contain only what the next reading would find, even after a power loss. That
  /// excludes
  ///
  /// - a pass that no longer describes the file;
  /// - an end that is in doubt or lacks its LF, or an unfinished batch: the next append changes the
  ///   result of the reading;
  /// - unsynced lines, which the checkpoint could outlive;
  /// - lines that `device.json` doesn't list as synced: their sync may have failed in another
  ///   process.
  ///
  /// Syncs the file if other processes have written to it.
  ///
  /// - Parameter known: The CRC-32C of the file's bytes up to an offset, so that they needn't be
  ///   read.
  package func checkpointOrigin(
    _ definition: [UInt8], known: (offset: Int64, contents: UInt32) = (0, 0)
  ) -> Checkpoint.Origin? {
    guard reader.isCurrent, !syncState.isOwed, end.doubtfulTail == nil, !end.lacksLineFeed,
      pass.unfinished.isEmpty, pass.unerased.isEmpty, !pass.ledger.users.isAmbiguous,
      let mark = reader.mark,
      mark.isOfGoodLine, mark.endOffset == pass.endOffset,
      let file = reader.file, file.isCurrent, let status = try? file.status
    else { return nil }
    let identity = DeviceRecord.FileIdentity(status)
    guard isRecordedAsSynced(identity), isSynced(file) else { return nil }
    let start = known.offset <= mark.endOffset ? known : (offset: 0, contents: 0)
    guard
      let contents = try? Checkpoint.Origin.contents(
        of: file, fileSystem, from: start.offset, after: start.contents, upTo: mark.endOffset)
    else { return nil }
    return Checkpoint.Origin(
      definition: definition, file: identity, mark: mark, contents: contents)
  }

  private func isRecordedAsSynced(_ identity: DeviceRecord.FileIdentity) -> Bool {
    side.fittingRecord(of: identity).map { $0.syncedOffset >= pass.endOffset } ?? true
  }

  private func isSynced(_ file: JournalFile) -> Bool {
    if syncedOffset >= pass.endOffset { return true }
    guard (try? fileSystem.sync(file.descriptor)) != nil else { return false }
    syncedOffset = pass.endOffset
    return true
  }
}
