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
    let shared =
      stored.here == nil && stored.there == nil ? try readShared(left, right, of: other) : nil
    let blank = JournalPass(sink: Fold(catalog))
    let read = try worker.both(
      there: { () throws(EventLogError) in
        try other.read(right, from: stored.there ?? shared ?? blank)
      },
      here: { () throws(EventLogError) in
        try self.read(left, from: stored.here ?? shared ?? blank)
      })
    var comparison = JournalComparison(
      left: .init(self, left, read.here.0, read.here.1),
      right: .init(other, right, read.there.0, read.there.1), past: shared)
    return try comparison.difference()
  }

  /// Reads the beginning that both files have in common, up to the end of a line; nil where there
  /// is none.
  private func readShared(
    _ left: JournalFile, _ right: JournalFile, of other: Journal
  ) throws(EventLogError) -> JournalPass<Fold>? {
    var shared = JournalPass(sink: Fold(catalog))
    do throws(Errno) {
      let size = try fileSystem.status(of: left.descriptor).size
      // A failing line is left to the readings of each, which tell damage from a doubtful end.
      shared.stopsAtFault = true
      let read = try ReadAhead(
        of: left.descriptor, in: fileSystem,
        whileSameAs: .init(right.descriptor, other.fileSystem)
      ).readLines(
        from: shared.endOffset, lineNumber: shared.nextLineNumber, upTo: size, into: &shared)
      guard shared.stoppedAt == nil, let common = read.commonOffset, shared.endOffset <= common
      else { return nil }
      shared.stopsAtFault = false
      shared.slowLineCount += read.slowLineCount
      shared.endOffset = read.offset
      shared.nextLineNumber = read.number
      // Where most is still to come, pages would cost more than they spare.
      if shared.endOffset >= size / 2 { shared.sink.paginate() }
    } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
    return shared
  }
}
