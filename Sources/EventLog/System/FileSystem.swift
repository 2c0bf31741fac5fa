// Every way in which the library touches a disk. Nothing else of it does, so a test that passes
// another conformance sees, fails or forgets every byte.

/// What the library asks of a disk.
///
/// Pass ``SystemFileSystem`` for the real one. Every call that can fail throws an ``Errno``; a call
/// that a signal interrupted is made again and never throws ``Errno/interrupted``. Calls wait for
/// the disk: none belongs on a thread that must not. A path holding a zero byte names nothing and
/// throws ``Errno/invalidArgument``. Symbolic links are followed, except by
/// ``rename(_:to:)`` and ``remove(_:)``, which act on the link itself.
///
/// Nothing survives a power loss for certain until ``sync(_:)`` returned for the bytes and size of
/// a file, and ``syncFolder(_:)`` for its name.
package protocol FileSystem: Sendable {
  /// Opens or creates a file; child processes never inherit it.
  ///
  /// A new file's name is durable after ``syncFolder(_:)`` of its folder. Opening a pipe does not
  /// wait for its other end.
  func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor

  /// Closes a descriptor and lets go of its lock.
  ///
  /// Whatever the system reports, the descriptor is closed; a failure to write shows in
  /// ``sync(_:)``, never here.
  func close(_ file: FileDescriptor)

  /// Reads at an offset and returns how many bytes came; 0 at the end of the file.
  ///
  /// It may return fewer bytes than the buffer takes. The C function is `pread`.
  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int

  /// Writes at an offset and returns how many bytes went, which may be fewer than given.
  ///
  /// After a crash any part of it may be there, in any order. The C function is `pwrite`.
  func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int

  /// Returns when the file's bytes and its size are on the device.
  ///
  /// The C function is `fdatasync`; on Apple systems `F_FULLFSYNC`, and `fsync` only where the
  /// file system does not know that. After a failure nothing written since the last success
  /// is certain, and calling it again proves nothing: write the bytes again first.
  func sync(_ file: FileDescriptor) throws(Errno)

  /// Makes the file exactly so many bytes long; what it grows by reads as zeros.
  func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno)

  /// Locks the whole file against other descriptors without waiting; `false` if another holds it.
  ///
  /// The lock is advisory and belongs to the open file, not to the process: two descriptors of one
  /// process exclude each other, and closing releases it, as a crash does. Asking again on the
  /// same descriptor changes the kind of lock. The C function is `flock`.
  func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool

  /// Releases the lock; without one, does nothing.
  func unlock(_ file: FileDescriptor) throws(Errno)

  /// Returns what is known of an open file, whatever its path names by now.
  func status(of file: FileDescriptor) throws(Errno) -> FileStatus

  /// Returns what is known of the file that the path names now.
  func status(at path: String) throws(Errno) -> FileStatus

  /// Moves a file to another name on the same file system, replacing what has that name.
  ///
  /// Whoever looks finds the old file or the new one, never none, never a part. That holds after
  /// a crash too if the moved file was synced; which of the two is certain after
  /// ``syncFolder(_:)``.
  func rename(_ source: String, to target: String) throws(Errno)

  /// Removes a file or an empty folder; ``Errno/notEmpty`` if the folder holds something.
  func remove(_ path: String) throws(Errno)

  /// Creates a folder of the mode 0700; ``Errno/exists`` if the name is taken.
  func makeFolder(_ path: String) throws(Errno)

  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  ///
  /// Names that are not UTF-8 are left out: no `String` could name them again.
  func contents(of folder: String) throws(Errno) -> [String]

  /// Returns when the names in a folder are on the device.
  ///
  /// File systems that cannot sync a folder are taken at their word: `EINVAL` and `ENOTSUP` are
  /// no errors here.
  func syncFolder(_ path: String) throws(Errno)

  /// Keeps a file or folder, and what is in it, out of the system's backups.
  ///
  /// Does something on Apple systems only.
  func excludeFromBackup(_ path: String) throws(Errno)

  /// Calls `onChange` after each change of what the path names, until the watch is cancelled.
  ///
  /// It notices writes and changes of size by any process of this machine, and that a file is
  /// made, removed, or renamed to or from the path, even if there is none when the watch begins;
  /// its folder has to be there. Symbolic links at the end of the path are followed, and noticed
  /// when they lead elsewhere. A folder further up that is renamed is not noticed. Where the path
  /// leads to a folder, it notices when a file in it is made, removed, renamed or replaced.
  ///
  /// Calls come one at a time, on a thread of the watch's own. Changes in quick succession share
  /// one, but after a change there is always a call that began later: look at the file in each
  /// call, and once after this returns, and nothing is missed. Calls without a change happen.
  ///
  /// It throws where the system has no watches left (``Errno/tooManyOpenFiles``,
  /// ``Errno/noSpace``), and ``Errno/notSupported`` where other machines may write unnoticed.
  func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch

  /// Returns a text that is the same for as long as this is the same installed machine.
  ///
  /// `nil` where there is none. It never throws: not knowing is an answer.
  func machineIdentity() -> String?
}
