import EventLogTesting
import Foundation

/// A folder of journals in which the command runs, and a second one for what is beside it: streams,
/// logs, and the program that stands for ssh.
final class Place {
  private let folder: TemporaryFolder
  private let besides: TemporaryFolder
  var path: String { folder.path }

  init() throws {
    folder = try TemporaryFolder()
    besides = try TemporaryFolder()
    // Every host is the folder `far`, and the command is run there by a shell, as a login would.
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
    try script.write(toFile: aside("ssh"), atomically: false, encoding: .utf8)
  }

  func file(_ name: String) -> String { folder.file(name) }
  func aside(_ name: String) -> String { besides.file(name) }

  func textAside(_ name: String) -> String {
    let bytes = FileManager.default.contents(atPath: aside(name)) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The lines of a journal as they stand, without their LF; none where there is no file.
  func lines(_ name: String) -> [Substring] {
    let bytes = FileManager.default.contents(atPath: file(name)) ?? Data()
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  /// Writes within a file that stays the same file.
  func overwrite(_ name: String, at offset: Int, _ bytes: [UInt8]) throws {
    guard let handle = FileHandle(forUpdatingAtPath: file(name)) else {
      throw Trouble("\(name) cannot be opened")
    }
    defer { try? handle.close() }
    try handle.seek(toOffset: UInt64(offset))
    try handle.write(contentsOf: Data(bytes))
  }

  /// Removes what is there of these files and folders.
  func remove(_ names: [String]) throws {
    for name in names where FileManager.default.fileExists(atPath: file(name)) {
      try FileManager.default.removeItem(atPath: file(name))
    }
  }

  // MARK: - Going back

  /// Everything in the folder: files with their bytes, folders as nil.
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

  /// Makes everything as it was: files that are still there stay the same files, with other bytes.
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
        throw Trouble("\(name) cannot be opened")
      }
      defer { try? handle.close() }
      try handle.truncate(atOffset: 0)
      try handle.write(contentsOf: bytes)
    }
  }
}
