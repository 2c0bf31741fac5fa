/// The folder beside a journal: deletable files (`cache/`), the identity of this copy
/// (`device.json`), and bytes that exist nowhere else (`quarantine/`).
package struct SideFolder: Sendable {
  package let path: String
  private let journal: String
  let fileSystem: any FileSystem

  package init(beside journal: String, fileSystem: any FileSystem) {
    self.journal = fileSystem.followingLinks(journal)
    self.fileSystem = fileSystem
    path = Path.replacingExtension(self.journal, "jsonl", with: "eventlog")
  }

  private var recordPath: String { Path.join(path, "device.json") }
  private var quarantinePath: String { Path.join(path, "quarantine") }

  // MARK: - device.json

  /// The record, or nil if there is none or it can't be read.
  package func readRecord() -> DeviceRecord? { (try? requireRecord()) ?? nil }

  /// The record, or nil if there is none or it is invalid.
  ///
  /// - Parameter meaning: The effect of a failure, for the error message.
  /// - Throws: `inputOutput` if the file can't be read. A temporary failure must not cost the
  ///   device ID or the record's information about a doubtful end.
  package func requireRecord(
    meaning: String = "Nothing was appended."
  ) throws(EventLogError) -> DeviceRecord? {
    do throws(Errno) {
      return DeviceRecord(
        encoded: try fileSystem.contents(ofFile: recordPath, maximumBytes: 65_536))
    } catch {
      if Self.isNone(error) { return nil }
      throw .inputOutput(
        "read", recordPath, error, meaning: meaning,
        // Don't suggest deleting the file for temporary errors or missing permissions.
        hint: [.inputOutput, .isDirectory, .symlinkLoop].contains(error)
          ? "You can delete it; the next append then uses a new device ID." : nil)
    }
  }

  /// Whether an error means that there is no such file, rather than that it can't be read for now.
  ///
  /// A pipe or a file that is too large counts as none.
  static func isNone(_ error: Errno) -> Bool {
    let none: [Errno] = [.noSuchFile, .notDirectory, .fileTooLarge, .invalidArgument]
    return none.contains(error)
  }

  /// The status of the record's file, or nil if there is none.
  var recordStatus: FileStatus? { try? fileSystem.status(at: recordPath) }

  /// Replaces the record durably: writes a new file, syncs it, and renames it.
  package func replaceRecord(_ record: DeviceRecord) throws(EventLogError) {
    try make()
    do throws(Errno) {
      try fileSystem.replaceFile(at: recordPath, with: record.encoded)
    } catch {
      throw .inputOutput("write", recordPath, error, meaning: "The journal is unchanged.")
    }
  }

  /// Updates the record in place without syncing it.
  ///
  /// After a power loss, the old record may remain. In that case, more of the journal's end is
  /// rewritten than necessary, and damage in it is taken for a torn write.
  ///
  /// - Returns: The status of the file, or nil if it couldn't be written.
  package func updateRecord(_ record: DeviceRecord) -> FileStatus? {
    guard let file = try? fileSystem.open(recordPath, .readWrite) else { return nil }
    defer { fileSystem.close(file) }
    guard (try? fileSystem.writeAll(file, record.encoded, at: 0)) != nil else { return nil }
    return try? fileSystem.status(of: file)
  }

  /// Moves the side folder of a renamed journal to the journal and returns its record.
  ///
  /// The side folder qualifies if its record matches this file on this machine and the journal
  /// beside it is gone.
  package func takeOverOrphan(of file: DeviceRecord.FileIdentity, machine: String?) -> DeviceRecord?
  {
    let folder = Path.folder(of: journal)
    guard !exists(path), let names = try? fileSystem.contents(of: folder) else { return nil }
    for name in names where name.hasSuffix(".eventlog") {
      let other = Path.join(folder, name)
      let otherJournal = Path.replacingExtension(other, "eventlog", with: "jsonl")
      guard !exists(otherJournal),
        let bytes = try? fileSystem.contents(
          ofFile: Path.join(other, "device.json"), maximumBytes: 65_536),
        let record = DeviceRecord(encoded: bytes), record.file == file,
        record.machine == machine
      else { continue }
      do throws(Errno) { try fileSystem.rename(other, to: path) } catch { return nil }
      try? fileSystem.syncFolder(folder)
      return record
    }
    return nil
  }

  /// The record, if it was made for this file on this machine.
  ///
  /// The record of another journal doesn't apply to the end of this one.
  package func fittingRecord(of file: DeviceRecord.FileIdentity) -> DeviceRecord? {
    readRecord().flatMap { Self.fits($0, file, fileSystem.machineIdentity()) ? $0 : nil }
  }

  static func fits(
    _ record: DeviceRecord, _ file: DeviceRecord.FileIdentity, _ machine: String?
  ) -> Bool {
    record.file == file && record.machine == machine
  }

  // MARK: - Quarantine

  /// Copies the bytes from `offset` to the end of the journal into a new synced file in
  /// `quarantine/`.
  ///
  /// - Returns: The path of the file.
  package func quarantine(
    _ file: FileDescriptor, from offset: Int64, to end: Int64, at time: Timestamp
  ) throws(EventLogError) -> String {
    try make()
    try makeFolder(quarantinePath)
    let stamp = time.description.filter { $0.isNumber || $0 == "T" || $0 == "Z" }
    do throws(Errno) {
      var target = Path.join(quarantinePath, "\(stamp)-byte-\(offset).jsonl")
      var attempt = 1
      while exists(target) {
        attempt += 1
        target = Path.join(quarantinePath, "\(stamp)-byte-\(offset)-\(attempt).jsonl")
      }
      let copy = try fileSystem.open(target, .createNew)
      defer { fileSystem.close(copy) }
      var position = offset
      while position < end {
        let count = Int(min(1 << 20, end - position))
        let bytes = try fileSystem.readBytes(file, at: position, count: count)
        if bytes.isEmpty { break }
        try fileSystem.writeAll(copy, bytes, at: position - offset)
        position += Int64(bytes.count)
      }
      try fileSystem.sync(copy)
      // Sync the names of the file and its folder too, because the journal is cut next.
      try fileSystem.syncFolder(quarantinePath)
      try fileSystem.syncFolder(path)
      return target
    } catch {
      throw .inputOutput("write to", quarantinePath, error, meaning: "The journal is unchanged.")
    }
  }

  /// The files in quarantine.
  package var quarantined: [String] {
    get throws(EventLogError) {
      do throws(Errno) { return try fileSystem.contents(of: quarantinePath) } catch {
        if Self.isNone(error) { return [] }
        throw .inputOutput("read", quarantinePath, error, meaning: "Nothing was changed.")
      }
    }
  }

  // MARK: - Folder

  /// Whether the journal of the folder exists.
  var isBesideJournal: Bool { exists(journal) }

  func make() throws(EventLogError) {
    if exists(path) { return }
    try makeFolder(path)
    try? fileSystem.excludeFromBackup(path)
    do throws(Errno) { try fileSystem.syncFolder(Path.folder(of: path)) } catch {
      throw .inputOutput("sync the folder of", path, error, meaning: "The journal is unchanged.")
    }
  }

  func makeFolder(_ path: String) throws(EventLogError) {
    do throws(Errno) { try fileSystem.makeFolder(path) } catch {
      if error == .exists { return }
      throw .inputOutput("create", path, error, meaning: "The journal is unchanged.")
    }
  }

  private func exists(_ path: String) -> Bool { (try? fileSystem.status(at: path)) != nil }
}
