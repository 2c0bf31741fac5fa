import EventLog

/// A content that is open for reading.
///
/// While it is open, its lock keeps the limit of any process from removing it.
struct ContentFile: Sendable {
  let attachment: Attachment
  private let folder: AttachmentFolder
  private let descriptor: FileDescriptor

  private var path: String { folder.file(of: attachment.sha256) }

  /// - Throws: `inputOutput`.
  init(_ attachment: Attachment, in folder: AttachmentFolder) throws(EventLogError) {
    (self.attachment, self.folder) = (attachment, folder)
    do throws(Errno) {
      descriptor = try folder.fileSystem.open(folder.file(of: attachment.sha256), .read)
      // Without locks, such as on some shares, an open file stays readable after its removal.
      _ = try? folder.fileSystem.tryLock(descriptor, exclusive: false)
    } catch {
      throw .inputOutput(
        "read", folder.file(of: attachment.sha256), error, meaning: "It was not sent.")
    }
  }

  func close() { folder.fileSystem.close(descriptor) }

  /// Checks that the content has its hash.
  ///
  /// - Throws: `damaged`, `inputOutput`.
  func check() throws(EventLogError) {
    let hash: String
    do throws(Errno) { hash = try folder.hash(descriptor) } catch {
      throw .inputOutput("read", path, error)
    }
    try check(hash)
  }

  /// Checks that the content has its hash.
  ///
  /// - Parameter hash: The hash of the bytes that were read.
  /// - Throws: `damaged`.
  func check(_ hash: String) throws(EventLogError) {
    guard hash == attachment.sha256 else { throw folder.damaged(path) }
  }

  /// Returns a part of the content.
  ///
  /// - Throws: `inputOutput`, also if the file is too short.
  func read(at offset: Int64, count: Int) throws(EventLogError) -> [UInt8] {
    do throws(Errno) {
      let bytes = try folder.fileSystem.readBytes(descriptor, at: offset, count: count)
      guard bytes.count == count else { throw Errno.inputOutput }
      return bytes
    } catch {
      throw .inputOutput("read", path, error, meaning: "It was not sent.")
    }
  }
}
