// Copied and restored devices, which lead to two writers with the same history.

public import EventLog

/// The ways to copy a device.
public enum DeviceCopying: Sendable, CaseIterable {
  /// Copies the journal's file without its side folder.
  case journalAlone
  /// Copies the journal with its side folder, on the same machine.
  case withSideFolder
  /// Copies the disk to another machine.
  case toAnotherMachine
  /// Copies the whole machine, including its identity, so that nothing distinguishes the copy.
  case wholeMachine
}

/// The ways to restore an earlier state of a device.
public enum DeviceRestoring: Sendable, CaseIterable {
  /// Replaces the journal by a new file with the earlier bytes.
  ///
  /// The side folder stays.
  case journalReplaced
  /// Replaces the journal and its side folder by new files with the earlier bytes.
  case allReplaced
  /// Writes the earlier bytes to the same journal file.
  ///
  /// The side folder stays.
  case journalRolledBack
  /// Writes the earlier bytes to the same files, including the side folder.
  ///
  /// This is what happens if a volume is reset to an earlier state. Nothing reveals that it
  /// happened.
  case allRolledBack
}

/// The ways to damage a line of a journal.
public enum LineDamage: Sendable, CaseIterable {
  /// Flips a bit of the line.
  case changed
  /// Removes the line.
  case cutOut
}

/// A copy of a device's files.
public struct DeviceBackup: Sendable {
  /// The bytes of the journal, or `nil` if it didn't exist.
  public let journal: [UInt8]?
  /// The contents of the side folder, by relative path.
  let side: [String: [UInt8]]

  /// Returns a backup with only the beginning of the journal, as if it was made during a write.
  ///
  /// - Parameter byteCount: The number of bytes to keep.
  public func cut(to byteCount: Int) -> DeviceBackup {
    DeviceBackup(journal: journal.map { Array($0.prefix(byteCount)) }, side: side)
  }
}

extension TemporaryStore {
  /// Copies this device in its current state.
  ///
  /// The copy continues independently.
  ///
  /// - Parameters:
  ///   - copying: The way to copy the device. For ``DeviceCopying/wholeMachine``, the device must
  ///     be on a disk in memory.
  ///   - name: The prefix of the copy's new device IDs.
  ///   - seed: The seed for the copy's device IDs and generated keys. It must differ from that of
  ///     the original.
  /// - Returns: The copy.
  /// - Throws: `inputOutput`.
  public func copy(
    _ copying: DeviceCopying, named name: String, seed: UInt64 = 2
  ) async throws(EventLogError) -> TemporaryStore {
    let machine = copying == .toAnotherMachine ? name : machine
    let copiesDisk = copying == .toAnotherMachine || copying == .wholeMachine
    if copiesDisk, let memory = base as? MemoryFileSystem {
      let disk = memory.copy(machineIdentity: machine)
      return try await open(
        name, seed, in: TemporaryFolder(taking: folder.path, on: disk), on: disk, machine)
    }
    precondition(copying != .wholeMachine, "Only a disk in memory can be copied as a whole.")
    let target = try TemporaryFolder.make(on: base as? MemoryFileSystem)
    let backup = try backUp()
    if let journal = backup.journal {
      try TemporaryFolder.write(journal, to: target.file("journal.jsonl"), on: base)
    }
    if copying != .journalAlone { try put(backup.side, into: target.file(Self.sideFolder)) }
    return try await open(name, seed, in: target, on: base, machine)
  }

  private func open(
    _ name: String, _ seed: UInt64, in folder: TemporaryFolder, on disk: any FileSystem,
    _ machine: String
  ) async throws(EventLogError) -> TemporaryStore {
    try await TemporaryStore(
      device: name, user: options.user, catalog: catalog, projections: projections,
      clock: AdjustableClock(sharingTimeOf: clock), seed: seed, in: folder, on: disk,
      machine: machine)
  }

  // MARK: - Earlier states

  /// Returns a copy of the device's current files.
  ///
  /// - Throws: `inputOutput`.
  public func backUp() throws(EventLogError) -> DeviceBackup {
    do throws(Errno) {
      var journal: [UInt8]?
      do throws(Errno) {
        journal = try base.contents(ofFile: path, maximumBytes: 1 << 30)
      } catch {
        guard error == .noSuchFile else { throw error }
      }
      var side: [String: [UInt8]] = [:]
      try read(folder.file(Self.sideFolder), as: "", into: &side)
      return DeviceBackup(journal: journal, side: side)
    } catch {
      throw .inputOutput("read", path, error)
    }
  }

  private func read(
    _ folder: String, as prefix: String, into files: inout [String: [UInt8]]
  ) throws(Errno) {
    guard let names = try? base.contents(of: folder) else { return }
    for name in names {
      let path = Path.join(folder, name)
      if try base.status(at: path).kind == .folder {
        try read(path, as: prefix + name + "/", into: &files)
      } else {
        files[prefix + name] = try base.contents(ofFile: path, maximumBytes: 1 << 30)
      }
    }
  }

  /// Restores the files of a backup while the store is open.
  ///
  /// Files that were added to the side folder since are removed, except those in quarantine.
  ///
  /// - Parameters:
  ///   - backup: The backup to restore.
  ///   - restoring: The way to restore the files.
  /// - Throws: `inputOutput`.
  public func restore(
    _ backup: DeviceBackup, _ restoring: DeviceRestoring
  ) throws(EventLogError) {
    guard let journal = backup.journal else { return }
    let isNew = restoring == .journalReplaced || restoring == .allReplaced
    try put(journal, at: path, isNew: isNew)
    guard restoring == .allReplaced || restoring == .allRolledBack else { return }
    let side = folder.file(Self.sideFolder)
    do throws(Errno) {
      var now: [String: [UInt8]] = [:]
      try read(side, as: "", into: &now)
      for name in now.keys where backup.side[name] == nil && !name.hasPrefix("quarantine/") {
        try base.remove(Path.join(side, name))
      }
    } catch {
      throw .inputOutput("read", side, error)
    }
    try put(backup.side, into: side, isNew: isNew)
  }

  /// Removes the last lines of the journal, in place and while the store is open.
  ///
  /// - Parameter lineCount: The number of lines to remove.
  /// - Throws: `inputOutput`.
  public func cutOff(_ lineCount: Int) throws(EventLogError) {
    guard let journal = try backUp().journal else { return }
    let lines = journal.split(separator: 0x0A)
    let kept = lines.dropLast(lineCount).reduce(0) { $0 + $1.count + 1 }
    try put(Array(journal.prefix(kept)), at: path, isNew: false)
  }

  /// Damages a line of the journal, in place and while the store is open.
  ///
  /// - Parameters:
  ///   - index: The index of the line, starting at 0. Nothing happens if there is no such line.
  ///   - damage: The way to damage the line.
  /// - Throws: `inputOutput`.
  public func damage(lineAt index: Int, _ damage: LineDamage) throws(EventLogError) {
    guard let journal = try backUp().journal else { return }
    var lines = journal.split(separator: 0x0A).map { Array($0) }
    guard lines.indices.contains(index) else { return }
    switch damage {
    case .changed: lines[index][lines[index].count / 2] ^= 1
    case .cutOut: lines.remove(at: index)
    }
    try put(lines.flatMap { $0 + [0x0A] }, at: path, isNew: false)
  }

  /// Changes the bytes of the journal, in place and while the store is open.
  package func changeJournal(
    _ change: ([UInt8]) -> [UInt8]
  ) throws(EventLogError) {
    let journal = try journalBytes()
    if !journal.isEmpty { try put(change(journal), at: path, isNew: false) }
  }

  /// Returns the bytes of the journal, or an empty array if it doesn't exist.
  func journalBytes() throws(EventLogError) -> [UInt8] {
    do throws(Errno) {
      return try base.contents(ofFile: path, maximumBytes: 1 << 30)
    } catch {
      if error == .noSuchFile { return [] }
      throw .inputOutput("read", path, error)
    }
  }

  /// The contents of the files in quarantine.
  var quarantined: [[UInt8]] {
    let folder = Path.join(folder.file(Self.sideFolder), "quarantine")
    return ((try? base.contents(of: folder)) ?? []).compactMap {
      try? base.contents(ofFile: Path.join(folder, $0), maximumBytes: 1 << 30)
    }
  }

  private static let sideFolder = "journal.eventlog"

  private func put(
    _ files: [String: [UInt8]], into side: String, isNew: Bool = true
  ) throws(EventLogError) {
    let folders = Set(files.keys.map { Path.folder(of: Path.join(side, $0)) })
    for folder in [side] + folders.sorted() where (try? base.status(at: folder)) == nil {
      do throws(Errno) { try base.makeFolder(folder) } catch {
        throw .inputOutput("create", folder, error)
      }
    }
    for (name, bytes) in files { try put(bytes, at: Path.join(side, name), isNew: isNew) }
  }

  private func put(_ bytes: [UInt8], at path: String, isNew: Bool) throws(EventLogError) {
    do throws(Errno) {
      let target = isNew ? path + ".new" : path
      let file = try base.open(target, .create)
      defer { base.close(file) }
      // Until the file is truncated, readers may see old bytes after the new ones.
      try base.writeAll(file, bytes, at: 0)
      try base.truncate(file, to: Int64(bytes.count))
      if isNew { try base.rename(target, to: path) }
    } catch {
      throw .inputOutput("write", path, error)
    }
  }
}
