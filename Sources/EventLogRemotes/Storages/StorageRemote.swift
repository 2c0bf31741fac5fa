package import EventLog

/// A remote whose storage also keeps objects other than events.
package protocol StorageRemote: Remote {
  /// Returns a storage for other objects beside the remote's events, or nil if the place keeps only
  /// events.
  ///
  /// - Parameter name: The name: letters from a to z, and hyphens.
  func storage(named name: String) -> (any ObjectStorage)?

  /// Passes on every object with events and its name.
  ///
  /// An object that vanishes meanwhile was joined with others, so these are passed on, too.
  ///
  /// - Throws: `remoteFailed` if objects go on vanishing, and the errors of the place.
  func readObjects(
    _ body: (_ name: String, _ bytes: [UInt8]) -> Void
  ) async throws(EventLogError)
}

extension ObjectStorage {
  fileprivate func readObjects(
    _ body: (_ name: String, _ bytes: [UInt8]) -> Void
  ) async throws(EventLogError) {
    var seen: Set<String> = []
    for _ in 0..<5 {
      var hasVanished = false
      for object in try await ListingCache.all(of: self) where !seen.contains(object.name) {
        guard let bytes = try await read(object.name) else {
          hasVanished = true
          continue
        }
        seen.insert(object.name)
        body(object.name, bytes)
      }
      if !hasVanished { return }
    }
    throw EventLogError(
      .remoteFailed, "\"\(address)\" lists objects that can't be found. Nothing was changed.",
      hint: "Another device may be writing there: try again later.")
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
