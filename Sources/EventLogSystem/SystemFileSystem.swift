import Synchronization

/// The file system of the operating system.
package struct SystemFileSystem: FileSystem {
  package init() {}

  package func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try FileDescriptor(rawValue: systemOpen(path, access))
  }

  package func close(_ file: FileDescriptor) {
    systemClose(file.rawValue)
  }

  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try systemRead(file.rawValue, buffer, offset)
  }

  package func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try systemWrite(file.rawValue, bytes, offset)
  }

  package func sync(_ file: FileDescriptor) throws(Errno) {
    try systemSync(file.rawValue)
  }

  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try systemTruncate(file.rawValue, size)
  }

  package func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try systemTryLock(file.rawValue, exclusive: exclusive)
  }

  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try systemUnlock(file.rawValue)
  }

  package func status(of file: FileDescriptor) throws(Errno) -> FileStatus {
    try systemStatus(of: file.rawValue)
  }

  package func status(at path: String) throws(Errno) -> FileStatus {
    try systemStatus(at: path)
  }

  package func rename(_ source: String, to target: String) throws(Errno) {
    try systemRename(source, target)
  }

  package func remove(_ path: String) throws(Errno) {
    try systemRemove(path)
  }

  package func makeFolder(_ path: String) throws(Errno) {
    try systemMakeFolder(path)
  }

  package func contents(of folder: String) throws(Errno) -> [String] {
    try systemNames(in: folder).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package func syncFolder(_ path: String) throws(Errno) {
    try systemSyncFolder(path)
  }

  package func excludeFromBackup(_ path: String) throws(Errno) {
    try systemExcludeFromBackup(path)
  }

  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try SystemFileWatch(path, onChange)
  }

  /// Cached as soon as it is known, until the process ends.
  package func machineIdentity() -> String? {
    Self.machine.withLock { known in
      if known == nil {
        known = systemMachineIdentity { try? contents(ofFile: $0, maximumBytes: 1024) }
      }
      return known
    }
  }

  private static let machine = Mutex<String?>(nil)
}
