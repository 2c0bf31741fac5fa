extension FileSystem {
  /// Reads `count` bytes, or fewer if the file ends first.
  ///
  /// - Precondition: `count` isn't negative, and the memory can be allocated.
  /// - Complexity: O(`count`), also in memory, however short the file is.
  package func readBytes(
    _ file: FileDescriptor, at offset: Int64, count: Int
  ) throws(Errno) -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { (buffer, filled) throws(Errno) in
      let all = UnsafeMutableRawBufferPointer(buffer)
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: all[filled..<count])
        let length = try read(file, into: rest, at: offset + Int64(filled))
        if length == 0 { return }
        filled += length
      }
    }
  }

  /// Writes all bytes, continuing after short writes.
  ///
  /// A write of no bytes throws ``Errno/noSpace``. After any error or a crash, any part of the
  /// bytes may be in the file. It doesn't sync.
  package func writeAll(
    _ file: FileDescriptor, _ bytes: ArraySlice<UInt8>, at offset: Int64
  ) throws(Errno) {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Errno) in
      let all = UnsafeRawBufferPointer(buffer)
      var written = 0
      while written < all.count {
        let rest = UnsafeRawBufferPointer(rebasing: all[written...])
        let length = try write(file, rest, at: offset + Int64(written))
        if length == 0 { throw Errno.noSpace }
        written += length
      }
    }
  }

  /// Writes all bytes of an array, like the method that takes a slice.
  package func writeAll(
    _ file: FileDescriptor, _ bytes: [UInt8], at offset: Int64
  ) throws(Errno) {
    try writeAll(file, bytes[...], at: offset)
  }

  /// Returns the contents of a file.
  ///
  /// A file larger than `maximumBytes` throws ``Errno/fileTooLarge``, and a pipe or device
  /// ``Errno/invalidArgument``; neither is read. If opening the file fails with one of these
  /// errors, this throws ``Errno/notSupported`` instead. If another process appends to the file
  /// during the call, the result ends at the previous size.
  package func contents(ofFile path: String, maximumBytes: Int) throws(Errno) -> [UInt8] {
    let file: FileDescriptor
    do throws(Errno) { file = try open(path, .read) } catch {
      // Callers rely on these two errors to describe the file.
      throw error == .fileTooLarge || error == .invalidArgument ? .notSupported : error
    }
    defer { close(file) }
    let status = try status(of: file)
    guard status.kind != .other else { throw .invalidArgument }
    guard status.size <= Int64(maximumBytes) else { throw .fileTooLarge }
    return try readBytes(file, at: 0, count: Int(status.size))
  }

  /// Replaces the file at `path`, or creates it, atomically.
  ///
  /// The bytes are written to a temporary file in the same folder (`.eventlog-xxxxxxxx.tmp`),
  /// synced and renamed, and the folder is synced. If this throws, the temporary file is removed,
  /// and the path refers to the old file, or to the new one if only syncing the folder failed.
  /// After a crash, the path refers to one of the two, complete, and the temporary file may be left
  /// over. The new file has the mode 0600. If the path is a symbolic link, the link itself is
  /// replaced.
  package func replaceFile(at path: String, with bytes: [UInt8]) throws(Errno) {
    let folder = Path.folder(of: path)
    let temporary = Path.join(folder, Path.temporaryName(RandomText.system))
    let file = try open(temporary, .createNew)
    do throws(Errno) {
      defer { close(file) }
      try writeAll(file, bytes, at: 0)
      try sync(file)
    } catch {
      try? remove(temporary)
      throw error
    }
    do throws(Errno) {
      try rename(temporary, to: path)
    } catch {
      try? remove(temporary)
      throw error
    }
    try syncFolder(folder)
  }
}
