// A file system that counts how much is read and written through it.

import EventLog
import Synchronization

/// How many bytes were read and written: how far some work is, for whoever waits for it.
final class WorkCount: Sendable {
  private let bytes = Atomic<Int64>(0)

  /// It only grows.
  var byteCount: Int64 { bytes.load(ordering: .relaxed) }

  fileprivate func add(_ count: Int) {
    bytes.wrappingAdd(Int64(count), ordering: .relaxed)
  }
}

/// Another file system, of which a ``WorkCount`` counts the bytes.
struct CountingFileSystem: FileSystem {
  private let base: any FileSystem
  private let count: WorkCount

  init(_ base: any FileSystem, _ count: WorkCount) {
    self.base = base
    self.count = count
  }

  func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try base.open(path, access)
  }

  func close(_ file: FileDescriptor) { base.close(file) }

  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let byteCount = try base.read(file, into: buffer, at: offset)
    count.add(byteCount)
    return byteCount
  }

  func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let byteCount = try base.write(file, bytes, at: offset)
    count.add(byteCount)
    return byteCount
  }

  func sync(_ file: FileDescriptor) throws(Errno) { try base.sync(file) }

  func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try base.truncate(file, to: size)
  }

  func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try base.tryLock(file, exclusive: exclusive)
  }

  func unlock(_ file: FileDescriptor) throws(Errno) { try base.unlock(file) }

  func status(of file: FileDescriptor) throws(Errno) -> FileStatus { try base.status(of: file) }

  func status(at path: String) throws(Errno) -> FileStatus { try base.status(at: path) }

  func rename(_ source: String, to target: String) throws(Errno) {
    try base.rename(source, to: target)
  }

  func remove(_ path: String) throws(Errno) { try base.remove(path) }

  func makeFolder(_ path: String) throws(Errno) { try base.makeFolder(path) }

  func contents(of folder: String) throws(Errno) -> [String] { try base.contents(of: folder) }

  func syncFolder(_ path: String) throws(Errno) { try base.syncFolder(path) }

  func excludeFromBackup(_ path: String) throws(Errno) { try base.excludeFromBackup(path) }

  func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try base.watch(path, onChange)
  }

  func machineIdentity() -> String? { base.machineIdentity() }
}
