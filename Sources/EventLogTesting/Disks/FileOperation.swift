// The names under which calls of a file system are counted and failed.

/// The calls of a `FileSystem`, by name.
public enum FileOperation: Sendable, Hashable, CaseIterable {
  /// `open`
  case open
  /// `close`, which cannot fail
  case close
  /// `read`
  case read
  /// `write`
  case write
  /// `sync` of a file
  case sync
  /// `truncate`
  case truncate
  /// `tryLock`
  case lock
  /// `unlock`
  case unlock
  /// `status` of a descriptor or of a path
  case status
  /// `rename`
  case rename
  /// `remove`
  case remove
  /// `makeFolder`
  case makeFolder
  /// `contents` of a folder
  case contents
  /// `syncFolder`
  case syncFolder
  /// `excludeFromBackup`
  case excludeFromBackup
  /// `watch`, whose beginning can fail
  case watch
  /// `machineIdentity`, which cannot fail
  case machineIdentity

  /// Whether the call can throw at all.
  public var canFail: Bool {
    self != .close && self != .machineIdentity
  }
}
