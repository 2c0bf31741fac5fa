// A folder for a test's files that is removed with its last reference.

public import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new, empty folder that is removed with its contents when you release it.
///
/// Keep a reference while the files are in use. The folder remains only if the process is killed.
public final class TemporaryFolder: Sendable {
  /// The path of the folder.
  public let path: String
  private let fileSystem: any FileSystem

  /// Creates a folder in the system's temporary folder.
  ///
  /// Its name is `eventlog-` and twelve random characters.
  public init() throws(Errno) {
    let parent = FileManager.default.temporaryDirectory.path
    path = Path.join(parent, "eventlog-" + RandomText.system.next(12))
    fileSystem = SystemFileSystem()
    try fileSystem.makeFolder(path)
  }

  /// Creates a folder in the root of a disk in memory.
  ///
  /// Its name is `eventlog-` and the first available number, so it is the same in each run.
  ///
  /// - Parameter disk: The disk in memory.
  public init(on disk: MemoryFileSystem) throws(Errno) {
    fileSystem = disk
    var number = 1
    while true {
      let path = "/eventlog-\(number)"
      do throws(Errno) {
        try disk.makeFolder(path)
        self.path = path
        return
      } catch {
        guard error == .exists else { throw error }
        number += 1
      }
    }
  }

  /// Wraps an existing folder on a copy of the disk on which it was created.
  init(taking path: String, on disk: MemoryFileSystem) {
    self.path = path
    fileSystem = disk
  }

  deinit {
    Self.removeAll(at: path, fileSystem)
  }

  /// Returns the path of a file in the folder, without creating it.
  ///
  /// - Parameter name: The name of the file.
  public func file(_ name: String) -> String {
    Path.join(path, name)
  }

  /// Removes as much of a folder as possible.
  ///
  /// It tries to remove each item before looking inside, so a symbolic link is removed as a link,
  /// and never followed.
  private static func removeAll(at path: String, _ fileSystem: any FileSystem) {
    do throws(Errno) {
      try fileSystem.remove(path)
    } catch {
      guard error == .notEmpty || error == .exists else { return }
      guard let names = try? fileSystem.contents(of: path) else { return }
      for name in names { removeAll(at: Path.join(path, name), fileSystem) }
      try? fileSystem.remove(path)
    }
  }
}
