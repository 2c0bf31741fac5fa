// What the file system knows of a file without reading it.

/// The kinds of things that a path can name.
package enum FileKind: Sendable, Hashable, CaseIterable {
  /// A regular file.
  case regular
  /// A folder.
  case folder
  /// A pipe, a socket, a device: nothing that can hold a journal.
  case other
}

/// What the file system knows of a file without reading it.
///
/// `device` and `inode` together name a file for as long as it exists; a later file may get the
/// same pair, which `birth` then tells apart where the file system records it.
package struct FileStatus: Sendable, Hashable {
  /// What it is.
  package var kind: FileKind
  /// The length in bytes.
  package var size: Int64
  /// The number of the file system that holds it.
  package var device: UInt64
  /// The number of the file on that file system.
  package var inode: UInt64
  /// When it was created, in nanoseconds since 1970 UTC; `nil` where that is not recorded.
  package var birth: Int64?
  /// When its bytes last changed, in nanoseconds since 1970 UTC.
  package var modified: Int64
  /// Who may do what: the lowest nine bits of its mode.
  package var permissions: UInt16

  /// Whether its owner's group, or anybody, may read or write it, or look into it.
  package var isOpenToOthers: Bool { permissions & 0o077 != 0 }

  /// Makes a status out of its parts.
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
