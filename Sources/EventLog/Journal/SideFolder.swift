/// The folder beside a journal: what may be deleted (`cache/`), what identifies this copy
/// (`device.json`), and bytes found nowhere else (`quarantine/`).
package struct SideFolder: Sendable {
  package let path: String
  private let journal: String
  let fileSystem: any FileSystem

  package init(beside journal: String, fileSystem: any FileSystem) {
    self.journal = journal
    self.fileSystem = fileSystem
    path = Path.replacingExtension(journal, "jsonl", with: "eventlog")
  }

  private var recordPath: String { Path.join(path, "device.json") }
  private var quarantinePath: String { Path.join(path, "quarantine") }

  // MARK: - device.json

  /// The record, or nil if there is none that can be read.
  package func readRecord() -> DeviceRecord? { (try? requireRecord()) ?? nil }

  /// The record, or nil if there is none or the file holds something else.
  ///
  /// - Parameter meaning: what it means if it cannot be known.
  /// - Throws: `inputOutput` if it cannot be known: a passing failure must not cost the device ID,
  ///   nor what the record says about a doubtful end.
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
        // What passes by itself, or is a matter of permissions, is no reason to delete anything.
        hint: [.inputOutput, .isDirectory, .symlinkLoop].contains(error)
          ? "You can delete it; the next append then uses a new device ID." : nil)
    }
  }

  /// Whether an error says that there is no such file, and not that it cannot be read just now:
  /// what is too large, or a pipe, is none.
  static func isNone(_ error: Errno) -> Bool {
    let none: [Errno] = [.noSuchFile, .notDirectory, .fileTooLarge, .invalidArgument]
    return none.contains(error)
  }

  /// What the file system knows of the record's file; nil where there is none.
  var recordStatus: FileStatus? { try? fileSystem.status(at: recordPath) }

  /// Writes the record so that it survives a crash: beside, synced, renamed.
  package func replaceRecord(_ record: DeviceRecord) throws(EventLogError) {
    try make()
    do throws(Errno) {
      try fileSystem.replaceFile(at: recordPath, with: record.encoded)
    } catch {
      throw .inputOutput("write", recordPath, error, meaning: "The journal is unchanged.")
    }
  }

  /// Brings the record up to date in place, without a sync of its own.
  ///
  /// After a power loss it may be the older one; then more of the journal's end is written again
  /// than needed, and nothing else. So a failure is no error either.
  ///
  /// - Returns: whether it was written.
  package func updateRecord(_ record: DeviceRecord) -> Bool {
    writeInPlace(record) { _ in }
  }

  /// Makes the record durable that already stands in its file: half of what replacing it costs.
  ///
  /// It is written once more, because an earlier sync may have failed and dropped it.
  ///
  /// - Returns: whether it is durable.
  func syncRecord(_ record: DeviceRecord) -> Bool {
    writeInPlace(record) { (file) throws(Errno) in try fileSystem.sync(file) }
  }

  private func writeInPlace(
    _ record: DeviceRecord, _ finish: (FileDescriptor) throws(Errno) -> Void
  ) -> Bool {
    guard let file = try? fileSystem.open(recordPath, .readWrite) else { return false }
    defer { fileSystem.close(file) }
    do throws(Errno) {
      try fileSystem.writeAll(file, record.encoded, at: 0)
      try finish(file)
      return true
    } catch {
      return false
    }
  }

  /// The record of a journal that was renamed without its side folder, which then follows it.
  ///
  /// A side folder is taken over if its record fits this very file on this machine and the journal
  /// that it stood beside is gone.
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

  /// The record, if it was made for this very file on this machine: that of another journal says
  /// nothing about the end of this one.
  package func fittingRecord(of file: DeviceRecord.FileIdentity) -> DeviceRecord? {
    readRecord().flatMap { Self.fits($0, file, fileSystem.machineIdentity()) ? $0 : nil }
  }

  static func fits(
    _ record: DeviceRecord, _ file: DeviceRecord.FileIdentity, _ machine: String?
  ) -> Bool {
    record.file == file && record.machine == machine
  }

  // MARK: - Quarantine

  /// Copies the bytes of `journal` from `offset` to its end into a new file of `quarantine/`,
  /// synced.
  ///
  /// - Returns: the file's path.
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
      // The names too, of the file and of its folder: the journal is cut next.
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

  // MARK: - The folder itself

  /// Whether there is a journal that the folder stands beside, or would.
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
