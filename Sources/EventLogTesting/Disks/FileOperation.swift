// The operations of a file system that are counted and made to fail.

/// The operations of a file system.
public enum FileOperation: Sendable, Hashable, CaseIterable {
  /// Opens a file.
  case open
  /// Closes a file.
  ///
  /// This operation can't fail.
  case close
  /// Reads from a file.
  case read
  /// Writes to a file.
  case write
  /// Syncs a file to disk.
  case sync
  /// Changes the size of a file.
  case truncate
  /// Tries to lock a file.
  case lock
  /// Unlocks a file.
  case unlock
  /// Returns the status of a descriptor or a path.
  case status
  /// Renames a file or folder.
  case rename
  /// Removes a file or an empty folder.
  case remove
  /// Creates a folder.
  case makeFolder
  /// Returns the names in a folder.
  case contents
  /// Syncs a folder to disk.
  case syncFolder
  /// Excludes a file from backups.
  case excludeFromBackup
  /// Begins to watch a file.
  ///
  /// Only the beginning can fail.
  case watch
  /// Returns the identity of the machine.
  ///
  /// This operation can't fail.
  case machineIdentity

  /// A Boolean value that indicates whether the operation can fail.
  public var canFail: Bool {
    self != .close && self != .machineIdentity
  }

  /// Whether the operation changes files, or makes a change durable.
  var changesFiles: Bool {
    switch self {
    case .write, .sync, .truncate, .rename, .remove, .makeFolder, .syncFolder, .excludeFromBackup:
      true
    case .open, .close, .read, .lock, .unlock, .status, .contents, .watch, .machineIdentity: false
    }
  }
}
