/// A folder in a side folder's cache, for journals that are needed only as long as a repair runs.
///
/// It goes with its last user. What a crash has left is told by a lock that nobody holds any more.
final class ScratchFolder: Sendable {
  let path: String
  private let fileSystem: any FileSystem
  private let lock: FileDescriptor

  init(in side: SideFolder) throws(EventLogError) {
    path = try side.spoolPath()
    fileSystem = side.fileSystem
    do throws(Errno) {
      lock = try Self.make(path, in: fileSystem)
      _ = try fileSystem.tryLock(lock, exclusive: true)
    } catch {
      throw .inputOutput("write", path, error, meaning: "Nothing was changed.")
    }
  }

  deinit {
    Self.removeAll(at: path, in: fileSystem)
    fileSystem.close(lock)
  }

  private static func make(
    _ path: String, in fileSystem: any FileSystem
  ) throws(Errno) -> FileDescriptor {
    try fileSystem.makeFolder(path)
    do throws(Errno) {
      return try fileSystem.open(Path.join(path, lockName), .createNew)
    } catch {
      // Another process may have taken it for one that a crash has left.
      guard error == .noSuchFile else { throw error }
      try fileSystem.makeFolder(path)
      return try fileSystem.open(Path.join(path, lockName), .createNew)
    }
  }

  /// Removes what crashes have left; what another process is using stays.
  static func removeLeftOvers(of side: SideFolder) {
    let fileSystem = side.fileSystem
    for name in (try? fileSystem.contents(of: side.cachePath)) ?? [] where Path.isTemporary(name) {
      let path = Path.join(side.cachePath, name)
      guard let lock = try? fileSystem.open(Path.join(path, lockName), .readWrite) else {
        // An empty folder, or a file: who still uses that has it open, or can do without.
        try? fileSystem.remove(path)
        continue
      }
      defer { fileSystem.close(lock) }
      if (try? fileSystem.tryLock(lock, exclusive: true)) == true {
        removeAll(at: path, in: fileSystem)
      }
    }
  }

  private static let lockName = "lock"

  private static func removeAll(at path: String, in fileSystem: any FileSystem) {
    if (try? fileSystem.remove(path)) != nil { return }
    for name in (try? fileSystem.contents(of: path)) ?? [] {
      removeAll(at: Path.join(path, name), in: fileSystem)
    }
    try? fileSystem.remove(path)
  }
}
