/// The kinds of files.
package enum FileKind: Sendable, Hashable, CaseIterable {
  /// A regular file.
  case regular
  /// A folder.
  case folder
  /// A pipe, socket or device, which can't contain a journal.
  case other
}

/// The metadata of a file.
///
/// `device` and `inode` together identify a file as long as it exists. A later file may get the
/// same pair, but another `birth`, if the file system records it.
package struct FileStatus: Sendable, Hashable {
  package var kind: FileKind
  /// The length in bytes.
  package var size: Int64
  /// The number of the file system that contains the file.
  package var device: UInt64
  /// The number of the file on that file system.
  package var inode: UInt64
  /// The creation time, in nanoseconds since 1970 UTC; `nil` if it isn't recorded.
  package var birth: Int64?
  /// The time of the last change to its bytes, in nanoseconds since 1970 UTC.
  package var modified: Int64
  /// The permissions: the lowest nine bits of the mode.
  package var permissions: UInt16

  /// Whether group or others have any permission.
  package var isOpenToOthers: Bool { permissions & 0o077 != 0 }

  package init(
    kind: FileKind, size: Int64, device: UInt64, inode: UInt64, birth: Int64?, modified: Int64,
    permissions: UInt16 = 0o600
  ) {
    self.kind = kind
    self.size = size
    self.device = device
    self.inode = inode
    self.birth = birth
    self.modified = modified
    self.permissions = permissions
  }
}
