public import EventLog

extension Journal {
  /// Returns every write of a field: who wrote it, when, which writes it replaced, and whether it
  /// is shown.
  ///
  /// - Parameters:
  ///   - entity: The entity: `<kind>/<key>`, the kind of a singleton, or an unambiguous key,
  ///     key prefix, or name. For a day, append `@YYYY-MM-DD`.
  ///   - field: The name of the field, or `presence` for the creation, deletion, and restoration of
  ///     the entity.
  ///   - cut: The part of the journal to include, or `nil` for all of it.
  /// - Returns: The writes of the field, and the problems found in the file.
  /// - Throws: `noEntity` if the entity doesn't exist; `noField` if the field was never written;
  ///   `tooManyDevices` if so many devices have written the field that the answer would take very
  ///   long, such as 400 devices once each, or 20 devices 160,000 times; and the errors of
  ///   `snapshot(at:includingDeleted:)`.
  /// - Complexity: O(*n*), where *n* is the size of the file. The file is read twice, or three
  ///   times for a cut. The memory used depends on the size of the state and the number of the
  ///   field's writes.
  public func why(
    _ entity: String, _ field: String, at cut: Cut? = nil
  ) throws(EventLogError) -> FieldReading {
    try readState(at: cut) { (state) throws(EventLogError) in
      let search = RowSearch(state, path: path, isPart: cut != nil)
      let row = try search.row(named: entity)
      guard let location = state.fold.fieldLocation(row: row, named: field) else {
        throw search.noField(field, of: row)
      }
      var collector = WriteCollector(
        fold: state.fold, state.ledger, row: row, entity: location.entity, field: location.field)
      try state.reread(into: &collector)
      return FieldReading(
        history: try state.fold.fieldHistory(location, named: field, collector, state.ledger),
        firstDamage: state.findings.firstDamage, damageCount: state.findings.problemCount,
        warnings: state.warnings)
    }
  }
}

/// The writes of a field, and the problems found in the file that they were read from.
public struct FieldReading: Sendable {
  /// The writes of the field.
  public let history: FieldHistory
  /// The first problem in the file that is damage, or `nil` if there is none.
  ///
  /// Because of damage, writes may be missing.
  public let firstDamage: JournalProblem?
  /// The number of problems in the file that are damage.
  public let damageCount: Int
  /// A warning if the end of the file may be a torn write.
  ///
  /// Empty otherwise.
  public let warnings: [JournalProblem]
}
