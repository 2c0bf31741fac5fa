import EventLog

extension ObjectIndex {
  /// Puts a schema file unless a later one is there, and removes earlier ones.
  ///
  /// - Returns: The latest schema file if it differs from `schema`, isn't earlier and can be read.
  func exchange(_ schema: SchemaFile?) async throws(EventLogError) -> SchemaFile? {
    let names = catalog.schemas
    let highest = max(names.last?.revision ?? 0, schema?.name.revision ?? 0)
    let others = names.filter { $0.revision == highest }
    if let schema, schema.name.revision == highest {
      // Bounds the objects of an app that changes declarations, but not the revision.
      if !others.contains(schema.name), others.count < ObjectLimits.namesMax {
        _ = try await storage.put(schema.name.text, schema.content)
      }
      for name in names where name.revision < highest { try await remove(name.text) }
    }
    guard let other = others.last(where: { $0 != schema?.name }) else { return nil }
    return try await storage.read(other.text).flatMap { SchemaFile(other, $0) }
  }
}
