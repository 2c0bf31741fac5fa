extension Snapshot {
  /// The live writes that changes of a record would replace although the record can't show them, or
  /// not in full.
  ///
  /// - Parameter over: The writes that may be replaced.
  /// - Throws: `changedMeanwhile` with these writes, if there are any.
  func checkReadable<R: Record>(
    _ changes: [FieldChange], of type: R.Type, _ entity: EntityID?, on day: Day?,
    over: [UnseenWrite]
  ) throws(EventLogError) {
    guard let row = row(of: type, entity, on: day) else { return }
    let found =
      day == nil
      ? unreadable(changes, row, R.schema.fields, R())
      : unreadable(changes, row, R.schema.days, R.Daily())
    let unseen = found.filter { !over.contains(write: $0) }
    if !unseen.isEmpty { throw .unreadable(unseen) }
  }

  private func row<R: Record>(of type: R.Type, _ entity: EntityID?, on day: Day?) -> Int32? {
    guard let entity else {
      return catalog.collections.firstIndex { $0.kind == R.schema.kind }.map { Int32($0) }
    }
    guard let index = fold.entityNames.find(entity.description) else { return nil }
    let row = day.map { fold.dayRow(of: Int32(index), $0.number) } ?? fold.entities[index].row
    return row < 0 ? nil : row
  }

  private func unreadable<Root>(
    _ changes: [FieldChange], _ row: Int32, _ fields: [RecordField<Root>], _ blank: Root
  ) -> [UnseenWrite] {
    var (found, root) = ([UnseenWrite](), blank)
    for change in changes {
      guard let field = fields.first(where: { $0.name == change.field }),
        let name = fold.fieldNames.find(StringSpelling.spelled(field.name.utf8))
      else { continue }
      switch change {
      case .write:
        let cell = Int(fold.findRegister(row, Int32(name)))
        for live in cell < 0 ? [] : fold.registers.liveValues(cell) {
          let value = JSONValue(canonical: fold.registers.bytes(live))
          if value == .null || !fold.breaksRule(value, cell) && field.readFully(value, &root) {
            continue
          }
          found.append(fold.write(of: field.name, row, live.dot, value, ledger))
        }
      case .set:
        guard let cell = fold.findCounter(row, Int32(name)) else { continue }
        let total = fold.counters.shown(Int(cell), ledger)
        if total.json.map({ field.readFully($0, &root) }) ?? (total != .unreadable) { continue }
        found += fold.counters.liveDots(Int(cell)).map {
          fold.write(of: field.name, row, $0, total.json, ledger)
        }
      case .advance, .include, .exclude: continue
      }
    }
    return found
  }
}

extension [UnseenWrite] {
  /// Whether an element is about the same field and event.
  func contains(write: UnseenWrite) -> Bool {
    contains {
      $0.event == write.event && $0.field.hasBytes(of: write.field)
        && $0.entity.hasBytes(of: write.entity)
    }
  }
}

extension EventLogError {
  /// The error for an append that would replace values which its writer can't read.
  static func unreadable(_ unseen: [UnseenWrite]) -> EventLogError {
    let first = unseen[0]
    return EventLogError(
      .changedMeanwhile,
      "This would replace \(first.field) of \(first.entity), which a later version wrote in"
        + " \(first.event) and this version can't read in full. Nothing was written.",
      hint: AppHint.unreadable, unseen: unseen)
  }
}
