// A file system that tracks what is durable, so that a test can drop the rest.

package import EventLog
import Synchronization

/// A wrapper around a file system that shows each file as a power loss now would leave it.
///
/// It tracks every regular file that is opened, renamed or removed through it. The bytes of a file
/// at its first use count as durable. Later bytes are durable after a successful `sync`. Bytes
/// written before a *failed* sync stay in doubt, even after later syncs, until they are written
/// again. Names are durable after `syncFolder`. Changes that bypass the recorder, hard links and
/// renamed folders aren't tracked. Calls are serialized.
package final class CrashRecorder: Sendable {
  private let base: any FileSystem
  private let state = Mutex(CrashState())

  /// Wraps a file system.
  package init(_ base: any FileSystem = SystemFileSystem()) {
    self.base = base
  }

  /// Returns at most `limit` distinct contents that the file may have after a power loss now.
  ///
  /// Unsynced writes are kept or lost by page (4096 bytes), or torn by sector (512 bytes). The size
  /// is that of any step, and unwritten parts of a grown file are zeros. The first result has none
  /// of the unsynced changes, the second all of them. If all contents without torn pages fit into
  /// `limit`, all are included; otherwise a sample that depends on the seed. Torn pages fill the
  /// rest. If the name moved to another file since the folder was synced, the contents of all
  /// these files are included. ``mayBeMissing(_:)`` returns whether the file may not exist at all.
  package func possibleContents(of path: String, limit: Int, seed: UInt64) -> [[UInt8]] {
    state.withLock { state in
      let histories = state.histories(of: path, in: base)
      var contents = DistinctImages(limit: limit)
      for (index, history) in histories.enumerated() {
        let share = (limit - contents.all.count) / (histories.count - index)
        for image in history.images(limit: share, seed: seed) { contents.insert(image) }
      }
      return contents.all
    }
  }

  /// Returns whether a power loss now may leave no file under this name.
  package func mayBeMissing(_ path: String) -> Bool {
    state.withLock { $0.mayBeMissing(path, in: base) }
  }
}

// MARK: - FileSystem

extension CrashRecorder: FileSystem {
  package func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try state.withLock { (state) throws(Errno) in
      let isNew =
        switch access {
        case .read, .readWrite: false
        case .create: (try? base.status(at: path)) == nil
        case .createNew: true
        }
      let file = try base.open(path, access)
      do throws(Errno) {
        try state.didOpen(file, path, isNew: isNew, in: base)
      } catch {
        base.close(file)
        throw error
      }
      return file
    }
  }

  package func close(_ file: FileDescriptor) {
    state.withLock { state in
      state.didClose(file)
      base.close(file)
    }
  }

  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try base.read(file, into: buffer, at: offset)
  }

  package func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try state.withLock { (state) throws(Errno) in
      let count = try base.write(file, bytes, at: offset)
      state.change(file) { $0.write(Array(bytes[..<count]), at: Int(offset)) }
      return count
    }
  }

  package func sync(_ file: FileDescriptor) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      do throws(Errno) {
        try base.sync(file)
      } catch {
        state.change(file) { $0.didFailToSync() }
        throw error
      }
      state.change(file) { $0.didSync() }
    }
  }

  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      try base.truncate(file, to: size)
      state.change(file) { $0.truncate(to: Int(size)) }
    }
  }

  package func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try base.tryLock(file, exclusive: exclusive)
  }

  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try base.unlock(file)
  }

  package func status(of file: FileDescriptor) throws(Errno) -> FileStatus {
    try base.status(of: file)
  }

  package func status(at path: String) throws(Errno) -> FileStatus {
    try base.status(at: path)
  }

  package func rename(_ source: String, to target: String) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      state.meet(source, in: base)
      state.meet(target, in: base)
      try base.rename(source, to: target)
      state.didRename(source, to: target)
    }
  }

  package func remove(_ path: String) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      state.meet(path, in: base)
      try base.remove(path)
      state.didRemove(path)
    }
  }

  package func makeFolder(_ path: String) throws(Errno) {
    try base.makeFolder(path)
  }

  package func contents(of folder: String) throws(Errno) -> [String] {
    try base.contents(of: folder)
  }

  package func syncFolder(_ path: String) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      try base.syncFolder(path)
      state.didSyncFolder(path)
    }
  }

  package func excludeFromBackup(_ path: String) throws(Errno) {
    try base.excludeFromBackup(path)
  }

  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try base.watch(path, onChange)
  }

  package func machineIdentity() -> String? {
    base.machineIdentity()
  }
}
