import EventLog

/// A file system that forwards every operation it doesn't implement to another one.
protocol PassingFileSystem: FileSystem {
  associatedtype Base: FileSystem
  var base: Base { get }
}

extension PassingFileSystem {
  func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try base.open(path, access)
  }
  func close(_ file: FileDescriptor) { base.close(file) }
  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int { try base.read(file, into: buffer, at: offset) }
  func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int { try base.write(file, bytes, at: offset) }
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
  func machineIdentity() -> String? { base.machineIdentity() }
}
