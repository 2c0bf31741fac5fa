/// A folder as a place for objects: shared, synchronized by some other program, or mounted.
public struct FolderStorage: ObjectStorage {
  /// The folder; it is made with the first object, if its own folder is there.
  public let path: String
  private let fileSystem: any FileSystem
  private let random: RandomText
  private let worker = SerialWorker(label: "eventlog.folder")

  public var address: String { path }

  public init(
    path: String, fileSystem: any FileSystem = SystemFileSystem(), random: RandomText = .system
  ) {
    self.path = path
    self.fileSystem = fileSystem
    self.random = random
  }

  /// Writes beside, syncs, renames, and syncs the folder.
  ///
  /// Of two that put one name at the same moment both succeed, and one file stays: names tell
  /// contents, so it is the same.
  public func put(_ name: String, _ bytes: [UInt8]) async throws(EventLogError) -> Bool {
    try await perform("write into") { () throws(Errno) in
      try makeFolder()
      let target = Path.join(path, name)
      if try isThere(target) { return false }
      let temporary = Path.join(path, Path.temporaryName(random))
      do throws(Errno) {
        let file = try fileSystem.open(temporary, .createNew)
        do throws(Errno) {
          try fileSystem.writeAll(file, bytes, at: 0)
          try fileSystem.sync(file)
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

  public func list(after name: String?) async throws(EventLogError) -> [StoredObject] {
    try await perform("read") { () throws(Errno) in
      var names: [String]
      do throws(Errno) { names = try fileSystem.contents(of: path) } catch {
        if error == .noSuchFile { return [] }
        throw error
      }
      if let name {
        names = names.filter { name.utf8.lexicographicallyPrecedes($0.utf8) }
      }
      return names.compactMap { name in
        // What vanishes meanwhile is not there.
        guard !name.utf8.starts(with: ".".utf8),
          let status = try? fileSystem.status(at: Path.join(path, name)), status.kind == .regular
        else { return nil }
        return StoredObject(name: name, byteCount: status.size)
      }
    }
  }

  public func read(_ name: String) async throws(EventLogError) -> [UInt8]? {
    try await perform("read") { () throws(Errno) in
      do throws(Errno) {
        return try fileSystem.contents(
          ofFile: Path.join(path, name), maximumBytes: ObjectLimits.bytesMax)
      } catch {
        if error == .noSuchFile || error == .fileTooLarge { return nil }
        throw error
      }
    }
  }

  public func remove(_ name: String) async throws(EventLogError) {
    try await perform("write into") { () throws(Errno) in
      do throws(Errno) { try fileSystem.remove(Path.join(path, name)) } catch {
        if error != .noSuchFile { throw error }
      }
    }
  }

  private func isThere(_ path: String) throws(Errno) -> Bool {
    do throws(Errno) { _ = try fileSystem.status(at: path) } catch {
      if error == .noSuchFile { return false }
      throw error
    }
    return true
  }

  private func makeFolder() throws(Errno) {
    if try isThere(path) { return }
    do throws(Errno) { try fileSystem.makeFolder(path) } catch {
      if error == .exists { return }
      throw error
    }
    try fileSystem.syncFolder(Path.folder(of: path))
  }

  private func perform<Value: Sendable>(
    _ action: String, _ body: @escaping @Sendable () throws(Errno) -> Value
  ) async throws(EventLogError) -> Value {
    try await worker.perform { () throws(EventLogError) in
      do throws(Errno) { return try body() } catch {
        throw .inputOutput(
          action, path, error, meaning: "What had crossed until then stays.",
          hint: error == .noSuchFile ? "Create the folder first." : nil)
      }
    }
  }
}

/// What an object may hold.
enum ObjectLimits {
  /// A longer object is nobody's range and nobody's frontier.
  static let bytesMax = 64 << 20
  /// Ranges are put, and joined, up to this many bytes, and one line more.
  static let rangeBytes = 4 << 20
}
