public import EventLog

/// A store that keeps each secret in its own file, in a folder that only its owner can open.
///
/// Files have the mode 0600 and the folder 0700. A file is replaced atomically: a crash leaves the
/// old secret or the new one. Files and folders that others can read are refused. Nothing is
/// encrypted: every process of the owner, and every backup of the folder, can read the secrets.
public struct FileCredentialStore: CredentialStore {
  /// The maximum size of a secret, beyond that of any real one.
  private static let bytesMax = 1 << 20
  private static let nameBytesMax = 200

  /// The path of the folder.
  public let folder: String
  private let files: any FileSystem

  /// Creates a store.
  ///
  /// The folder is created by the first ``save(_:as:)``.
  ///
  /// - Parameter folder: The path of the folder, which must contain nothing else.
  public init(folder: String) { self.init(folder: folder, files: SystemFileSystem()) }

  package init(folder: String, files: any FileSystem) {
    (self.folder, self.files) = (folder, files)
  }

  /// Returns the secret with a name, or `nil` if there is none.
  ///
  /// - Throws: `accessDenied` if others can read the file or look into the folder; `inputOutput` if
  ///   it can't be read.
  public func load(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let path = try path(of: name)
    let found: Found
    do throws(Errno) { found = try find(path) } catch {
      guard error != .noSuchFile else { return nil }
      throw .inputOutput("read", path, error)
    }
    switch found {
    case .secret(let bytes): return bytes
    case .openFile: throw Self.open(path, "600", "It was not used.")
    case .openFolder: throw Self.open(folder, "700", "It was not used.")
    }
  }

  /// Stores a secret under a name, replacing the previous one.
  ///
  /// After a crash, the file contains the old secret or the new one, and a temporary file with the
  /// same permissions may remain.
  ///
  /// - Throws: `accessDenied` if others can look into the folder; `inputOutput` if it can't be
  ///   written.
  public func save(_ secret: [UInt8], as name: String) async throws(EventLogError) {
    let path = try path(of: name)
    do throws(Errno) { try makeFolders(folder) } catch {
      throw .inputOutput("create", folder, error, meaning: "Nothing was stored.")
    }
    let isOpen: Bool
    do throws(Errno) { isOpen = try files.status(at: folder).isOpenToOthers } catch {
      throw .inputOutput("read", folder, error, meaning: "Nothing was stored.")
    }
    guard !isOpen else { throw Self.open(folder, "700", "Nothing was stored.") }
    do throws(Errno) { try files.replaceFile(at: path, with: secret) } catch {
      throw .inputOutput("write", path, error)
    }
  }

  /// Removes the secret with a name, if it exists.
  ///
  /// - Throws: `inputOutput` if it can't be removed.
  public func remove(_ name: String) async throws(EventLogError) {
    let path = try path(of: name)
    do throws(Errno) {
      try files.remove(path)
      try files.syncFolder(folder)
    } catch {
      guard error != .noSuchFile else { return }
      throw .inputOutput("remove", path, error)
    }
  }

  /// Checks that secrets can be stored, by writing and removing an empty file.
  ///
  /// - Throws: The errors of ``save(_:as:)``.
  func checkWriting() async throws(EventLogError) {
    try await save([], as: "check")
    try await remove("check")
  }

  /// Removes a secret, even if others can read it.
  ///
  /// - Returns: Whether there was one.
  func forget(_ name: String) async throws(EventLogError) -> Bool {
    var exists = true
    do throws(EventLogError) { exists = try await load(name) != nil } catch {
      guard error.code == .accessDenied else { throw error }
    }
    if exists { try await remove(name) }
    return exists
  }

  // MARK: - Files

  private enum Found {
    case secret([UInt8])
    case openFile, openFolder
  }

  private func find(_ path: String) throws(Errno) -> Found {
    let file = try files.open(path, .read)
    defer { files.close(file) }
    // Check the open file, because another file may replace it at the path.
    let status = try files.status(of: file)
    guard status.kind == .regular else { throw .invalidArgument }
    if status.isOpenToOthers { return .openFile }
    if try files.status(at: folder).isOpenToOthers { return .openFolder }
    guard status.size <= Int64(Self.bytesMax) else { throw .fileTooLarge }
    return .secret(try files.readBytes(file, at: 0, count: Int(status.size)))
  }

  /// Creates a folder and its missing parents.
  private func makeFolders(_ folder: String) throws(Errno) {
    do throws(Errno) {
      try files.makeFolder(folder)
    } catch {
      if error == .exists { return }
      let parent = Path.folder(of: folder)
      guard error == .noSuchFile, parent != folder else { throw error }
      try makeFolders(parent)
      try files.makeFolder(folder)
    }
    try files.syncFolder(Path.folder(of: folder))
  }

  /// Returns the path for a name, encoded so that it can't lead out of the folder.
  private func path(of name: String) throws(EventLogError) -> String {
    let file = PercentEncoding.encode(name) + ".secret"
    guard file.utf8.count <= Self.nameBytesMax else {
      throw EventLogError(
        .usage, "The name of a secret is too long. Nothing was changed.",
        hint: "Use at most \(Self.nameBytesMax) bytes.")
    }
    return Path.join(folder, file)
  }

  private static func open(
    _ path: String, _ mode: String, _ meaning: String
  ) -> EventLogError {
    EventLogError(
      .accessDenied,
      "\"\(SafeText.quote(path))\" contains secrets, and others can read it. \(meaning)",
      hint: "Keep it to yourself: set its mode to \(mode).", at: .init(file: path))
  }
}
