// How a file is opened.

/// What a file is opened for.
///
/// A file that is created has the mode 0600: only its owner reads and writes it. No access appends:
/// every write names its offset.
package enum FileAccess: Sendable, Hashable, CaseIterable {
  /// Reads a file that exists.
  case read
  /// Reads and writes a file that exists.
  case readWrite
  /// Reads and writes; creates the file if there is none.
  case create
  /// Reads and writes a file created by this very call; ``Errno/exists`` if there was one.
  case createNew
}
