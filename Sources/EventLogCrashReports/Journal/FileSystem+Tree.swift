package import EventLog

extension FileSystem {
  /// Removes a file, or a folder with its contents.
  ///
  /// After an error or a crash, some of the contents may be removed.
  package func removeTree(_ path: String) throws(Errno) {
    if try status(at: path).kind == .folder {
      for name in try contents(of: path) { try removeTree(Path.join(path, name)) }
    }
    try remove(path)
  }
}
