extension Conflict {
  /// The entity, or that of the day, that the conflict is about; nil for one of another kind, and
  /// for what there is only one of.
  public func id<R: Record>(of type: R.Type) -> ID<R>? {
    EntityID(String(entity.prefix { $0 != "@" })).flatMap { ID<R>($0) }
  }

  /// The day that the conflict is about; nil where it is about the entity itself.
  public var day: Day? {
    entity.lastIndex(of: "@").flatMap { Day(String(entity[entity.index(after: $0)...])) }
  }

  /// Whether the conflict is about the field that a property shows.
  public func isAbout<R: Record>(_ path: PartialKeyPath<R>) -> Bool {
    kind == .values && day == nil && isOf(R.self) && R.schema.fieldName(path) == field
  }

  /// Whether the conflict is about the field that a property of a day shows.
  public func isAbout<R: Record>(_ path: PartialKeyPath<R.Daily>, of type: R.Type) -> Bool {
    kind == .values && day != nil && isOf(type) && R.schema.dayFieldName(path) == field
  }

  private func isOf<R: Record>(_ type: R.Type) -> Bool {
    id(of: type) != nil || entity == R.schema.kind
  }

  /// What a candidate wrote, as the property would show it; nil where the conflict is about
  /// something else.
  ///
  /// A value that does not fit the property reads as what the record begins with.
  public func value<R: Record, Value>(
    of path: KeyPath<R, Value>, for candidate: Candidate
  ) -> Value? {
    guard isAbout(path) else { return nil }
    return R.schema.record { $0 == field ? candidate.value : nil }[keyPath: path]
  }

  /// What a candidate wrote, as the property of a day would show it; nil where the conflict is
  /// about something else.
  public func value<R: Record, Value>(
    of path: KeyPath<R.Daily, Value>, in type: R.Type, for candidate: Candidate
  ) -> Value? {
    guard isAbout(path, of: type) else { return nil }
    return R.schema.daily { $0 == field ? candidate.value : nil }[keyPath: path]
  }
}

extension Snapshot {
  /// The conflicts about an entity and its days, by ID.
  ///
  /// - Complexity: O(open conflicts).
  public func conflicts<R: Record>(of id: ID<R>) -> [Conflict] {
    conflicts.filter { $0.id(of: R.self) == id }
  }
}
