extension StoreCore {
  /// Creates the core of a journal without a state, whose events are enough.
  ///
  /// Every byte is checked, including the lines that a checkpoint covers, so that damage is found
  /// while another copy still has the event. The initiator's checkpoint is as good as the journal's
  /// own: a copy on a removable drive has none, but may begin with the same bytes.
  convenience init(
    eventsOf path: String, _ options: JournalOptions, prefix: CommonPrefix<LedgerSink>?,
    initiator: SideFolder?
  ) {
    let blank = StoreSink()
    let writer = JournalWriter(path: path, options: options, sink: blank)
    self.init(
      writer: writer,
      feed: LatestFeed(
        Snapshot(fold: blank.fold, ledger: Ledger(), damage: [], bases: ConflictBases())),
      checkpoints: nil, isShown: false)
    self.prefix = prefix?.continued(into: blank)
    let side = writer.side
    writer.checkpoint = { [unowned self] file in
      if let pass = takePrefix(of: file) { return pass }
      guard options.usesCheckpoints,
        let reading = CheckpointReading(ofBytesIn: file, side)
          ?? initiator.flatMap({ CheckpointReading(ofBytesIn: file, $0) })
      else { return nil }
      return reading.pass(blank, blank: blank, user: options.user)
    }
  }
}
