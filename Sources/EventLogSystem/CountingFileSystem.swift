import Synchronization

/// The number of bytes and lines processed so far, to report progress.
package final class WorkCount: Sendable {
  private let bytes = Atomic<Int64>(0)
  fileprivate let lines = Atomic<Int64>(0)

  package init() {}

  /// The number of bytes read and written. It only grows.
  package var byteCount: Int64 { bytes.load(ordering: .relaxed) }
  /// The number of journal lines read, updated after each chunk, and of events checked by an
  /// append. It only grows.
  package var lineCount: Int64 { lines.load(ordering: .relaxed) }

  fileprivate func add(_ count: Int) {
    bytes.wrappingAdd(Int64(count), ordering: .relaxed)
  }
}

/// Wraps a file system and counts its bytes in a ``WorkCount``.
package struct CountingFileSystem: FileSystem {
  private let base: any FileSystem
  private let count: WorkCount

  package init(_ base: any FileSystem, _ count: WorkCount) {
    self.base = base
    self.count = count
  }

  package func noteLines(_ lineCount: Int) {
    count.lines.wrappingAdd(Int64(lineCount), ordering: .relaxed)
  }

  package func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try base.open(path, access)
  }

  package func close(_ file: FileDescriptor) { base.close(file) }

  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let byteCount = try base.read(file, into: buffer, at: offset)
    count.add(byteCount)
    return byteCount
  }

  package func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    let byteCount = try base.write(file, bytes, at: offset)
    count.add(byteCount)
    return byteCount
  }

  package func sync(_ file: FileDescriptor) throws(Errno) { try base.sync(file) }

  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try base.truncate(file, to: size)
  }

  package func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try base.tryLock(file, exclusive: exclusive)
  }

  package func unlock(_ file: FileDescriptor) throws(Errno) { try base.unlock(file) }

  package func status(of file: FileDescriptor) throws(Errno) -> FileStatus {
    try base.status(of: file)
  }

  package func status(at path: String) throws(Errno) -> FileStatus { try base.status(at: path) }

  package func rename(_ source: String, to target: String) throws(Errno) {
    try base.rename(source, to: target)
  }

  package func remove(_ path: String) throws(Errno) { try base.remove(path) }

  package func makeFolder(_ path: String) throws(Errno) { try base.makeFolder(path) }

  package func contents(of folder: String) throws(Errno) -> [String] {
    try base.contents(of: folder)
  }

  package func syncFolder(_ path: String) throws(Errno) { try base.syncFolder(path) }

  package func excludeFromBackup(_ path: String) throws(Errno) { try base.excludeFromBackup(path) }

  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try base.watch(path, onChange)
  }

  package func machineIdentity() -> String? { base.machineIdentity() }
}
