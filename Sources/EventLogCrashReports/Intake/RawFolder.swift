import EventLog
import EventLogRemotes

/// The folder of the files that the recorder writes.
///
/// A file's name is random, and ends in `.crash`. Before a file is taken in, it gets the number of
/// the attempt: `abc.1.crash`. After three attempts, it is set aside as `abc.bad`, so that a file
/// that ends the process can't do so at each start. At most 20 files are kept aside: further ones
/// are removed, except for a folder with contents, which stays where it is.
struct RawFolder: Sendable {
  let path: String
  let fileSystem: any FileSystem

  /// The maximum number of recordings. As many other files may be beside them.
  static let filesMax = 20
  static let attemptsMax = 3
  /// No raw file is larger, and neither is a JSON file of MetricKit or a log of Swift's runtime.
  static let bytesMax = 4 << 20
  private static let suffix = ".crash"
  private static let asideSuffix = ".bad"
  static let asideMax = 20
  /// The number of starts that recorded nothing, because the folder was full.
  private static let omittedName = "omitted"

  static func path(in folder: String) -> String { Path.join(folder, "Raw") }

  func file(_ name: String) -> String { Path.join(path, name) }

  /// Creates the folder, and the folder that it is in.
  func create() throws(EventLogError) {
    for folder in [Path.folder(of: path), path] {
      try fileSystem.createFolder(at: folder, meaning: "Nothing is recorded.")
    }
  }

  /// The names of the files to take in, and of others that are left alone.
  func names() throws(EventLogError) -> (raw: [String], other: [String]) {
    do throws(Errno) {
      let names = try fileSystem.contents(of: path)
      return (names.filter(Self.isRaw), names.filter { !Self.isRaw($0) && $0 != Self.omittedName })
    } catch {
      if error == .noSuchFile { return ([], []) }
      throw .inputOutput("read", path, error, meaning: "No report was taken in.")
    }
  }

  private static func isRaw(_ name: String) -> Bool {
    name.hasSuffix(suffix) && !name.hasPrefix(".")
  }

  // MARK: - Recording

  /// Returns the path of a new file, or nil if the folder is full; then it counts the start.
  func fileForRecording() throws(EventLogError) -> String? {
    if try isFull() {
      // Most files are those of runs that ended without a crash.
      for name in try names().raw where isUnused(name) { try? fileSystem.remove(file(name)) }
      if try isFull() {
        countOmittedStart()
        return nil
      }
    }
    return file(RandomText.system.next(12) + Self.suffix)
  }

  /// Whether nothing more is recorded. Files that can't be read don't count, because they may never
  /// be taken in, unless they are many.
  private func isFull() throws(EventLogError) -> Bool {
    let names = try names().raw
    if names.count < Self.filesMax { return false }
    return names.count >= 2 * Self.filesMax || names.count(where: isRecording) >= Self.filesMax
  }

  /// Whether the file can be taken in, now or after its process has ended.
  private func isRecording(_ name: String) -> Bool {
    do throws(Errno) { _ = try bytes(of: name) } catch { return false }
    return true
  }

  /// Whether the file's process has ended, and nothing was recorded in it.
  private func isUnused(_ name: String) -> Bool {
    guard let bytes = try? bytes(of: name), let raw = RawFile(bytes) else { return false }
    return raw.reports.isEmpty && !raw.isTorn
  }

  private func countOmittedStart() {
    let bytes = Array("\(omittedStarts + 1)\n".utf8)
    // A lost count isn't worth an error: the start isn't recorded either way.
    try? fileSystem.replaceFile(at: file(Self.omittedName), with: bytes)
  }

  /// The number of starts that recorded nothing, because the folder was full.
  var omittedStarts: Int {
    let bytes = try? fileSystem.contents(ofFile: file(Self.omittedName), maximumBytes: 64)
    let text = String(decoding: (bytes ?? []).prefix { $0 != 0x0A }, as: UTF8.self)
    return max(0, Int(text) ?? 0)
  }

  func forgetOmittedStarts() { try? fileSystem.remove(file(Self.omittedName)) }

  // MARK: - Taking in

  /// Returns a file's bytes, or nil if its process is still running.
  ///
  /// - Throws: `fileTooLarge` or `isDirectory` for one that is no recording.
  private func bytes(of name: String) throws(Errno) -> [UInt8]? {
    // A link would lead to a file that isn't the recorder's.
    if (try? fileSystem.isLink(file(name))) == true { throw .isDirectory }
    let file = try fileSystem.open(self.file(name), .readWrite)
    defer { fileSystem.close(file) }
    let status = try fileSystem.status(of: file)
    guard status.kind == .regular else { throw .isDirectory }
    guard try fileSystem.tryLock(file, exclusive: true) else { return nil }
    // A child process that was just forked would keep the lock of a closed file.
    defer { try? fileSystem.unlock(file) }
    guard status.size <= Int64(Self.bytesMax) else { throw .fileTooLarge }
    return try fileSystem.readBytes(file, at: 0, count: Int(status.size))
  }

  /// A file that is being taken in.
  enum Attempt {
    /// The file has this name now.
    case read([UInt8], name: String)
    /// Its process is still running, or it was taken in since the folder was read.
    case skipped
    /// It failed too often, and was set aside.
    case setAside(Aside)
    /// It isn't a recording, and was set aside.
    case foreign(Aside)
    /// It stays as it is.
    case unreadable(Errno)
  }

  /// The outcome of setting a file aside.
  enum Aside: Sendable, Hashable {
    case kept(name: String)
    /// Removed, because too many are kept.
    case removed
    /// A folder with contents, which stays where it is, because too many files are kept.
    case left

    /// The end of a note.
    var phrase: String {
      switch self {
      case .kept(let name): "is kept as \(name)"
      case .removed: "was removed, because \(RawFolder.asideMax) such files are kept"
      case .left: "stays there, because \(RawFolder.asideMax) such files are kept"
      }
    }
  }

  /// Removes the count of attempts from the name of a file.
  func takeBack(_ name: String) throws(EventLogError) {
    let parts = name.split(separator: ".")
    guard parts.count > 2 else { return }
    let first = parts.dropLast(2).joined(separator: ".") + ".\(parts[parts.count - 1])"
    do throws(Errno) { try fileSystem.rename(file(name), to: file(first)) } catch {
      throw .inputOutput("rename", file(name), error, meaning: "It is taken in later.")
    }
  }

  /// Reads a file, and counts the attempt in its name before its content is parsed.
  ///
  /// - Throws: `inputOutput` if the folder can't be changed. No fault of the file is thrown,
  ///   because others can still be taken in.
  func begin(_ name: String) throws(EventLogError) -> Attempt {
    let bytes: [UInt8]
    do throws(Errno) {
      guard let read = try self.bytes(of: name) else { return .skipped }
      bytes = read
    } catch {
      switch error {
      case .noSuchFile: return .skipped
      // A recording is a file of a fixed size.
      case .fileTooLarge, .isDirectory: return .foreign(try setAside(name))
      default: return .unreadable(error)
      }
    }
    var parts = name.split(separator: ".").map(String.init)
    var attempts = parts.count > 2 ? Int(parts[parts.count - 2]) ?? 0 : 0
    if parts.count > 2 { parts.remove(at: parts.count - 2) }
    let stem = parts.dropLast().joined(separator: ".")
    var counted: String
    repeat {
      guard (0..<Self.attemptsMax).contains(attempts) else { return .setAside(try setAside(name)) }
      attempts += 1
      counted = "\(stem).\(attempts)\(Self.suffix)"
      // A copy of the folder may have brought a file with this name.
    } while (try? fileSystem.status(at: file(counted))) != nil
    do throws(Errno) {
      try fileSystem.rename(file(name), to: file(counted))
      try fileSystem.syncFolder(path)
      return .read(bytes, name: counted)
    } catch {
      switch error {
      case .noSuchFile: return .skipped
      // The recorder's names are short.
      case .nameTooLong: return .foreign(try setAside(name))
      default:
        throw .inputOutput("rename", file(name), error, meaning: "Its reports stay there.")
      }
    }
  }

  /// Removes a file whose reports are in the journal, or that has none.
  func remove(_ name: String) throws(EventLogError) {
    do throws(Errno) {
      try fileSystem.remove(file(name))
      try fileSystem.syncFolder(path)
    } catch {
      if error == .noSuchFile { return }
      throw .inputOutput(
        "remove", file(name), error, meaning: "Its reports are in the journal, once.")
    }
  }

  /// Renames a file that isn't the recorder's, or can't be taken in, to the first free name for
  /// such files.
  func setAside(_ name: String) throws(EventLogError) -> Aside {
    do throws(Errno) {
      let kept = try fileSystem.contents(of: path).filter { $0.hasSuffix(Self.asideSuffix) }
      if kept.count >= Self.asideMax { return try removeFile(name) ? .removed : .left }
      let first = name.split(separator: ".").first.map(String.init) ?? ""
      // Names of others may be too long, or contain anything.
      let stem = ReportTexts.name(first) ?? "file"
      var (aside, number) = (stem + Self.asideSuffix, 1)
      while kept.contains(aside) {
        number += 1
        aside = "\(stem)-\(number)\(Self.asideSuffix)"
      }
      try fileSystem.rename(file(name), to: file(aside))
      return .kept(name: aside)
    } catch {
      throw .inputOutput("rename", file(name), error, meaning: "It was not taken in.")
    }
  }

  /// Returns false for a folder with contents, which aren't the recorder's.
  private func removeFile(_ name: String) throws(Errno) -> Bool {
    do throws(Errno) { try fileSystem.remove(file(name)) } catch {
      guard error == .notEmpty || error == .exists else { throw error }
      return false
    }
    return true
  }
}
