extension Conflict {
  /// Returns the ID of the entity that the conflict is about.
  ///
  /// For a conflict about a day, this is the entity that the day belongs to.
  ///
  /// - Parameter type: The record type.
  /// - Returns: The ID, or `nil` if the entity is of another kind or a singleton.
  public func id<R: Record>(of type: R.Type) -> EventLog.ID<R>? {
    EntityID(String(entity.prefix { $0 != "@" })).flatMap { EventLog.ID<R>($0) }
  }

  /// The day that the conflict is about, or `nil` if it is about the entity itself.
  public var day: Day? {
    entity.lastIndex(of: "@").flatMap { Day(String(entity[entity.index(after: $0)...])) }
  }

  /// Returns whether the conflict is about the field that a property shows.
  ///
  /// - Parameter path: A property of the entity.
  public func isAbout<R: Record>(_ path: PartialKeyPath<R>) -> Bool {
    kind == .values && day == nil && isOf(R.self) && R.schema.fieldName(path) == field
  }

  /// Returns whether the conflict is about the field that a property of a day shows.
  ///
  /// - Parameters:
  ///   - path: A property of the day.
  ///   - type: The record type of the entity.
  public func isAbout<R: Record>(_ path: PartialKeyPath<R.Daily>, of type: R.Type) -> Bool {
    kind == .values && day != nil && isOf(type) && R.schema.dayFieldName(path) == field
  }

  private func isOf<R: Record>(_ type: R.Type) -> Bool {
    id(of: type) != nil || entity == R.schema.kind
  }

  /// Returns a candidate's value, as a property would show it.
  ///
  /// If the candidate's value doesn't fit the property, the result is the value that `R()` gives
  /// the property.
  ///
  /// - Parameters:
  ///   - path: A property of the entity.
  ///   - candidate: A candidate of the conflict.
  /// - Returns: The value, or `nil` if the conflict is about something else.
  public func value<R: Record, Value>(
    of path: KeyPath<R, Value>, for candidate: Candidate
  ) -> Value? {
    guard isAbout(path) else { return nil }
    return R.schema.record { $0 == field ? candidate.value : nil }[keyPath: path]
  }

  /// Returns a candidate's value, as a property of a day would show it.
  ///
  /// If the candidate's value doesn't fit the property, the result is the value that `R.Daily()`
  /// gives the property.
  ///
  /// - Parameters:
  ///   - path: A property of the day.
  ///   - type: The record type of the entity.
  ///   - candidate: A candidate of the conflict.
  /// - Returns: The value, or `nil` if the conflict is about something else.
  public func value<R: Record, Value>(
    of path: KeyPath<R.Daily, Value>, in type: R.Type, for candidate: Candidate
  ) -> Value? {
    guard isAbout(path, of: type) else { return nil }
    return R.schema.daily { $0 == field ? candidate.value : nil }[keyPath: path]
  }
}

extension Snapshot {
  /// Returns the conflicts about an entity and its days, sorted by ID.
  ///
  /// - Parameter id: The entity.
  /// - Complexity: O(*n*), where *n* is the number of open conflicts.
  public func conflicts<R: Record>(of id: ID<R>) -> [Conflict] {
    conflicts.filter { $0.id(of: R.self) == id }
  }
}
