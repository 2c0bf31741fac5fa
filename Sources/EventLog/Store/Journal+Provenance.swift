extension Journal {
  /// Every write of one field: by whom, when, what it replaced, and which shows.
  ///
  /// - Parameters:
  ///   - entity: the kind of a singleton, `<kind>/<key>`; a key alone, the beginning of one or a
  ///     name, if it can mean only one; for a day with `@YYYY-MM-DD` behind it.
  ///   - field: its name; `presence` tells of creation, deletion and restoration.
  ///   - cut: the part of the journal to look back at.
  /// - Throws: `noEntity`, `noField` for what was never written; `tooManyDevices` where so many
  ///   have written the field that it would take very long (400 devices once each, 20 of them
  ///   160,000 times); else as ``snapshot(at:includingDeleted:)``.
  /// - Complexity: O(file size), two readings, three for a cut; memory by the
  ///   state and the writes of the field.
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

/// What was found of a field, and of the file that it was read from.
public struct FieldReading: Sendable {
  /// The writes of the field.
  public let history: FieldHistory
  /// The first damage in the file's order; writes may be missing because of it.
  public let firstDamage: JournalProblem?
  /// How much damage there is.
  public let damageCount: Int
  /// A doubtful end.
  public let warnings: [JournalProblem]
}
