public import EventLog

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
    try compare(with: other) { (journals) throws(EventLogError) in
      var comparison = JournalComparison(journals)
      return try comparison.difference()
    }
  }

  /// Retires this journal's device ID if a comparison has shown that the ID isn't safe to use.
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
  /// - Parameters:
  ///   - difference: The result of ``Journal/difference(from:)``.
  ///   - side: The side that this journal had in the comparison.
  /// - Returns: A message for the user that explains why the ID was retired. `nil` if the ID is
  ///   safe, was already retired, or wouldn't be used by the next append anyway.
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
    return try giveUpDeviceID(besides: others)
  }
}
