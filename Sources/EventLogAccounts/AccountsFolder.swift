import EventLog
import EventLogRemotes

/// The folder with the journals and `accounts.json`.
struct AccountsFolder: Sendable {
  let path: String
  let fileSystem: any FileSystem

  private static let suffix = ".jsonl"

  /// Whether a name is valid for a journal file, and doesn't lead out of the folder.
  static func isJournal(_ name: String) -> Bool {
    name.hasSuffix(suffix) && name != suffix && !name.hasPrefix(".")
      // No file name contains a slash or a NUL.
      && !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(0)
  }

  /// Returns an unused random name. Paths never contain the names of users.
  static func newName(_ random: RandomText, excluding names: [String]) -> String {
    while true {
      let name = random.next(12) + suffix
      if !names.contains(name) { return name }
    }
  }

  func file(_ name: String) -> String { Path.join(path, name) }

  /// Whether a journal exists and isn't empty. A refused append may leave an empty file.
  ///
  /// - Throws: `inputOutput` if the file can't be examined, because it may exist.
  func exists(_ name: String) throws(EventLogError) -> Bool {
    let path = file(name)
    do throws(Errno) { return try fileSystem.status(at: path).size > 0 } catch {
      if error == .noSuchFile { return false }
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
  }

  /// Returns the size of a journal: 0 if it doesn't exist, and nil if that can't be determined.
  func size(of name: String) -> Int64? {
    if (try? exists(name)) == false { return 0 }
    return try? fileSystem.status(at: file(name)).size
  }

  /// Creates the folder if it doesn't exist.
  func create() throws(EventLogError) {
    try fileSystem.createFolder(at: path, meaning: "Nothing was changed.")
  }

  /// Returns the names of the journals in the folder.
  func journals() throws(EventLogError) -> [String] {
    do throws(Errno) { return try fileSystem.contents(of: path).filter(Self.isJournal) } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was changed.")
    }
  }

  /// Returns the contents of `accounts.json`, or nil if it doesn't exist.
  func read() throws(EventLogError) -> AccountsFile? {
    let name = file(AccountsFile.name)
    let bytes = try fileSystem.contentsIfPresent(
      ofFile: name, maximumBytes: AccountsFile.bytesMax, meaning: "Nothing was changed.")
    guard let bytes else { return nil }
    return try AccountsFile(bytes, at: name)
  }
}
