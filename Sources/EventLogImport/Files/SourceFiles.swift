import EventLog

/// The files to import: one file, or the files of a folder.
struct SourceFiles {
  /// The size limit of a file, in bytes.
  static let bytesMax = 64 << 20
  private static let filesMax = 10_000
  private static let foldersMax = 64

  let path: String
  let isFolder: Bool
  /// The relative paths of a folder's files, in a fixed order, or the name of the single file.
  let names: [String]
  private let content: Content

  private enum Content {
    case disk(any FileSystem)
    case memory([UInt8])
  }

  /// A file whose content is in memory.
  ///
  /// - Parameter name: The name of the file, for the map and in errors.
  init(_ bytes: [UInt8], named name: String) throws(EventLogError) {
    (path, isFolder, content) = (name, false, .memory(bytes))
    names = [String(name.split(separator: "/").last ?? "")]
    if bytes.count > Self.bytesMax { throw Self.tooLarge(name) }
  }

  init(_ path: String, on fileSystem: any FileSystem) throws(EventLogError) {
    self.path = path
    content = .disk(fileSystem)
    let status: FileStatus
    do throws(Errno) { status = try fileSystem.status(at: path) } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was written.")
    }
    isFolder = status.kind == .folder
    guard isFolder else {
      names = [String(path.split(separator: "/").last ?? "")]
      return
    }
    var found: [String] = []
    do throws(Errno) { try Self.list("", of: path, fileSystem, 0, into: &found) } catch {
      throw .inputOutput("read", path, error, meaning: "Nothing was written.")
    }
    guard found.count <= Self.filesMax else {
      throw .cannotImport(
        "\"\(path)\" contains more than \(Self.filesMax) files; an export has fewer.", file: path)
    }
    names = found
  }

  private static func list(
    _ folder: String, of top: String, _ fileSystem: any FileSystem, _ depth: Int,
    into found: inout [String]
  ) throws(Errno) {
    let path = folder.isEmpty ? top : "\(top)/\(folder)"
    for name in try fileSystem.contents(of: path) where !name.hasPrefix(".") {
      if found.count > filesMax { return }
      let inside = folder.isEmpty ? name : "\(folder)/\(name)"
      switch try fileSystem.status(at: "\(top)/\(inside)").kind {
      case .folder where depth < foldersMax:
        try list(inside, of: top, fileSystem, depth + 1, into: &found)
      case .regular: found.append(inside)
      // Leaving files out would look like a complete import.
      case .folder: throw .nameTooLong
      case .other: continue
      }
    }
  }

  /// Returns the name of a file in errors.
  func title(_ name: String) -> String { isFolder ? "\(path)/\(name)" : path }

  /// Refuses a SQLite file with changes that only a file beside it has.
  ///
  /// Reading both would need the locks of the app that uses them.
  func checkIsComplete(database name: String) throws(EventLogError) {
    guard case .disk(let fileSystem) = content else { return }
    let title = title(name)
    for end in ["-wal", "-journal"] {
      guard let status = try? fileSystem.status(at: title + end), status.size > 0 else { continue }
      throw .cannotImport(
        "\"\(title)\" is in use: \"\(title + end)\" has changes that it lacks.",
        hint: "Close the app, or import a copy: sqlite3 FILE \"VACUUM INTO 'copy.db'\"",
        file: title)
    }
  }

  func bytes(of name: String) throws(EventLogError) -> [UInt8] {
    let title = title(name)
    let bytes: [UInt8]
    switch content {
    case .memory(let all): bytes = all
    case .disk(let fileSystem):
      do throws(Errno) {
        bytes = try fileSystem.contents(ofFile: title, maximumBytes: Self.bytesMax)
      } catch {
        guard error == .fileTooLarge else {
          throw .inputOutput("read", title, error, meaning: "Nothing was written.")
        }
        throw Self.tooLarge(title)
      }
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw .cannotImport(
        "\"\(title)\" is a ZIP archive.", hint: "Unpack the archive first.", file: title)
    }
    return bytes
  }

  private static func tooLarge(_ title: String) -> EventLogError {
    .cannotImport(
      "\"\(title)\" is larger than \(bytesMax >> 20) MiB, the most that can be imported.",
      file: title)
  }
}
