// What the layers above use instead of unsafe buffers: whole arrays, whole files.

extension FileSystem {
  /// Reads until it has `count` bytes or the file ends.
  ///
  /// - Precondition: `count` is not negative, and memory for it can be had.
  /// - Complexity: O(`count`), in memory too, however short the file is.
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

  /// Writes all the bytes, going on after short writes.
  ///
  /// A write that takes no byte throws ``Errno/noSpace``. Whatever is thrown, and after a crash,
  /// any part of the bytes may be in the file. It does not sync.
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

  /// Writes all the bytes of an array, exactly as the call that takes a slice does.
  package func writeAll(
    _ file: FileDescriptor, _ bytes: [UInt8], at offset: Int64
  ) throws(Errno) {
    try writeAll(file, bytes[...], at: offset)
  }

  /// Returns all the bytes of a file.
  ///
  /// A file of more than `maximumBytes` throws ``Errno/fileTooLarge`` and is not read; nor is a
  /// pipe or a device, which throws ``Errno/invalidArgument``. Where the system cannot open it and
  /// gives one of these as the reason, ``Errno/notSupported`` is thrown. A file that another
  /// process grows meanwhile is returned up to the size it had.
  package func contents(ofFile path: String, maximumBytes: Int) throws(Errno) -> [UInt8] {
    let file: FileDescriptor
    do throws(Errno) { file = try open(path, .read) } catch {
      // What says so has not looked at its size.
      throw error == .fileTooLarge || error == .invalidArgument ? .notSupported : error
    }
    defer { close(file) }
    let status = try status(of: file)
    guard status.kind != .other else { throw .invalidArgument }
    guard status.size <= Int64(maximumBytes) else { throw .fileTooLarge }
    return try readBytes(file, at: 0, count: Int(status.size))
  }

  /// Gives a path a new file with these bytes, whole or not at all.
  ///
  /// The bytes go to a temporary file beside it (`.eventlog-xxxxxxxx.tmp`), are synced and renamed
  /// into place, and the folder is synced. If it throws, the temporary file is removed, and the
  /// path names the old file; if it was the folder that could not be synced, the new one. After a
  /// crash it is either, whole, and the temporary file may be left over. The new file has the mode
  /// 0600; if the path is a symbolic link, the link is what gets replaced.
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
