extension Snapshot {
  /// Returns the value of an entity on a day, or `nil` if it doesn't exist or is deleted.
  ///
  /// Dated fields have the values that apply to that day, such as the goal of a day before it was
  /// raised. The other fields are as now.
  ///
  /// - Parameters:
  ///   - id: The entity.
  ///   - day: The day.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of fields and of the days from which they apply.
  public func version<R: Record>(of id: ID<R>, on day: Day) -> R? {
    versions(of: id).last { $0.from.map { $0 <= day } ?? true }?.value
  }

  /// Returns the values of an entity, by the first days to which they apply.
  ///
  /// Dated fields have the values that apply from that day until that of the next value. The other
  /// fields are as now.
  ///
  /// - Parameter id: The entity.
  /// - Returns: The values, oldest first. The first one has no day: it applies from the beginning.
  ///   Empty if the entity doesn't exist or is deleted.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n* × *m*), where *n* is the number of fields and *m* that of the days.
  public func versions<R: Record>(of id: ID<R>) -> [(from: Day?, value: R)] {
    assertKnown(R.self)
    return visibleIndex(of: id).map { versions(row: fold.entities[$0].row) } ?? []
  }

  /// Returns the value of a singleton on a day.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - day: The day.
  /// - Precondition: The store or journal was opened with the record type.
  public func version<R: Record>(of type: R.Type, on day: Day) -> R {
    versions(of: type).last { $0.from.map { $0 <= day } ?? true }!.value
  }

  /// Returns the values of a singleton, by the first days to which they apply.
  ///
  /// - Parameter type: The record type.
  /// - Returns: The values, oldest first. The first one has no day: it applies from the beginning.
  /// - Precondition: The store or journal was opened with the record type.
  public func versions<R: Record>(of type: R.Type) -> [(from: Day?, value: R)] {
    assertKnown(type)
    guard let row = catalog.collections.firstIndex(where: { $0.kind == R.schema.kind }),
      catalog.collections[row].isSingleton
    else { return [(nil, R())] }
    return versions(row: Int32(row))
  }

  private func versions<R: Record>(row: Int32) -> [(from: Day?, value: R)] {
    var dated: [String: Timeline] = [:]
    for (cell, field) in fold.registers.cells.chain(from: fold.rows[Int(row)].firstRegister)
    where !fold.datedValues.entries(of: Int32(cell)).isEmpty {
      dated[fold.fieldText(field)] = fold.timeline(of: field, row: row, ledger)
    }
    let days = Set(dated.values.flatMap { $0.steps.compactMap(\.from) })
    return ([nil] + days.sorted()).map { day in
      let value = R.schema.record { name in
        guard let timeline = dated[name] else { return shown(name, row: row) }
        let value = timeline.value(on: day)
        return value == .null ? nil : value
      }
      return (day, value)
    }
  }
}
