extension Record {
  /// The field that a property shows, for a write.
  ///
  /// - Throws: `invalidEvent` if the schema declares none.
  static func field(_ path: PartialKeyPath<Self>) throws(EventLogError) -> String {
    guard let field = schema.fieldName(path) else { throw .noField(Self.self) }
    return field
  }

  /// The same for a property of a day.
  static func dayField(_ path: PartialKeyPath<Daily>) throws(EventLogError) -> String {
    guard let field = schema.dayFieldName(path) else { throw .noField(Self.self) }
    return field
  }
}

extension EventLogError {
  /// The error for an edit of an entity that doesn't exist or is deleted.
  static func missing<R: Record>(_ id: ID<R>, in state: Snapshot) -> EventLogError {
    state.isHidden(id.entity)
      ? EventLogError(
        .deletedEntity, "\"\(id)\" is deleted. Nothing was written.",
        hint: "restore(_:) restores it with all its data.")
      : EventLogError(
        .noEntity, "\"\(id)\" does not exist. Nothing was written.",
        hint: state.fold.entity(nearestTo: id.entity.key, kind: id.entity.kind)
          .map { "Did you mean \($0)?" } ?? EventLogError.AppHint.noEntity)
  }

  fileprivate static func noField<R: Record>(_ type: R.Type) -> EventLogError {
    EventLogError(
      .invalidEvent, "\(R.self) declares no field for this property. Nothing was written.",
      hint: "Add the property to the schema.")
  }

  /// The error for a key of the caller that isn't valid.
  static func invalidKey(_ key: String) -> EventLogError {
    EventLogError(
      .invalidEvent,
      "\"\(key)\" is not a key: a key has 1 to 128 characters of A-Z a-z 0-9 . _ ~ -. Nothing was"
        + " written.", hint: "Use other characters, or leave the key out to have one generated.")
  }
}
