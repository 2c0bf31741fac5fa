import EventLog

extension ObjectIndex {
  /// Puts a schema file unless a later one is there, and removes earlier ones.
  ///
  /// - Returns: The latest other schema file that can be read and isn't earlier, or nil.
  func exchange(
    _ schema: SchemaFile?, _ directions: ReplicationPlan.Directions
  ) async throws(EventLogError) -> SchemaFile? {
    let revision = schema?.name.revision ?? 0
    let others = catalog.schemas.map(\.name).filter {
      $0.revision >= revision && $0 != schema?.name
    }
    let latest = try await firstReadable(of: others.reversed().prefix(ObjectLimits.schemasMax))
    if let schema, directions.contains(.push), (latest?.name.revision ?? 0) <= revision {
      try await put(schema, besides: others.count { $0.revision == revision })
      // A place may refuse removals.
      for (name, _) in catalog.schemas where name.revision < revision {
        do throws(EventLogError) { try await remove(name.text) } catch {
          if error.code == .canceled { throw error }
          break
        }
      }
    }
    return latest
  }

  private func firstReadable(
    of names: some Sequence<SchemaFile.Name>
  ) async throws(EventLogError) -> SchemaFile? {
    for name in names {
      if let file = try await storage.read(name.text).flatMap({ SchemaFile(name, $0) }) {
        return file
      }
    }
    return nil
  }

  /// Puts a schema file that isn't there, or was cut off.
  ///
  /// - Parameter count: The number of others with the same revision.
  private func put(_ schema: SchemaFile, besides count: Int) async throws(EventLogError) {
    if let listed = catalog.schemas.first(where: { $0.name == schema.name }) {
      if listed.byteCount == schema.content.count { return }
      try await storage.remove(schema.name.text)
    }
    // An app may change declarations, but not the revision.
    guard count < ObjectLimits.schemasMax else { return }
    _ = try await storage.put(schema.name.text, schema.content)
  }
}
