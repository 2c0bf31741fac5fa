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
}
