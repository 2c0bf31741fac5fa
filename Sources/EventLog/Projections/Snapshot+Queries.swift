extension Snapshot {
  /// Returns the entities of a kind that satisfy a condition, sorted by key.
  ///
  /// ```swift
  /// let light = state.all(Meal.self) { $0.kcal < 200 }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - isIncluded: A closure that returns whether to include an entity.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: That of ``all(_:)``, and one call of `isIncluded` for each entity of the kind.
  public func all<R: Record>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool
  ) -> [Stored<R>] {
    all(type).filter(isIncluded)
  }

  /// Returns the entities of a kind that satisfy a condition, sorted by a property.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - isIncluded: A closure that returns whether to include an entity.
  ///   - path: The property to sort by. Entities with equal values are sorted by key.
  ///   - descending: Whether the greatest value comes first.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities of the kind.
  public func all<R: Record, Value: Comparable>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true },
    orderedBy path: KeyPath<R, Value>, descending: Bool = false
  ) -> [Stored<R>] {
    Self.sort(all(type).filter(isIncluded)) { first, second in
      let (first, second) = (first[keyPath: path], second[keyPath: path])
      return descending ? second < first : first < second
    }
  }

  /// Returns the entities of a kind that satisfy a condition, sorted by an optional property.
  ///
  /// Entities without a value come last.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - isIncluded: A closure that returns whether to include an entity.
  ///   - path: The property to sort by. Entities with equal values are sorted by key.
  ///   - descending: Whether the greatest value comes first.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n* log *n*), where *n* is the number of entities of the kind.
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

  /// Sorts, keeping the order of equal elements.
  ///
  /// The standard library's sort is stable, too, but doesn't promise it.
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

  /// Returns the number of entities of a kind that satisfy a condition.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - isIncluded: A closure that returns whether to count an entity.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: That of ``all(_:where:)``.
  public func count<R: Record>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true }
  ) -> Int {
    all(type).count(where: isIncluded)
  }

  /// Returns the first entity of a kind, by key, that satisfies a condition, or `nil` if there is
  /// none.
  ///
  /// - Parameters:
  ///   - type: The record type.
  ///   - isIncluded: A closure that returns whether an entity satisfies the condition.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: That of ``all(_:where:)``.
  public func first<R: Record>(
    _ type: R.Type, where isIncluded: (Stored<R>) -> Bool = { _ in true }
  ) -> Stored<R>? {
    all(type).first(where: isIncluded)
  }

  /// Returns the days of an entity in a range of which a field has a value or a conflict, sorted by
  /// date.
  ///
  /// ```swift
  /// let week = state.days(of: tea, in: today.advanced(by: -6)...today)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The entity.
  ///   - range: The range of days.
  /// - Precondition: The store or journal was opened with the record type.
  /// - Complexity: O(*n*), where *n* is the number of days in the range or of the entity, whichever
  ///   is less.
  public func days<R: Record>(of id: ID<R>, in range: ClosedRange<Day>) -> [StoredDay<R>] {
    assertKnown(R.self)
    guard let entity = entityIndex(of: id) else { return [] }
    return fold.dayRows(of: entity, in: range).filter { fold.isListed(day: $0, ledger) }.map(day)
  }
}

extension Fold {
  /// The rows of an entity's days in a range, sorted by date.
  fileprivate func dayRows(of entity: Int32, in range: ClosedRange<Day>) -> [Int32] {
    let (first, last) = (range.lowerBound.number, range.upperBound.number)
    var found: [Int32] = []
    var row = entities[Int(entity)].firstDay
    var count = 0
    while row >= 0 {
      // The entity has more days than the range: look up the days of the range instead.
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
