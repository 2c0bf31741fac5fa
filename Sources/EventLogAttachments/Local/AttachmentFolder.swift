package import EventLog

/// The folder `NAME.attachments/` beside a journal, which contains each attachment's content in a
/// file named by its SHA-256.
///
/// A file gets this name only after it is complete and synced, so a crash leaves no content that is
/// half there. All calls wait for the disk.
package struct AttachmentFolder: Sendable {
  package let path: String
  let fileSystem: any FileSystem
  let random: RandomText

  /// The number of bytes that are read and written at once.
  static let chunkBytes = 256 << 10

  package init(
    beside journal: String, fileSystem: any FileSystem = SystemFileSystem(),
    random: RandomText = .system
  ) {
    path = Path.replacingExtension(
      fileSystem.followingLinks(journal), "jsonl", with: "attachments")
    (self.fileSystem, self.random) = (fileSystem, random)
  }

  package func file(of sha256: String) -> String { Path.join(path, sha256) }
  /// The file that a content is fetched into.
  func partialFile(of sha256: String) -> String { Path.join(path, "\(sha256).part") }

  /// Whether the content is here, by its name and size.
  package func contains(_ attachment: Attachment) -> Bool {
    guard let status = try? fileSystem.status(at: file(of: attachment.sha256)) else { return false }
    return status.kind == .regular && status.size == attachment.bytes
  }

  /// The contents in the folder with their sizes, sorted by name; empty if there is no folder.
  ///
  /// - Throws: `inputOutput`.
  package func contents() throws(EventLogError) -> [(sha256: String, bytes: Int64)] {
    try files().map { ($0.sha256, $0.bytes) }
  }

  /// The contents in the folder with the times in nanoseconds since 1970 at which they were
  /// attached or fetched.
  ///
  /// - Throws: `inputOutput`.
  func files() throws(EventLogError) -> [(sha256: String, bytes: Int64, modified: Int64)] {
    let names: [String]
    do throws(Errno) { names = try fileSystem.contents(of: path) } catch {
      if error == .noSuchFile { return [] }
      throw .inputOutput("read", path, error)
    }
    return names.compactMap { name in
      guard ContentHashes.isHash(name), let status = try? fileSystem.status(at: file(of: name)),
        status.kind == .regular
      else { return nil }
      return (name, status.size, status.modified)
    }
  }

  /// Returns the contents whose bytes don't have the hash in their names.
  ///
  /// - Complexity: O(bytes in the folder).
  /// - Throws: `inputOutput`.
  package func damaged() throws(EventLogError) -> [String] {
    var damaged: [String] = []
    for (sha256, _) in try contents() where try hash(of: file(of: sha256)) != sha256 {
      damaged.append(sha256)
    }
    return damaged
  }

  /// Returns the SHA-256 of a file in the folder.
  ///
  /// - Throws: `inputOutput`.
  func hash(of file: String) throws(EventLogError) -> String {
    do throws(Errno) {
      let descriptor = try fileSystem.open(file, .read)
      defer { fileSystem.close(descriptor) }
      return try hash(descriptor)
    } catch {
      throw .inputOutput("read", file, error)
    }
  }

  func hash(_ descriptor: FileDescriptor) throws(Errno) -> String {
    var (hash, offset) = (SHA256(), Int64(0))
    while true {
      let chunk = try fileSystem.readBytes(descriptor, at: offset, count: Self.chunkBytes)
      if chunk.isEmpty { return hash.finish().hexadecimal }
      hash.add(chunk)
      offset += Int64(chunk.count)
    }
  }

  /// Creates the folder if it doesn't exist.
  func make() throws(Errno) {
    do throws(Errno) { try fileSystem.makeFolder(path) } catch {
      if error == .exists { return }
      throw error
    }
    try fileSystem.syncFolder(Path.folder(of: path))
  }
}

extension [UInt8] {
  /// Two lowercase digits for each byte.
  var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    let bytes = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
