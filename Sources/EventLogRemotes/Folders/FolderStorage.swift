package import EventLog
import Synchronization

/// An object storage in a folder, which may be shared, mounted, or synchronized by another program.
package struct FolderStorage: ObjectStorage {
  /// The path of the folder, which is created with the first object if its parent exists.
  package let path: String
  /// The path of the folder that contains this one and is created with it, or nil.
  private let outer: String?
  private let fileSystem: any FileSystem
  private let random: RandomText
  private let worker = SerialWorker(label: "eventlog.folder")
  private let cleanup = TemporaryFileCleanup()

  /// The path of the folder.
  package var address: String { path }

  /// Creates a storage in a folder, which is created with the first object.
  package init(
    path: String, fileSystem: any FileSystem = SystemFileSystem(), random: RandomText = .system
  ) {
    self.init(path: path, in: nil, fileSystem, random)
  }

  private init(
    path: String, in outer: String?, _ fileSystem: any FileSystem, _ random: RandomText
  ) {
    self.path = path
    self.outer = outer
    self.fileSystem = fileSystem
    self.random = random
  }

  /// A folder in this folder.
  package func storage(named name: String) -> (any ObjectStorage)? {
    FolderStorage(path: Path.join(path, name), in: path, fileSystem, random)
  }

  /// Writes a temporary file, syncs it, renames it, and syncs the folder.
  ///
  /// Two concurrent puts under the same name both succeed. One file remains, and names determine
  /// contents.
  package func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    let target = Path.join(path, name)
    return try await perform("write", target) { () throws(Errno) in
      try makeFolder()
      if try exists(target) { return false }
      let temporary = Path.join(path, Path.temporaryName(random))
      do throws(Errno) {
        let file = try fileSystem.open(temporary, .createNew)
        do throws(Errno) {
          try fileSystem.writeAll(file, bytes, at: 0)
          try fileSystem.sync(file)
          cleanup.remove(before: try fileSystem.status(of: file).modified, path, fileSystem)
          fileSystem.close(file)
        } catch {
          fileSystem.close(file)
          throw error
        }
        try fileSystem.rename(temporary, to: target)
      } catch {
        try? fileSystem.remove(temporary)
        throw error
      }
      try fileSystem.syncFolder(path)
      return true
    }
  }

  /// Returns the objects whose names sort after `name`, in order.
  ///
  /// The result is empty if there are none.
  package func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await perform("read", path) { () throws(Errno) in
      var names = try contents()
      if let name {
        names = names.filter { name.precedes($0) }
      }
      return names.compactMap { name in
        // Skip files that were removed after the listing.
        guard !name.utf8.starts(with: ".".utf8),
          let status = try? fileSystem.status(at: Path.join(path, name)), status.kind == .regular
        else { return nil }
        return StoredObject(name: name, byteCount: status.size)
      }
    }
  }

  /// - Throws: `inputOutput` if neither the folder nor its parent exists.
  func checkParentExists() async throws(EventLogError) {
    let parent = Path.folder(of: path)
    let isPossible = try await perform("read", path) { () throws(Errno) in
      if try exists(path) { return true }
      return try exists(parent)
    }
    guard !isPossible else { return }
    throw EventLogError(
      .inputOutput,
      "The folder \"\(path)\" does not exist, nor does the folder around it. Nothing was changed.",
      hint: "Check the path, or create the folder \"\(parent)\" first.", at: .init(file: path))
  }

  /// The names of all files in the folder, or none if it doesn't exist yet.
  func names() async throws(EventLogError) -> [String] {
    try await perform("read", path) { () throws(Errno) in try contents() }
  }

  private func contents() throws(Errno) -> [String] {
    do throws(Errno) { return try fileSystem.contents(of: path) } catch {
      if error == .noSuchFile { return [] }
      throw error
    }
  }

  /// Returns the bytes of an object, or nil if it doesn't exist.
  package func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    let file = Path.join(path, name)
    return try await perform("read", file) { () throws(Errno) in
      do throws(Errno) {
        return try fileSystem.contents(ofFile: file, maximumBytes: ObjectLimits.bytesMax)
      } catch {
        // Treat a file that was replaced by something else after the listing as missing.
        if [.noSuchFile, .fileTooLarge, .isDirectory, .invalidArgument].contains(error) {
          return nil
        }
        throw error
      }
    }
  }

  /// Removes an object if it exists.
  package func remove(_ name: String) async throws(EventLogError) {
    let file = Path.join(path, name)
    try await perform("remove", file) { () throws(Errno) in
      do throws(Errno) { try fileSystem.remove(file) } catch {
        if error != .noSuchFile { throw error }
      }
    }
  }

  private func exists(_ path: String) throws(Errno) -> Bool {
    do throws(Errno) { _ = try fileSystem.status(at: path) } catch {
      if error == .noSuchFile { return false }
      throw error
    }
    return true
  }

  private func makeFolder() throws(Errno) {
    if try exists(path) { return }
    if let outer { try makeFolder(outer) }
    try makeFolder(path)
  }

  private func makeFolder(_ path: String) throws(Errno) {
    do throws(Errno) { try fileSystem.makeFolder(path) } catch {
      if error == .exists { return }
      throw error
    }
    try fileSystem.syncFolder(Path.folder(of: path))
  }

  private func perform<Value: Sendable>(
    _ action: String, _ file: String, _ body: @escaping @Sendable () throws(Errno) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform { () throws(EventLogError) in
      do throws(Errno) { return try body() } catch {
        throw .inputOutput(
          action, file, error,
          // A run reads before it writes anything.
          meaning: action == "read"
            ? "Nothing of it was received." : "Events transferred so far are kept.",
          hint: hint(error, isWriting: action != "read"))
      }
    }
  }

  /// The hint for a remote that can't be written to.
  private var closedHint: String {
    (try? exists(path)) ?? false
      ? "Nothing can be written there, but you can still pull from it."
      : "No folder can be created there: choose another one."
  }

  private func hint(_ error: Errno, isWriting: Bool) -> String? {
    switch error {
    case .noSuchFile: EventLogError.noFolderHint
    case .notDirectory: "A remote is a folder, or a journal whose path ends in .jsonl."
    case .readOnlyFileSystem: closedHint
    case .permissionDenied, .notPermitted:
      isWriting
        ? closedHint
        : "Its owner has to let this user read it, for example with chmod g+r."
    default: nil
    }
  }
}

/// Removes the temporary files of interrupted puts from a folder, once per run.
private final class TemporaryFileCleanup: Sendable {
  /// The minimum age of removed files in nanoseconds, relative to the file being written.
  ///
  /// Younger files may belong to another device whose clock is wrong by hours.
  private static let age: Int64 = 24 * 3_600_000_000_000

  private let isDone = Mutex(false)

  func remove(before time: Int64, _ folder: String, _ fileSystem: any FileSystem) {
    let isFirst = isDone.withLock { isDone in
      defer { isDone = true }
      return !isDone
    }
    guard isFirst else { return }
    for name in (try? fileSystem.contents(of: folder)) ?? [] where Path.isTemporary(name) {
      let file = Path.join(folder, name)
      guard let status = try? fileSystem.status(at: file), status.modified < time - Self.age else {
        continue
      }
      try? fileSystem.remove(file)
    }
  }
}
