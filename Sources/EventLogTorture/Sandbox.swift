import EventLogTesting
import Foundation

/// A folder of journals in which the command runs, and another folder for its streams, logs, and
/// the replacement of ssh.
final class Sandbox {
  private let folder: TemporaryFolder
  private let auxiliaryFolder: TemporaryFolder
  var path: String { folder.path }

  init() throws {
    folder = try TemporaryFolder()
    auxiliaryFolder = try TemporaryFolder()
    // Each host is the folder `far`, in which a shell runs the command, as after a login.
    try FileManager.default.createDirectory(
      atPath: file("far"), withIntermediateDirectories: false)
    let script = """
      while [ "$1" != "--" ]; do
        [ "$#" -gt 0 ] || exit 255
        shift
      done
      shift 2
      cd '\(file("far"))' && exec sh -c "$*"

      """
    try script.write(toFile: auxiliaryFile("ssh"), atomically: false, encoding: .utf8)
  }

  func file(_ name: String) -> String { folder.file(name) }
  func auxiliaryFile(_ name: String) -> String { auxiliaryFolder.file(name) }

  func auxiliaryText(_ name: String) -> String {
    let bytes = FileManager.default.contents(atPath: auxiliaryFile(name)) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the lines of a journal without their LF, or none if there is no file.
  func lines(_ name: String) -> [Substring] {
    let bytes = FileManager.default.contents(atPath: file(name)) ?? Data()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Overwrites bytes of a file in place.
  func overwrite(_ name: String, at offset: Int, _ bytes: [UInt8]) throws {
    guard let handle = FileHandle(forUpdatingAtPath: file(name)) else {
      throw TortureError("\(name) cannot be opened")
    }
    defer { try? handle.close() }
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(bytes))
  }

  /// Removes the files and folders that exist.
  func remove(_ names: [String]) throws {
    for name in names where FileManager.default.fileExists(atPath: file(name)) {
      try FileManager.default.removeItem(atPath: file(name))
    }
  }

  // MARK: - Restoring

  /// All files in the folder with their bytes, and folders as nil.
  typealias Contents = [String: Data?]

  func contents() -> Contents {
    var found: Contents = [:]
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    for name in names {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: file(name), isDirectory: &isFolder) else {
        continue
      }
      found[name] =
        isFolder.boolValue
        ? .some(nil) : .some(FileManager.default.contents(atPath: file(name)) ?? Data())
    }
    return found
  }

  /// Restores files and folders, overwriting existing files in place.
  func restore(_ wanted: Contents) throws {
    let manager = FileManager.default
    let present = contents()
    for name in present.keys.sorted(by: >) where wanted[name] == nil {
      try manager.removeItem(atPath: file(name))
    }
    for (name, content) in wanted.sorted(by: { $0.key < $1.key }) {
      guard let bytes = content else {
        try manager.createDirectory(
          atPath: file(name), withIntermediateDirectories: true, attributes: nil)
        continue
      }
      if case .some(.some(bytes)) = present[name] { continue }
      if present[name] == nil {
        try bytes.write(to: URL(fileURLWithPath: file(name)))
        continue
      }
      guard let handle = FileHandle(forUpdatingAtPath: file(name)) else {
        throw TortureError("\(name) cannot be opened")
      }
      defer { try? handle.close() }
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
    }
  }
}
