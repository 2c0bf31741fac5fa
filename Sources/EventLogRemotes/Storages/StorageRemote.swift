package import EventLog

/// A remote whose storage also keeps objects other than events.
package protocol StorageRemote: Remote {
  /// Returns a storage for other objects beside the remote's events, or nil if the place keeps only
  /// events.
  ///
  /// - Parameter name: The name: letters from a to z, and hyphens.
  func storage(named name: String) -> (any ObjectStorage)?

  /// Passes on every object with events and its name.
  func readObjects(
    _ body: (_ name: String, _ bytes: [UInt8]) -> Void
  ) async throws(EventLogError)
}

extension ObjectStorage {
  fileprivate func readObjects(
    _ body: (_ name: String, _ bytes: [UInt8]) -> Void
  ) async throws(EventLogError) {
    for object in try await ListingCache.all(of: self) {
      if let bytes = try await read(object.name) { body(object.name, bytes) }
    }
  }
}

extension ObjectRemote: StorageRemote {
  package func readObjects(
    _ body: (_ name: String, _ bytes: [UInt8]) -> Void
  ) async throws(EventLogError) { try await storage.readObjects(body) }

  package func storage(named name: String) -> (any ObjectStorage)? { storage.storage(named: name) }
}

extension FolderRemote: StorageRemote {
  package func readObjects(
    _ body: (_ name: String, _ bytes: [UInt8]) -> Void
  ) async throws(EventLogError) { try await storage.readObjects(body) }

  package func storage(named name: String) -> (any ObjectStorage)? { storage.storage(named: name) }
}
