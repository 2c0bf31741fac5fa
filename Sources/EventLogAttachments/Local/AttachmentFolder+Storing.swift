package import EventLog

/// Bytes to attach: in memory, or in a file that is open for reading.
struct ContentSource {
  /// The name in messages.
  let name: String
  let byteCount: Int64
  /// Returns `count` bytes from an offset, or fewer at the end.
  let read: (_ offset: Int64, _ count: Int) throws(Errno) -> [UInt8]
}

extension AttachmentFolder {
  /// Stores bytes as an attachment.
  ///
  /// - Throws: `invalidInput` if they are too many, or their position can't be removed;
  ///   `inputOutput`.
  package func store(
    _ bytes: [UInt8], type: String, name: String? = nil, options: AttachmentOptions
  ) throws(EventLogError) -> Attachment {
    let source = ContentSource(name: name ?? "the data", byteCount: Int64(bytes.count)) {
      (offset, count) throws(Errno) in
      Array(bytes[min(Int(offset), bytes.count)..<min(Int(offset) + count, bytes.count)])
    }
    return try store(source, type: type, name: name, options)
  }

  /// Stores the content of a file as an attachment. The file isn't changed.
  ///
  /// - Parameter type: The media type, or nil for that of the file's name.
  /// - Throws: `invalidInput` if it isn't a regular file, is too large, changes while it is read,
  ///   or has a position that can't be removed; `inputOutput`.
  package func store(
    fileAt file: String, type: String? = nil, name: String? = nil, options: AttachmentOptions
  ) throws(EventLogError) -> Attachment {
    let (descriptor, before) = try open(file)
    defer { fileSystem.close(descriptor) }
    let source = ContentSource(name: file, byteCount: before.size) {
      (offset, count) throws(Errno) in
      try fileSystem.readBytes(descriptor, at: offset, count: count)
    }
    let name = name ?? Path.name(of: file)
    return try store(source, type: type ?? MediaType.of(fileNamed: name), name: name, options) {
      () throws(EventLogError) in
      let after: FileStatus
      do throws(Errno) { after = try fileSystem.status(of: descriptor) } catch {
        throw .inputOutput("read", file, error, meaning: "Nothing was attached.")
      }
      guard after.size == before.size, after.modified == before.modified else {
        throw EventLogError(
          .invalidInput, "\"\(file)\" changed while it was read. Nothing was attached.",
          hint: "Attach it again when nothing writes to it.", at: .init(file: file))
      }
    }
  }

  /// Copies a content of another folder, which stays as it is.
  ///
  /// - Throws: `damaged` if the content there doesn't have its hash; `inputOutput`.
  func copy(_ attachment: Attachment, from other: AttachmentFolder) throws(EventLogError) {
    try other.check(attachment)
    _ = try store(fileAt: other.file(of: attachment.sha256), options: Self.copying)
  }

  /// A copy is the same, whatever its size.
  private static let copying = AttachmentOptions(bytesMax: .max, keepsPosition: true)

  /// Copies the contents of another folder that aren't here.
  ///
  /// - Returns: The number of contents that were copied.
  /// - Throws: `inputOutput`.
  func copyContents(from other: AttachmentFolder) throws(EventLogError) -> Int {
    let here = Dictionary(
      try contents().map { ($0.sha256, $0.bytes) }, uniquingKeysWith: { first, _ in first })
    var count = 0
    for (sha256, bytes) in try other.contents() where here[sha256] != bytes {
      guard try other.hash(of: other.file(of: sha256)) == sha256 else { continue }
      _ = try store(fileAt: other.file(of: sha256), options: Self.copying)
      count += 1
    }
    return count
  }

  private func open(
    _ file: String
  ) throws(EventLogError) -> (descriptor: FileDescriptor, status: FileStatus) {
    do throws(Errno) {
      // Another program could replace a link while it is followed.
      if try fileSystem.isLink(file) { throw Errno.symlinkLoop }
      let descriptor = try fileSystem.open(file, .read)
      let status: FileStatus
      do throws(Errno) { status = try fileSystem.status(of: descriptor) } catch {
        fileSystem.close(descriptor)
        throw error
      }
      if status.kind == .regular { return (descriptor, status) }
      fileSystem.close(descriptor)
      throw status.kind == .folder ? Errno.isDirectory : Errno.invalidArgument
    } catch {
      switch error {
      case .isDirectory: throw notAFile(file, "a folder", "Attach a file, such as a zip archive.")
      case .symlinkLoop: throw notAFile(file, "a link", "Attach the file that it leads to.")
      case .invalidArgument: throw notAFile(file, "not a regular file", "Copy it to a file first.")
      default:
        throw .inputOutput(
          "read", file, error, meaning: "Nothing was attached.",
          hint: error == .noSuchFile ? "Check the path." : nil)
      }
    }
  }

  private func notAFile(_ file: String, _ what: String, _ hint: String) -> EventLogError {
    EventLogError(
      .invalidInput, "\"\(file)\" is \(what). Nothing was attached.", hint: hint,
      at: .init(file: file))
  }

  // MARK: - Copying

  /// Copies, syncs and renames.
  ///
  /// - Parameter check: Throws if the copy isn't to be used.
  private func store(
    _ source: ContentSource, type: String, name: String?, _ options: AttachmentOptions,
    check: () throws(EventLogError) -> Void = {}
  ) throws(EventLogError) -> Attachment {
    guard MediaType.isValid(type) else {
      throw EventLogError(
        .invalidInput, "\"\(type)\" is not a media type. Nothing was attached.",
        hint: "Use one such as image/jpeg.")
    }
    guard source.byteCount <= options.bytesMax else {
      throw EventLogError(
        .invalidInput,
        "\"\(source.name)\" has \(source.byteCount) bytes, and an attachment has at most"
          + " \(options.bytesMax). Nothing was attached.",
        hint: "Make it smaller, or raise bytesMax on every device.")
    }
    let edits = options.keepsPosition ? [] : try positionEdits(source)
    let temporary = Path.join(path, Path.temporaryName(random))
    do throws(Errno) { try make() } catch { throw storingFailed(error) }
    do throws(EventLogError) {
      let sha256 = try copy(source, edits, to: temporary)
      try check()
      do throws(Errno) {
        // Replacing a file of this name repairs it, if it was damaged.
        try fileSystem.rename(temporary, to: file(of: sha256))
        try fileSystem.syncFolder(path)
      } catch { throw storingFailed(error) }
      return Attachment(sha256: sha256, bytes: source.byteCount, type: type, name: name)
    } catch {
      try? fileSystem.remove(temporary)
      throw error
    }
  }

  private func positionEdits(_ source: ContentSource) throws(EventLogError) -> [ByteEdit] {
    let position: ImagePosition
    do throws(Errno) {
      position = try ImagePosition.find(byteCount: source.byteCount, read: source.read)
    } catch {
      throw .inputOutput("read", source.name, error, meaning: "Nothing was attached.")
    }
    guard let fault = position.fault else { return position.edits }
    throw EventLogError(
      .invalidInput,
      "\"\(source.name)\" may contain the place where it was taken, which can't be removed:"
        + " \(fault.reason) (byte \(fault.offset)). Nothing was attached.",
      hint: "Save it again with a program for images, or attach it with its position.",
      at: .init(file: source.name, byte: fault.offset))
  }

  /// Copies to a new file, syncs it, and returns its hash.
  private func copy(
    _ source: ContentSource, _ edits: [ByteEdit], to file: String
  ) throws(EventLogError) -> String {
    var (hash, editor, offset) = (SHA256(), ByteEditor(edits), Int64(0))
    let target: FileDescriptor
    do throws(Errno) { target = try fileSystem.open(file, .createNew) } catch {
      throw storingFailed(error)
    }
    defer { fileSystem.close(target) }
    while offset < source.byteCount {
      let count = Int(min(Int64(Self.chunkBytes), source.byteCount - offset))
      var chunk: [UInt8]
      do throws(Errno) { chunk = try source.read(offset, count) } catch {
        throw .inputOutput("read", source.name, error, meaning: "Nothing was attached.")
      }
      // The file has become shorter, which the check after the copy reports.
      if chunk.isEmpty { break }
      editor.apply(to: &chunk)
      hash.add(chunk)
      do throws(Errno) { try fileSystem.writeAll(target, chunk, at: offset) } catch {
        throw storingFailed(error)
      }
      offset += Int64(chunk.count)
    }
    do throws(Errno) { try fileSystem.sync(target) } catch { throw storingFailed(error) }
    return hash.finish().hexadecimal
  }

  private func storingFailed(_ error: Errno) -> EventLogError {
    .inputOutput(
      "write to", path, error, meaning: "Nothing was attached.",
      hint: error == .noSpace || error == .quotaExceeded
        ? "Free some space, and attach it again." : nil)
  }
}
