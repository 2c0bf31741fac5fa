extension Journal {
  /// Returns every write of a field: who wrote it, when, which writes it replaced, and whether it
  /// is shown.
  ///
  /// - Parameters:
  ///   - entity: The entity: `<kind>/<key>`, the kind of a singleton, or an unambiguous key,
  ///     beginning of a key, or name. For a day, append `@YYYY-MM-DD`.
  ///   - field: The name of the field, or `presence` for the creation, deletion, and restoration of
  ///     the entity.
  ///   - cut: The part of the journal to include, or `nil` for all of it.
  /// - Returns: The writes of the field, and the problems found in the file.
  /// - Throws: `noEntity` if the entity doesn't exist; `noField` if the field was never written;
  ///   `tooManyDevices` if so many devices have written the field that the answer would take very
  ///   long, such as 400 devices once each, or 20 devices 160,000 times; and the errors of
  ///   ``snapshot(at:includingDeleted:)``.
  /// - Complexity: O(*n*), where *n* is the size of the file. The file is read twice, or three
  ///   times for a cut. The memory used depends on the size of the state and the number of the
  ///   field's writes.
  public func why(
    _ entity: String, _ field: String, at cut: Cut? = nil
  ) throws(EventLogError) -> FieldReading {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let limits =
      try cut.map { (cut) throws(EventLogError) in try resolve(cut, file).cut } ?? ResolvedCut()
    let (pass, end) = try read(file, into: CutSink(Fold(catalog), limits))
    let fold = pass.sink.inner
    let search = PlaceSearch(
      fold: fold, path: path, isPart: cut != nil, isDamaged: pass.report.firstDamage != nil)
    let row = try search.row(named: entity)
    guard let place = fold.fieldPlace(row: row, named: field) else {
      throw search.noField(field, of: row)
    }
    var collector = CutSink(
      WriteCollector(
        fold: fold, pass.ledger, row: row, entity: place.entity, field: place.field), limits)
    try JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
      upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass
    ).read(into: &collector)
    let report = pass.report
    return FieldReading(
      history: try fold.fieldHistory(place, named: field, collector.inner, pass.ledger),
      firstDamage: report.firstDamage, damageCount: report.problemCount,
      warnings: tailProblems(end))
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
