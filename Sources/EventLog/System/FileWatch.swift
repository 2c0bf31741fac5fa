// What a file system says when a file changes.

/// What became of a file that is watched.
package enum FileChange: Sendable, Hashable {
  /// Its bytes changed, or the path leads to another file now, or to none.
  case changed
  /// The watch cannot notice anything any more; no further call comes.
  ///
  /// Its folder is gone, or the system has no room for the watch that is needed now.
  case lost
}

/// A file that is being watched, until ``cancel()`` or until the last reference goes.
package protocol FileWatch: AnyObject, Sendable {
  /// Ends the watch; from any thread, also from within a call, and as often as one likes.
  ///
  /// It does not wait: of a call that is just beginning or going on in another thread, nobody
  /// knows. After that one there is none.
  func cancel()
}

extension FileSystem {
  /// A file system that cannot watch says so; whoever asked has to look from time to time.
  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    throw .notSupported
  }
}
