package import EventLog

/// The folders in which an app keeps journals and a file about them.
extension FileSystem {
  /// Creates a folder, unless it exists. The folder that it is in has to exist.
  ///
  /// - Parameter meaning: A sentence about what an error means for the data.
  package func createFolder(at path: String, meaning: String) throws(EventLogError) {
    do throws(Errno) {
      if (try? status(at: path)) == nil { try makeFolder(path) }
    } catch {
      if error == .exists { return }
      throw .inputOutput(
        "create", path, error, meaning: meaning,
        hint: "Create the folder that it is to be in, or use another one.")
    }
  }

  /// Returns the contents of a file, or nil if it doesn't exist.
  ///
  /// - Parameter meaning: A sentence about what an error means for the data.
  package func contentsIfPresent(
    ofFile path: String, maximumBytes: Int, meaning: String
  ) throws(EventLogError) -> [UInt8]? {
    do throws(Errno) { return try contents(ofFile: path, maximumBytes: maximumBytes) } catch {
      if error == .noSuchFile { return nil }
      throw .inputOutput("read", path, error, meaning: meaning)
    }
  }

  /// Opens and locks a file.
  ///
  /// - Parameters:
  ///   - milliseconds: The maximum time to wait for another process.
  ///   - meaning: A sentence about what an error means for the data.
  /// - Throws: `locked`; `inputOutput`; `noJournal` if it doesn't exist and isn't created.
  package func lockedFile(
    at path: String, _ access: FileAccess, waiting milliseconds: Int64, meaning: String
  ) throws(EventLogError) -> JournalFile {
    // Another process may remove the file before it is locked.
    for _ in 0..<10 {
      let file = try JournalFile.open(path, access, fileSystem: self)
      do throws(EventLogError) {
        let status = try file.lockCurrent(milliseconds: milliseconds, meaning: meaning)
        if status != nil { return file }
      } catch {
        file.close()
        throw error
      }
      file.close()
    }
    throw EventLogError(
      .locked, "\"\(path)\" is removed each time it is locked. \(meaning)",
      hint: "Find the process that removes it, or try again.", at: .init(file: path))
  }

  /// Removes a file, or a folder with its contents. A link is removed, not followed, unless another
  /// process replaces a folder by it meanwhile.
  ///
  /// After an error or a crash, some of the contents may be removed.
  package func removeTree(_ path: String) throws(Errno) {
    do throws(Errno) { try remove(path) } catch {
      guard error == .notEmpty || error == .exists else { throw error }
      for name in try contents(of: path) {
        do throws(Errno) { try removeTree(Path.join(path, name)) } catch {
          // Another process may be removing it, too.
          guard error == .noSuchFile else { throw error }
        }
      }
      try remove(path)
    }
  }

  /// Removes a journal and its side folder, as far as they exist.
  ///
  /// - Parameters:
  ///   - keepsFile: Whether only the side folder is removed.
  ///   - meaning: A sentence about what an error means for the data.
  package func removeJournal(
    at path: String, keepsFile: Bool = false, meaning: String
  ) throws(EventLogError) {
    var paths = keepsFile ? [] : [path]
    // A link has no side folder: that of its target stays.
    if (try? isLink(path)) != true {
      paths.append(SideFolder(beside: path, fileSystem: self).path)
    }
    for path in paths {
      do throws(Errno) { try removeTree(path) } catch {
        if error == .noSuchFile { continue }
        throw .inputOutput("remove", path, error, meaning: meaning)
      }
    }
  }
}
