extension Journal {
  /// Gives the device ID of this journal up, if a comparison has shown events of it that the
  /// journal does not hold: it was rolled back, or a copy of it has gone on.
  ///
  /// A comparison changes nothing by itself; but a store that knows of no other copy would go on to
  /// use numbers that the other journal has used. No line is touched: the ID is crossed out in the
  /// side folder, and the next append takes a fresh one. The journal is read again first, so that
  /// what another process has appended meanwhile is no reason. A journal that may only be read is
  /// left alone.
  ///
  /// - Parameter side: which one of the two this journal was.
  /// - Returns: why, in a sentence for the person whose journal it is; nil where all is well, where
  ///   the ID was given up before, and where the next append takes a fresh one anyway.
  /// - Throws: `noJournal`, `locked`, `inputOutput`.
  public func giveUpDeviceID(
    after difference: JournalDifference, as side: JournalDifference.Side
  ) throws(EventLogError) -> String? {
    let others: [FullEventID]
    switch side {
    case .left: others = difference.rightTips
    case .right: others = difference.leftTips
    case .both: return nil
    }
    let writer = JournalWriter(
      path: path, options: JournalOptions(fileSystem: fileSystem), sink: LedgerSink())
    let folder = writer.side
    writer.checkpoint = { [fileSystem] file in
      CheckpointReading(beside: file, folder, fileSystem)?.pass(LedgerSink(), blank: LedgerSink())
    }
    // Only one that somebody writes to from here has an ID to give up.
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
