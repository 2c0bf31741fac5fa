import EventLog

/// The files to import: one file, or the files of a folder.
struct SourceFiles {
  /// The size limit of a file, in bytes.
  static let bytesMax = 64 << 20
  private static let filesMax = 10_000
  private static let foldersMax = 64

  /// The first bytes of files that hold other files.
  private static let archives: [(start: [UInt8], kind: String, hint: String)] = [
    (
      [0x50, 0x4B, 0x03, 0x04], "a ZIP archive",
      "Unpack the archive first. If the file is a spreadsheet, save it as CSV."
    ), ([0x1F, 0x8B], "compressed with gzip", "Unpack it first: gunzip FILE"),
  ]

  let path: String
  let isFolder: Bool
  /// The relative paths of a folder's files, in a fixed order, or the name of the single file.
  let names: [String]
  /// The relative paths in a folder that aren't read: hidden files and folders, and what is neither
  /// a file nor a folder.
  let skipped: [String]
  private let content: Content

  private enum Content {
    case disk(any FileSystem)
    case memory([UInt8])
  }

  /// A file whose content is in memory.
  ///
  /// - Parameter name: The name of the file, for the map and in errors.
  init(_ bytes: [UInt8], named name: String) throws(EventLogError) {
    (path, isFolder, content, skipped) = (name, false, .memory(bytes), [])
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
    if status.kind == .other {
      throw .cannotImport(
        "\"\(path)\" is neither a file nor a folder, but a pipe, a socket or a device.",
        hint: "Save what it holds to a file first, and import the file.", file: path)
    }
    guard isFolder else {
      skipped = []
      names = [String(path.split(separator: "/").last ?? "")]
      return
    }
    var listing = Listing(top: path, fileSystem: fileSystem)
    do throws(Errno) { try listing.list("", depth: 0) } catch {
      throw .inputOutput(
        "read", Path.join(path, listing.current), error, meaning: "Nothing was written.",
        hint: "Remove it from the folder if it isn't part of the export.")
    }
    if let folder = listing.tooDeep {
      // Leaving its files out would look like a complete import.
      throw .cannotImport(
        "\"\(path)/\(folder)\" is below \(Self.foldersMax) other folders, the most that are read.",
        hint: "Move the folder up, or import it by itself.", file: path)
    }
    guard listing.found.count <= Self.filesMax else {
      throw .cannotImport(
        "\"\(path)\" contains more than \(Self.filesMax) files; an export has fewer.", file: path)
    }
    (names, skipped) = (listing.found, listing.skipped)
  }

  /// Lists the files of a folder.
  private struct Listing {
    let top: String
    let fileSystem: any FileSystem
    var found: [String] = []
    var skipped: [String] = []
    /// A folder that is nested too deeply, or nil.
    var tooDeep: String?
    /// The name that is being read.
    private(set) var current = ""

    mutating func list(_ folder: String, depth: Int) throws(Errno) {
      let path = folder.isEmpty ? top : "\(top)/\(folder)"
      current = folder
      for name in try fileSystem.contents(of: path) {
        if found.count > filesMax || tooDeep != nil { return }
        let inside = folder.isEmpty ? name : "\(folder)/\(name)"
        if name.hasPrefix(".") {
          skipped.append(inside)
          continue
        }
        current = inside
        switch try fileSystem.status(at: "\(top)/\(inside)").kind {
        case .folder where depth < foldersMax: try list(inside, depth: depth + 1)
        case .folder: tooDeep = inside
        case .regular: found.append(inside)
        case .other: skipped.append(inside)
        }
      }
    }
  }

  /// A sentence about what wasn't read of a folder, or nil if everything was.
  var finding: String? {
    if skipped.isEmpty { return nil }
    let names = skipped.sorted { $0.precedes($1) }.firstFew
    return "\(path): hidden files, and what is neither a file nor a folder, are not read: \(names)."
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
    for (start, kind, hint) in Self.archives where bytes.starts(with: start) {
      throw .cannotImport("\"\(title)\" is \(kind).", hint: hint, file: title)
    }
    return bytes
  }

  private static func tooLarge(_ title: String) -> EventLogError {
    .cannotImport(
      "\"\(title)\" is larger than \(bytesMax >> 20) MiB, the most that can be imported.",
      hint: "Divide it, or export a part of it at a time, and import the parts one after another.",
      file: title)
  }
}
