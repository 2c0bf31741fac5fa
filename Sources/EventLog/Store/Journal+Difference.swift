extension Journal {
  /// Compares this journal with another copy of it, without changing either.
  ///
  /// In the result, this journal is the left one. Both are read with this journal's catalog.
  /// Damaged lines are skipped; ``JournalDifference/damage`` reports them.
  ///
  /// - Parameter other: The other copy, the right one.
  /// - Returns: The events, fields, and conflicts in which the journals differ.
  /// - Throws: `noJournal`, `notAJournal`, `inputOutput`; `otherUser` if the journals belong to
  ///   different users.
  /// - Complexity: O(*n*), where *n* is the size of both files. Lines that a checkpoint covers are
  ///   only compared with its checksum, so that damage is found. A common beginning is processed
  ///   only once. In rare cases, this journal is read a second time to determine the bases of
  ///   conflicts that merging would raise.
  public func difference(from other: Journal) throws(EventLogError) -> JournalDifference {
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
    // With the state of one at hand, only the other is left to read.
    var prefix =
      stored.here == nil && stored.there == nil
      ? CommonPrefix(of: left, and: right, into: JournalPass(sink: Fold(catalog))) : nil
    // If most is still to come, pages cost more than they save.
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
    var comparison = JournalComparison(
      left: .init(journal: self, file: left, pass: read.here.0, end: read.here.1),
      right: .init(journal: other, file: right, pass: read.there.0, end: read.there.1),
      past: shared)
    return try comparison.difference()
  }
}
