extension Journal {
  /// Every write of one field: by whom, when, what it replaced, and which shows.
  ///
  /// - Parameters:
  ///   - entity: `profile`, `settings`, `<kind>/<key>`; a key alone, the beginning of one or a
  ///     name, if it can mean only one; for a day with `@YYYY-MM-DD` behind it.
  ///   - field: its name; `presence` tells of creation, deletion and restoration.
  ///   - cut: the part of the journal to look back at.
  /// - Throws: `noEntity`, `noField` for what was never written; else as
  ///   ``snapshot(at:includingDeleted:)``.
  /// - Complexity: O(file size), two readings, three for a cut by event or device; memory by the
  ///   state and the writes of the field.
  public func why(
    _ entity: String, _ field: String, at cut: Cut? = nil
  ) throws(EventLogError) -> FieldReading {
    let file = try JournalFile.open(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    let limits =
      try cut.map { (cut) throws(EventLogError) in try resolve(cut, file) } ?? ResolvedCut()
    let (pass, end) = try read(file, into: CutSink(Fold(catalog), limits))
    let fold = pass.sink.inner
    let row = try place(entity, in: fold)
    guard let place = fold.fieldPlace(row: row, named: field) else {
      throw noField(field, entity, fold.fieldNames(row: row))
    }
    var collector = CutSink(
      WriteCollector(fold: fold, row: row, entity: place.entity, field: place.field), limits)
    try JournalRereading(
      JournalReading(path: path, fileSystem: fileSystem, file: file.descriptor),
      upTo: end.lacksLineFeed ? end.size : pass.endOffset, after: pass
    ).read(into: &collector)
    return FieldReading(
      history: fold.fieldHistory(place, named: field, collector.inner.writes, pass.ledger),
      firstDamage: pass.problems.firstDamage)
  }

  /// The row that a person means.
  private func place(_ text: String, in fold: Fold) throws(EventLogError) -> Int32 {
    if let place = fold.catalog.collections.firstIndex(where: { $0.kind == text && $0.isSingleton })
    {
      return Int32(place)
    }
    var name = text
    var day: Day?
    if let at = text.lastIndex(of: "@"), let found = Day(String(text[text.index(after: at)...])) {
      name = String(text[..<at])
      day = found
    }
    let entity = try self.entity(name, in: fold)
    guard let index = fold.entityNames.find(entity.description) else {
      throw noEntity(name, in: fold)
    }
    guard let day else { return fold.entities[index].row }
    let row = fold.dayRow(of: Int32(index), day.number)
    if row >= 0 { return row }
    throw EventLogError(
      .noEntity, "Nothing was ever written to \(entity) on \(day).",
      hint: "eventlog project shows its days.", at: .init(file: path))
  }

  private func entity(_ name: String, in fold: Fold) throws(EventLogError) -> EntityID {
    let id = EntityID(name)
    let kind = id.flatMap { fold.catalog.collection(kind: $0.kind) == nil ? nil : $0.kind }
    let found = fold.entities(
      meantBy: kind == nil ? name : id!.key, kind: kind, includingDeleted: true)
    if found.count == 1 { return found[0] }
    if found.isEmpty { throw noEntity(name, in: fold) }
    let names = found.map(\.description).sorted().prefix(5).joined(separator: ", ")
    throw EventLogError(
      .noEntity, "\"\(name)\" could be any of \(found.count): \(names).",
      hint: "Give the whole key.", at: .init(file: path))
  }

  private func noEntity(_ name: String, in fold: Fold) -> EventLogError {
    let known = fold.entities.indices.filter { fold.entities[$0].row >= 0 }
      .map(fold.entityNames.text)
    let singletons = fold.catalog.collections.filter(\.isSingleton).map(\.kind)
    let near =
      Suggestion.nearest(to: name, among: known + singletons)
      ?? Suggestion.nearest(
        to: name, among: known.map { String($0.drop { $0 != "/" }.dropFirst()) })
    return EventLogError(
      .noEntity, "There is no \"\(name)\" in \(path).",
      hint: near.map { "Did you mean \($0)?" } ?? "eventlog project lists what there is.",
      at: .init(file: path))
  }

  private func noField(_ field: String, _ entity: String, _ known: [String]) -> EventLogError {
    EventLogError(
      .noField, "Nothing was ever written to the field \"\(field)\" of \(entity).",
      hint: Suggestion.nearest(to: field, among: known).map { "Did you mean \"\($0)\"?" }
        ?? (known.isEmpty
          ? "None of its fields was ever written."
          : "Written were \(known.prefix(8).joined(separator: ", "))."),
      at: .init(file: path))
  }
}

/// What was found of a field, and of the file that it was read from.
public struct FieldReading: Sendable {
  public let history: FieldHistory
  /// The first damage in the file's order; writes may be missing because of it.
  public let firstDamage: JournalProblem?
}
