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

  /// Creates the folder, `eventlog-` and twelve random characters, in the system's temporary
  /// folder.
  public init() throws(Errno) {
    let parent = FileManager.default.temporaryDirectory.path
    path = Path.join(parent, "eventlog-" + RandomText.system.next(12))
    try SystemFileSystem().makeFolder(path)
  }

  deinit {
    Self.removeAll(at: path)
  }

  /// Returns the path of a file in the folder; creates nothing.
  public func file(_ name: String) -> String {
    Path.join(path, name)
  }

  /// Removes what it can. It asks for removal before it looks inside, so a symbolic link is
  /// removed as a link and never followed.
  private static func removeAll(at path: String) {
    let fileSystem = SystemFileSystem()
    do throws(Errno) {
      try fileSystem.remove(path)
    } catch {
      guard error == .notEmpty || error == .exists else { return }
      guard let names = try? fileSystem.contents(of: path) else { return }
      for name in names { removeAll(at: Path.join(path, name)) }
      try? fileSystem.remove(path)
    }
  }
}
