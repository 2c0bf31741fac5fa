extension Journal {
  /// Reads this journal and another copy of it, for a comparison.
  ///
  /// Both are read with this journal's catalog. Lines that a checkpoint covers are only compared
  /// with its checksum, so that damage is found. A common prefix is processed only once.
  ///
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`.
  /// - Complexity: O(*n*), where *n* is the size of both files.
  package func compare<Result>(
    with other: Journal, _ body: (ComparedJournals) throws(EventLogError) -> Result
  ) throws(EventLogError) -> Result {
    let other = Journal(
      path: other.path, catalog: catalog, fileSystem: other.fileSystem,
      usesCheckpoint: other.usesCheckpoint)
    let left = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { left.close() }
    let right = try JournalFile.open(other.path, .read, fileSystem: other.fileSystem)
    defer { right.close() }
    let worker = SerialWorker(label: "eventlog.compare")
    let stored = worker.both(
      there: { other.beginWhole(right) }, here: { self.beginWhole(left) })
    // If a checkpoint has the state of one, only the other remains to be read.
    var prefix =
      stored.here == nil && stored.there == nil
      ? CommonPrefix(of: left, and: right, into: JournalPass(sink: Fold(catalog))) : nil
    // If most lines follow the prefix, pages cost more than they save.
    if prefix?.isMost == true { prefix?.pass.sink.paginate() }
    let shared = prefix?.pass
    let blank = JournalPass(sink: Fold(catalog))
    let read = try worker.both(
      there: { () throws(EventLogError) in
        try other.read(right, from: stored.there ?? shared ?? blank)
      },
      here: { () throws(EventLogError) in
        try self.read(left, from: stored.here ?? shared ?? blank)
      })
    return try body(
      ComparedJournals(
        left: .init(self, left, read.here.0, read.here.1),
        right: .init(other, right, read.there.0, read.there.1)))
  }
}
