extension SchemaCatalog {
  /// The catalog with the collections of further records; a record may also be another view of a
  /// collection that is in it.
  ///
  /// - Throws: `invalidSchema` for declarations that cannot be, or that contradict one another.
  public func adding(_ records: [any Record.Type]) throws(EventLogError) -> SchemaCatalog {
    var further: [CollectionSchema] = []
    for record in records { further.append(try Self.collection(of: record)) }
    return try adding(further)
  }

  private static func collection<R: Record>(
    of record: R.Type
  ) throws(EventLogError) -> CollectionSchema {
    try R.schema.check()
    return R.schema.collection
  }
}
