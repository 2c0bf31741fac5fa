package import EventLog

/// A remote whose storage also keeps objects other than events.
package protocol StorageRemote: Remote {
  /// Returns a storage for other objects beside the remote's events, or nil if the place keeps only
  /// events.
  ///
  /// - Parameter name: The name: letters from a to z, and hyphens.
  func storage(named name: String) -> (any ObjectStorage)?
}

extension ObjectRemote: StorageRemote {
  package func storage(named name: String) -> (any ObjectStorage)? { storage.storage(named: name) }
}

extension FolderRemote: StorageRemote {
  package func storage(named name: String) -> (any ObjectStorage)? { storage.storage(named: name) }
}
