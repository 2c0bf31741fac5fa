import EventLog

/// The files to import: one file, or the files of a folder.
struct SourceFiles {
  /// The size limit of a file, in bytes.
  static let bytesMax = 64 << 20
  private static let filesMax = 10_000
  private static let foldersMax = 8

  let path: String
  let isFolder: Bool
  /// The relative paths of a folder's files, in a fixed order, or the name of the single file.
  let names: [String]
  private let fileSystem: any FileSystem

  init(_ path: String, on fileSystem: any FileSystem) throws(EventLogError) {
    self.path = path
    self.fileSystem = fileSystem
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
      case .folder, .other: continue
      }
    }
  }

  /// Returns the name of a file in errors.
  func title(_ name: String) -> String { isFolder ? "\(path)/\(name)" : path }

  func bytes(of name: String) throws(EventLogError) -> [UInt8] {
    let title = title(name)
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try fileSystem.contents(ofFile: title, maximumBytes: Self.bytesMax)
    } catch {
      guard error == .fileTooLarge else {
        throw .inputOutput("read", title, error, meaning: "Nothing was written.")
      }
      throw .cannotImport(
        "\"\(title)\" is larger than \(Self.bytesMax >> 20) MiB, the most that can be imported.",
        file: title)
    }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      throw .cannotImport(
        "\"\(title)\" is a ZIP archive.", hint: "Unpack the archive first.", file: title)
    }
    return bytes
  }
}
