import EventLog

extension TemporaryFolder {
  /// Creates a folder.
  ///
  /// - Throws: `inputOutput`.
  static func make(on disk: MemoryFileSystem? = nil) throws(EventLogError) -> TemporaryFolder {
    do throws(Errno) {
      return if let disk { try TemporaryFolder(on: disk) } else { try TemporaryFolder() }
    } catch {
      throw .inputOutput("make", "a temporary folder", error)
    }
  }

  /// Writes bytes to a file, created if necessary.
  ///
  /// - Throws: `inputOutput`.
  static func write(
    _ bytes: [UInt8], to path: String, on fileSystem: any FileSystem = SystemFileSystem()
  ) throws(EventLogError) {
    do throws(Errno) {
      let file = try fileSystem.open(path, .create)
      defer { fileSystem.close(file) }
      try fileSystem.writeAll(file, bytes, at: 0)
    } catch {
      throw .inputOutput("write", path, error)
    }
  }

  /// Returns the bytes of a file.
  ///
  /// - Throws: `inputOutput`.
  static func contents(of path: String) throws(EventLogError) -> [UInt8] {
    do throws(Errno) {
      return try SystemFileSystem().contents(ofFile: path, maximumBytes: 1 << 30)
    } catch {
      throw .inputOutput("read", path, error)
    }
  }
}
