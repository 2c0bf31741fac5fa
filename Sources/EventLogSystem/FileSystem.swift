// All disk access of the library goes through this protocol, so that a test with another
// conformance can observe, fail or lose every byte.

/// The disk operations that the library uses.
///
/// ``SystemFileSystem`` is the real disk. Every call that can fail throws an ``Errno``; interrupted
/// calls are retried and never throw ``Errno/interrupted``. Calls wait for the disk, so don't make
/// them on a thread that must not wait. A path that contains a zero byte throws
/// ``Errno/invalidArgument``. Symbolic links are followed, except by ``rename(_:to:)`` and
/// ``remove(_:)``, which act on the link itself.
///
/// Only what was synced is certain to survive a power loss: the bytes and size of a file after
/// ``sync(_:)``, and its name after ``syncFolder(_:)``.
package protocol FileSystem: Sendable {
  /// Opens or creates a file; child processes never inherit it.
  ///
  /// The name of a new file is durable after ``syncFolder(_:)`` of its folder. Opening a pipe
  /// doesn't wait for its other end.
  func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor

  /// Closes a descriptor and releases its lock.
  ///
  /// The descriptor is closed whatever the system reports; ``sync(_:)`` reports failed writes.
  func close(_ file: FileDescriptor)

  /// Reads at an offset and returns the number of bytes read; 0 at the end of the file.
  ///
  /// It may read fewer bytes than fit in the buffer. The C function is `pread`.
  func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int

  /// Writes at an offset and returns the number of bytes written, which may be less than given.
  ///
  /// After a crash, any part of them may be present, in any order. The C function is `pwrite`.
  func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int

  /// Returns after the file's bytes and size have reached the device.
  ///
  /// The C function is `fdatasync`; on Apple systems it is `F_FULLFSYNC`, or `fsync` only if the
  /// file system doesn't support that. After a failure, nothing written since the last success is
  /// certain, and a successful retry proves nothing: write the bytes again first.
  func sync(_ file: FileDescriptor) throws(Errno)

  /// Sets the length of the file in bytes; added bytes are zero.
  func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno)

  /// Locks the whole file without waiting; `false` if another descriptor holds a conflicting lock.
  ///
  /// The lock is advisory and belongs to the open file, not to the process: two descriptors of one
  /// process exclude each other. Closing the file releases it, and so does a crash. Locking again
  /// with the same descriptor changes the kind of lock. The C function is `flock`.
  func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool

  /// Releases the lock, if there is one.
  func unlock(_ file: FileDescriptor) throws(Errno)

  /// Returns the status of an open file, even if its path now refers to another file.
  func status(of file: FileDescriptor) throws(Errno) -> FileStatus

  /// Returns the status of the file to which the path refers now.
  func status(at path: String) throws(Errno) -> FileStatus

  /// Renames a file within a file system, replacing any file with that name.
  ///
  /// Readers find the old file or the new one, always complete. That also holds after a crash, if
  /// the renamed file was synced; the new name is durable after ``syncFolder(_:)``.
  func rename(_ source: String, to target: String) throws(Errno)

  /// Removes a file or an empty folder; ``Errno/notEmpty`` if the folder isn't empty.
  func remove(_ path: String) throws(Errno)

  /// Creates a folder with the mode 0700; ``Errno/exists`` if the name is taken.
  func makeFolder(_ path: String) throws(Errno)

  /// Returns the names in a folder, sorted by their bytes, without `.` and `..`.
  ///
  /// Names that aren't UTF-8 are omitted, because no `String` could refer to them.
  func contents(of folder: String) throws(Errno) -> [String]

  /// Returns after the names in a folder have reached the device.
  ///
  /// `EINVAL` and `ENOTSUP` are ignored: some file systems can't sync a folder.
  func syncFolder(_ path: String) throws(Errno)

  /// Excludes a file or folder, with its contents, from the system's backups.
  ///
  /// It has an effect only on Apple systems.
  func excludeFromBackup(_ path: String) throws(Errno)

  /// Calls `onChange` after each change to the file at `path`, until the watch is canceled.
  ///
  /// It reports writes and size changes by any process of this machine, and that a file is
  /// created, removed, or renamed to or from the path. The file doesn't have to exist yet, but its
  /// folder does. Symbolic links at the end of the path are followed; a link that gets another
  /// target is reported. Renaming a higher folder isn't reported. For a path to a folder, it
  /// reports that a file in it is created, removed, renamed or replaced.
  ///
  /// Calls are made one at a time, on the watch's own thread. Changes in quick succession may share
  /// a call, but each change is followed by a call that starts after it. Calls without a change are
  /// possible. To miss nothing, read the file in each call, and once after this returns.
  ///
  /// It throws ``Errno/tooManyOpenFiles`` or ``Errno/noSpace`` if the system has no watches left,
  /// and ``Errno/notSupported`` if other machines may write unnoticed.
  func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch

  /// Returns a text that identifies this installed machine, as long as it isn't reinstalled.
  ///
  /// It is `nil` if unknown; that isn't an error.
  func machineIdentity() -> String?
}
