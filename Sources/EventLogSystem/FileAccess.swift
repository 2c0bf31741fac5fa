/// The access for which a file is opened.
///
/// A created file has the mode 0600: only its owner can read and write it. There is no append mode:
/// every write specifies its offset.
package enum FileAccess: Sendable, Hashable, CaseIterable {
  /// Reads an existing file.
  case read
  /// Reads and writes an existing file.
  case readWrite
  /// Reads and writes; creates the file if it doesn't exist.
  case create
  /// Reads and writes a file that this call creates; ``Errno/exists`` if it already exists.
  case createNew
}
