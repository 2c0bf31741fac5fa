extension SchemaCatalog {
  /// Returns a catalog that also contains the collections of some record types.
  ///
  /// A record type can also be another view of a collection that the catalog already contains.
  ///
  /// - Parameter records: The record types.
  /// - Throws: `invalidSchema` if the declarations are invalid or contradict each other.
  public func adding(_ records: [any Record.Type]) throws(EventLogError) -> SchemaCatalog {
    var further: [CollectionSchema] = []
    var types: [String: any Record.Type] = [:]
    for record in records {
      let collection = try Self.collection(of: record)
      if let other = further.first(where: { $0.kind == collection.kind })
        ?? self.collection(
          kind: collection.kind), other != collection
      {
        throw .contradiction(collection.kind, record, types[collection.kind])
      }
      if !further.contains(where: { $0.kind == collection.kind }) { further.append(collection) }
      types[collection.kind] = record
    }
    return try adding(further)
  }

  /// Checks that the catalog contains a record's collection.
  ///
  /// - Throws: `invalidSchema` if it doesn't, or if the record declares its collection differently.
  func check<R: Record>(_ record: R.Type) throws(EventLogError) {
    // Each access creates the declaration again, so compare it only once.
    try memo.value {
      CheckedRecord<R>(result: Result { () throws(EventLogError) in try compare(record) })
    }.result.get()
  }

  private func compare<R: Record>(_ record: R.Type) throws(EventLogError) {
    guard let known = collection(kind: R.schema.kind) else {
      throw EventLogError(
        .invalidSchema,
        "The store was not opened with the record \(R.self) (\"\(R.schema.kind)\"). Nothing was"
          + " written.",
        hint: "Pass it when you open the store: EventStore.open(…, records: \(R.self).self).")
    }
    guard try known == Self.collection(of: record) else {
      throw .contradiction(known.kind, record, nil)
    }
  }

  /// The declaration of a record, after checking it.
  private static func collection<R: Record>(
    of record: R.Type
  ) throws(EventLogError) -> CollectionSchema {
    try R.schema.check()
    return R.schema.collection
  }
}

/// The cached comparison of a record with a catalog.
private struct CheckedRecord<R: Record>: Sendable {
  let result: Result<Void, EventLogError>
}

extension EventLogError {
  /// An error for two different declarations of a collection.
  ///
  /// - Parameter other: The record that declared it before, or nil for the catalog.
  fileprivate static func contradiction(
    _ kind: String, _ record: any Record.Type, _ other: (any Record.Type)?
  ) -> EventLogError {
    .refusedSchema(
      kind,
      "\(String(reflecting: record)) declares it differently from"
        + " \(other.map { String(reflecting: $0) } ?? "the catalog of this store")",
      hint: "Give one of them another kind, or use one declaration for both: Schema(of:).")
  }
}
