extension Snapshot {
  /// The entities of a kind that pass a test, by key.
  ///
  /// ```swift
  /// let light = state.all(Meal.self) { $0.kcal < 200 }
  /// ```
  ///
  /// - Precondition: the store or the journal was opened with the record.
  /// - Complexity: as ``all(_:)``, and a call of `isIncluded` for each entity of the kind.
  public func all<R: Record>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool
  ) -> [Stored<R>] {
    all(type).filter(isIncluded)
  }

  /// The entities of a kind by the value of a property, and by key where that is equal.
  ///
  /// - Parameter descending: whether the greatest value comes first.
  /// - Precondition: the store or the journal was opened with the record.
  /// - Complexity: O(n log n) in the entities of the kind.
  public func all<R: Record, Value: Comparable>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true },
    orderedBy path: KeyPath<R, Value>, descending: Bool = false
  ) -> [Stored<R>] {
    Self.sort(all(type).filter(isIncluded)) { first, second in
      let (first, second) = (first[keyPath: path], second[keyPath: path])
      return descending ? second < first : first < second
    }
  }

  /// The same by a property that may be absent; entities without a value come last.
  public func all<R: Record, Value: Comparable>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true },
    orderedBy path: KeyPath<R, Value?>, descending: Bool = false
  ) -> [Stored<R>] {
    Self.sort(all(type).filter(isIncluded)) { first, second in
      guard let first = first[keyPath: path] else { return false }
      guard let second = second[keyPath: path] else { return true }
      return descending ? second < first : first < second
    }
  }

  /// The sort of the standard library keeps the order of what is equal, but does not promise it.
  private static func sort<R: Record>(
    _ rows: [Stored<R>], _ precedes: (R, R) -> Bool
  ) -> [Stored<R>] {
    rows.enumerated().sorted { first, second in
      if precedes(first.element.value, second.element.value) { return true }
      if precedes(second.element.value, first.element.value) { return false }
      return first.offset < second.offset
    }
    .map(\.element)
  }

  /// How many entities of a kind pass a test.
  ///
  /// - Precondition: the store or the journal was opened with the record.
  /// - Complexity: as ``all(_:where:)``.
  public func count<R: Record>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true }
  ) -> Int {
    all(type).count(where: isIncluded)
  }

  /// The first entity of a kind, by key, that passes a test; nil where none does.
  ///
  /// - Precondition: the store or the journal was opened with the record.
  /// - Complexity: as ``all(_:where:)``.
  public func first<R: Record>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true }
  ) -> Stored<R>? {
    all(type).first(where: isIncluded)
  }

  /// The days of an entity within a range for which anything was written, by date.
  ///
  /// ```swift
  /// let week = state.days(of: tea, in: today.advanced(by: -6)...today)
  /// ```
  ///
  /// - Precondition: the store or the journal was opened with the record.
  /// - Complexity: O(days of the range, or of the entity where these are fewer).
  public func days<R: Record>(of id: ID<R>, in range: ClosedRange<Day>) -> [StoredDay<R>] {
    assertKnown(R.self)
    guard let entity = entityIndex(of: id) else { return [] }
    return fold.dayRows(of: entity, in: range).map(day)
  }
}

extension Fold {
  /// The rows of an entity's days within a range, by date.
  fileprivate func dayRows(of entity: Int32, in range: ClosedRange<Day>) -> [Int32] {
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    var found: [Int32] = []
    var row = entities[Int(entity)].firstDay
    var count = 0
    while row >= 0 {
      // More days than the range has: those are looked up one by one.
      if count > Int(last) - Int(first) {
        return (first...last).compactMap { day in
          let row = dayRow(of: entity, day)
          return row < 0 ? nil : row
        }
      }
      if (first...last).contains(rows[Int(row)].day) { found.append(row) }
      count += 1
      row = rows[Int(row)].nextDay
    }
    return found.sorted { rows[Int($0)].day < rows[Int($1)].day }
  }
}
