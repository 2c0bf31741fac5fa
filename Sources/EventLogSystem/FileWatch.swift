/// A change to a watched file.
package enum FileChange: Sendable, Hashable {
  /// The bytes changed, or the path now leads to another file, or to none.
  case changed
  /// The watch has ended; no more calls follow.
  ///
  /// Its folder is gone, or the system has no watch left for a new one.
  case lost
}

/// A watch of a file, until ``cancel()`` or the release of its last reference.
package protocol FileWatch: AnyObject, Sendable {
  /// Ends the watch. Can be called from any thread, from within the callback, and repeatedly.
  ///
  /// It doesn't wait: a call in another thread may be starting or still running. None follows it.
  func cancel()
}

extension FileSystem {
  /// The default for file systems without watches; callers must poll.
  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    throw .notSupported
  }
}
