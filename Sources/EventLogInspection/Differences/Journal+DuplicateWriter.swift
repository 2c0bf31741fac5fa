import EventLog

extension Journal {
  /// Retires this journal's device ID if another journal shows that the ID isn't safe to use.
  ///
  /// If the other journal contains events of this journal's device that this journal is missing,
  /// this journal was rolled back, or a copy of it has continued to write. If this journal kept its
  /// ID, it would reuse sequence numbers that the other journal already uses. This method retires
  /// the ID in the side folder, so that the next append takes a new one. No line of the journal
  /// changes.
  ///
  /// The journal is read again first, so that events that another process has just appended
  /// don't count as missing. A journal that can't be written is left alone.
  ///
  /// - Parameter others: The last events of the other journal's histories.
  /// - Returns: A message for the user that explains why the ID was retired. `nil` if the ID is
  ///   safe, was already retired, or wouldn't be used by the next append anyway.
  /// - Throws: `noJournal`, `locked`, `inputOutput`.
  func giveUpDeviceID(
    besides others: [FullEventID]
  ) throws(EventLogError) -> String? {
    let writer = JournalWriter(
      path: path, options: JournalOptions(fileSystem: fileSystem), sink: LedgerSink())
    let folder = writer.side
    writer.checkpoint = { file in
      CheckpointReading(beside: file, folder)?.pass(LedgerSink(), blank: LedgerSink())
    }
    // Only a journal that is written on this device has an ID to retire.
    guard let record = folder.readRecord(), others.contains(where: { $0.device == record.device })
    else { return nil }
    do throws(EventLogError) {
      _ = try writer.refresh()
      return try writer.notice(others, dryRun: false)?.sentence
    } catch {
      guard error.isForReadersOnly else { throw error }
      return nil
    }
  }
}
