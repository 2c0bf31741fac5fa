// A place for a test's files that is gone when the test is.

public import EventLog

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A new, empty folder that is removed, with all that is in it, when the last reference goes.
///
/// Keep it in a variable that lives as long as the files are used. Only a killed process leaves
/// it behind.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String
  private let fileSystem: any FileSystem

  /// Creates the folder, `eventlog-` and twelve random characters, in the system's temporary
  /// folder.
  public init() throws(Errno) {
    let parent = FileManager.default.temporaryDirectory.path
    path = Path.join(parent, "eventlog-" + RandomText.system.next(12))
    fileSystem = SystemFileSystem()
    try fileSystem.makeFolder(path)
  }

  /// Creates the folder in the root of a disk in memory: `eventlog-` and the first number that is
  /// free, so that it has the same name in each run.
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

  /// Takes over a folder that is there, on a copy of the disk that it was made on.
  init(taking path: String, on disk: MemoryFileSystem) {
    self.path = path
    fileSystem = disk
  }

  deinit {
    Self.removeAll(at: path, fileSystem)
  }

  /// Returns the path of a file in the folder; creates nothing.
  public func file(_ name: String) -> String {
    Path.join(path, name)
  }

  /// Removes what it can. It asks for removal before it looks inside, so a symbolic link is
  /// removed as a link and never followed.
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
