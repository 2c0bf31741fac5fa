extension SideFolder {
  var cachePath: String { Path.join(path, "cache") }
  /// The maximum size of a checkpoint that is written or read.
  private static let checkpointBytesMax = 1 << 30
  /// The age in nanoseconds, relative to the file being written, at which temporary files of a
  /// crash are removed.
  ///
  /// Younger ones may belong to another process.
  private static let staleAgeNanoseconds: Int64 = 3_600_000_000_000

  /// The paths of the checkpoints that may fit a reading, the latest first.
  ///
  /// - Parameter definition: The rules and the schema of the state, or nil to accept any.
  func checkpointPaths(of definition: [UInt8]? = nil) -> [String] {
    guard let definition else { return files(withPrefix: Self.checkpointPrefix) }
    return [checkpointPath(definition)]
  }

  /// Each schema has its own file, because an app, its widget and the command may share a journal.
  private func checkpointPath(_ definition: [UInt8]) -> String {
    Path.join(cachePath, "\(Self.checkpointPrefix)-\(Self.digits(of: definition))")
  }

  private static let checkpointPrefix = "checkpoint"
  static let checkpointsMax = 3

  /// Returns the bytes of a checkpoint, or nil if it can't be read.
  ///
  /// - Parameter size: The size of the journal. A checkpoint is never longer than the lines that it
  ///   replaces, so a longer file is something else, and is not read into memory.
  func readCheckpoint(at path: String, besideBytes size: Int64) -> [UInt8]? {
    try? fileSystem.contents(
      ofFile: path, maximumBytes: Int(min(size, Int64(Self.checkpointBytesMax))))
  }

  /// Reads the checkpoint of a definition.
  package func readCheckpoint(of definition: [UInt8], besideBytes size: Int64) -> [UInt8]? {
    readCheckpoint(at: checkpointPath(definition), besideBytes: size)
  }

  /// Replaces the checkpoint of a definition atomically and removes the oldest others.
  ///
  /// It isn't synced. After a power loss, it may be torn and fail its checksum.
  ///
  /// - Returns: Whether it was written. A failure only slows down the next opening.
  @discardableResult
  package func writeCheckpoint(_ bytes: [UInt8], of definition: [UInt8]) -> Bool {
    let path = checkpointPath(definition)
    guard bytes.count <= Self.checkpointBytesMax, write(bytes, to: path) else { return false }
    removeOldest(withPrefix: Self.checkpointPrefix, besides: path, keeping: Self.checkpointsMax)
    return true
  }

  /// The paths of the files in the cache whose names begin with `prefix`, the latest first.
  private func files(withPrefix prefix: String) -> [String] {
    ((try? fileSystem.contents(of: cachePath)) ?? []).filter { $0.hasPrefix(prefix) }
      .map { Path.join(cachePath, $0) }
      .compactMap { path in (try? fileSystem.status(at: path)).map { (path, $0.modified) } }
      .sorted { $0.1 > $1.1 }.map(\.0)
  }

  /// Removes the oldest files of a kind, which remain after new schemas and copies.
  ///
  /// - Parameter path: The file just written, which is kept.
  private func removeOldest(withPrefix prefix: String, besides path: String, keeping count: Int) {
    for other in files(withPrefix: prefix).filter({ $0 != path }).dropFirst(count - 1) {
      try? fileSystem.remove(other)
    }
  }

  /// Removes all checkpoints: the next opening reads the whole journal.
  package func removeCheckpoints() {
    for path in checkpointPaths() { try? fileSystem.remove(path) }
  }

  /// Replaces a file atomically.
  ///
  /// - Parameter isAlone: Whether to write the file even if there is no journal yet. Otherwise,
  ///   there is nothing to cache.
  func write(_ bytes: [UInt8], to path: String, evenAlone isAlone: Bool = false) -> Bool {
    guard isAlone || isBesideJournal, (try? make()) != nil, (try? makeFolder(cachePath)) != nil
    else { return false }
    let temporary = Path.join(cachePath, Path.temporaryName(.system))
    do throws(Errno) {
      let file = try fileSystem.open(temporary, .createNew)
      do {
        defer { fileSystem.close(file) }
        try fileSystem.writeAll(file, bytes, at: 0)
        removeStaleFiles(before: try fileSystem.status(of: file).modified)
      }
      try fileSystem.rename(temporary, to: path)
      return true
    } catch {
      try? fileSystem.remove(temporary)
      return false
    }
  }

  /// The names that the last sync found at a remote.
  package func known(of remote: String) -> Set<String> {
    guard case .array(let values)? = kept("known", in: "remote", of: remote) else { return [] }
    return Set(values.compactMap { if case .string(let text) = $0 { text } else { nil } })
  }

  /// Saves the names that a sync found at a remote.
  ///
  /// On failure, the next sync looks again.
  package func keep(_ known: Set<String>, of remote: String) {
    if known == self.known(of: remote) { return }
    keep(.array(known.sorted().map { .string($0) }), as: "known", in: "remote", of: remote)
  }

  /// Returns a value from a file about a remote, or nil if it can't be read.
  package func kept(_ name: String, in kind: String, of remote: String) -> JSONValue? {
    guard
      let bytes = try? fileSystem.contents(
        ofFile: path(of: remote, kind), maximumBytes: 16 << 20),
      case .object(let object)? = try? JSONValue(parsing: bytes),
      case .string(let address)? = object["remote"], address.hasBytes(of: remote)
    else { return nil }
    return object[name]
  }

  package func keep(
    _ value: JSONValue, as name: String, in kind: String, of remote: String,
    evenAlone isAlone: Bool = false
  ) {
    var bytes: [UInt8] = []
    let object: JSONObject = [name: value, "remote": .string(remote)]
    object.write(to: &bytes)
    _ = write(bytes + [0x0A], to: path(of: remote, kind), evenAlone: isAlone)
  }

  /// The path of a file about a remote.
  ///
  /// Its name has only a checksum, so its content names the remote.
  package func path(of remote: String, _ kind: String) -> String {
    Path.join(cachePath, "\(kind)-\(Self.digits(of: remote.utf8)).json")
  }

  private static func digits(of bytes: some Sequence<UInt8>) -> String {
    ChainDigits.text(CRC32C.checksum(Array(bytes)))
  }

  /// Whether a remote has contained events, according to the cache.
  ///
  /// True if that can't be read: a remote that still contains events is synced anyway.
  package func hasHeldEvents(_ remote: String) -> Bool {
    if !known(of: remote).isEmpty { return true }
    do throws(EventLogError) {
      return try remoteRecord(of: remote)?.success?.holdsEvents == true
    } catch {
      return true
    }
  }

  private func removeStaleFiles(before time: Int64) {
    for name in (try? fileSystem.contents(of: cachePath)) ?? [] where Path.isTemporary(name) {
      let file = Path.join(cachePath, name)
      if let status = try? fileSystem.status(at: file),
        status.modified < time - Self.staleAgeNanoseconds
      {
        try? fileSystem.remove(file)
      }
    }
  }
}
