// Each function makes one C call, turns its error into an `Errno`, and retries it after a signal.
// Differences between systems are hidden here.

import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("EventLog needs Darwin, Glibc or Musl")
#endif

// MARK: - Calling conventions

/// Makes a system call, retrying on EINTR; throws `errno` if it returns -1.
@inline(__always)
package func uninterrupted<Value: SignedInteger>(_ call: () -> Value) throws(Errno) -> Value {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = Errno.current
    if error != .interrupted { throw error }
  }
}

/// Passes a path to a C call; throws if it contains a zero byte.
func withCPath<Value>(
  _ path: String, _ body: (UnsafePointer<CChar>) throws(Errno) -> Value
) throws(Errno) -> Value {
  try path.utf8CString.withUnsafeBufferPointer { (text) throws(Errno) in
    guard strlen(text.baseAddress!) == text.count - 1 else { throw .invalidArgument }
    return try body(text.baseAddress!)
  }
}

/// The most bytes for one call: Apple systems refuse 2 GiB and more.
private let transferBytesMax = 1 << 30

// MARK: - Files

/// `open` that doesn't wait for the other end of a pipe.
func systemOpen(_ path: String, _ access: FileAccess) throws(Errno) -> CInt {
  let flags =
    switch access {
    case .read: O_RDONLY
    case .readWrite: O_RDWR
    case .create: O_RDWR | O_CREAT
    case .createNew: O_RDWR | O_CREAT | O_EXCL
    }
  return try withCPath(path) { (path) throws(Errno) in
    do throws(Errno) {
      return try uninterrupted { open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600) }
    } catch {
      // Wait for the holder of a lease on the file to release it.
      guard error == .wouldBlock else { throw error }
      return try uninterrupted { open(path, flags | O_CLOEXEC, 0o600) }
    }
  }
}

/// `close`, without retries: the number may already refer to another file.
package func systemClose(_ file: CInt) {
  _ = close(file)
}

/// `pread`
func systemRead(
  _ file: CInt, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64
) throws(Errno) -> Int {
  guard let offset = off_t(exactly: offset) else { throw .invalidArgument }
  guard let base = buffer.baseAddress else { return 0 }
  let count = min(buffer.count, transferBytesMax)
  return try uninterrupted { pread(file, base, count, offset) }
}

/// `pwrite`
func systemWrite(
  _ file: CInt, _ bytes: UnsafeRawBufferPointer, _ offset: Int64
) throws(Errno) -> Int {
  guard let offset = off_t(exactly: offset) else { throw .invalidArgument }
  guard let base = bytes.baseAddress else { return 0 }
  let count = min(bytes.count, transferBytesMax)
  return try uninterrupted { pwrite(file, base, count, offset) }
}

/// `fdatasync`, or `F_FULLFSYNC` on systems whose `fsync` leaves bytes in the drive's cache.
func systemSync(_ file: CInt) throws(Errno) {
  #if canImport(Darwin)
    do throws(Errno) {
      _ = try uninterrupted { fcntl(file, F_FULLFSYNC) }
    } catch {
      // Fall back only if it isn't supported, not if the device failed.
      guard [ENOTSUP, EOPNOTSUPP, EINVAL, ENOTTY].contains(error.rawValue) else { throw error }
      _ = try uninterrupted { fsync(file) }
    }
  #else
    _ = try uninterrupted { fdatasync(file) }
  #endif
}

/// `ftruncate`
func systemTruncate(_ file: CInt, _ size: Int64) throws(Errno) {
  guard let size = off_t(exactly: size) else { throw .invalidArgument }
  _ = try uninterrupted { ftruncate(file, size) }
}

/// `flock` that doesn't wait; `false` if another descriptor holds the lock.
func systemTryLock(_ file: CInt, exclusive: Bool) throws(Errno) -> Bool {
  do throws(Errno) {
    _ = try uninterrupted { flock(file, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) }
    return true
  } catch {
    guard error == .wouldBlock else { throw error }
    return false
  }
}

/// `flock` with `LOCK_UN`
func systemUnlock(_ file: CInt) throws(Errno) {
  _ = try uninterrupted { flock(file, LOCK_UN) }
}

// MARK: - Paths

/// `rename`
func systemRename(_ source: String, _ target: String) throws(Errno) {
  try withCPath(source) { (source) throws(Errno) in
    try withCPath(target) { (target) throws(Errno) in
      _ = try uninterrupted { rename(source, target) }
    }
  }
}

/// `remove`: `unlink` for a file, `rmdir` for a folder
func systemRemove(_ path: String) throws(Errno) {
  try withCPath(path) { (path) throws(Errno) in
    _ = try uninterrupted { remove(path) }
  }
}

/// `mkdir`
func systemMakeFolder(_ path: String) throws(Errno) {
  try withCPath(path) { (path) throws(Errno) in
    _ = try uninterrupted { mkdir(path, 0o700) }
  }
}

/// `opendir`, `readdir`, `closedir`: the names in the system's order, without `.` and `..`.
func systemNames(in folder: String) throws(Errno) -> [String] {
  try withCPath(folder) { (folder) throws(Errno) in
    guard let stream = opendir(folder) else { throw .current }
    defer { closedir(stream) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name)!
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        let error = Errno.current
        guard error.rawValue == 0 else { throw error }
        return names
      }
      let name = (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self)
      if let name = String(validatingCString: name), name != ".", name != ".." {
        names.append(name)
      }
    }
  }
}

/// `fsync` of a folder; a no-op if the file system doesn't support it.
func systemSyncFolder(_ path: String) throws(Errno) {
  let folder = try withCPath(path) { (path) throws(Errno) in
    try uninterrupted { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }
  defer { systemClose(folder) }
  do throws(Errno) {
    #if canImport(Darwin)
      try systemSync(folder)
    #else
      _ = try uninterrupted { fsync(folder) }
    #endif
  } catch {
    guard [EINVAL, ENOTSUP, EOPNOTSUPP].contains(error.rawValue) else { throw error }
  }
}

// MARK: - Status

/// Nanoseconds since 1970, clamped to `Int64`.
private func nanoseconds(_ seconds: Int64, _ rest: Int64) -> Int64 {
  let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
  let (sum, overflowToo) = whole.addingReportingOverflow(rest)
  guard overflow || overflowToo else { return sum }
  return seconds < 0 ? .min : .max
}

/// The kind according to the `S_IFMT` bits of a mode.
private func kind(ofMode mode: UInt32) -> FileKind {
  switch mode & 0o170000 {
  case 0o100000: .regular
  case 0o040000: .folder
  default: .other
  }
}

/// The status according to `stat` or `fstat`.
private func status(_ found: stat) -> FileStatus {
  #if canImport(Darwin)
    let modified = found.st_mtimespec
    let born = found.st_birthtimespec
    // It is 0 or -1 if the volume doesn't record it.
    let birth = born.tv_sec > 0 ? nanoseconds(Int64(born.tv_sec), Int64(born.tv_nsec)) : nil
  #else
    let modified = found.st_mtim
    let birth: Int64? = nil
  #endif
  return FileStatus(
    kind: kind(ofMode: UInt32(found.st_mode)),
    size: Int64(found.st_size),
    device: UInt64(truncatingIfNeeded: found.st_dev),
    inode: UInt64(truncatingIfNeeded: found.st_ino),
    birth: birth,
    modified: nanoseconds(Int64(modified.tv_sec), Int64(modified.tv_nsec)),
    permissions: UInt16(found.st_mode & 0o777))
}

/// `statx` or `fstat` of an open file.
func systemStatus(of file: CInt) throws(Errno) -> FileStatus {
  #if !canImport(Darwin)
    if let found = try extendedStatus(file, "", emptyPathFlag) { return found }
  #endif
  var found = stat()
  _ = try uninterrupted { fstat(file, &found) }
  return status(found)
}

/// `statx` or `stat` of the file at a path.
func systemStatus(at path: String) throws(Errno) -> FileStatus {
  try withCPath(path) { (path) throws(Errno) in
    #if !canImport(Darwin)
      if let found = try extendedStatus(AT_FDCWD, path, 0) { return found }
    #endif
    var found = stat()
    _ = try uninterrupted { stat(path, &found) }
    return status(found)
  }
}

#if !canImport(Darwin)
  /// `statx`, which the C headers hide from Swift, because it requires `_GNU_SOURCE`.
  ///
  /// It is in glibc since 2.28, and in musl since 1.2.5. All arguments are integers and pointers,
  /// for which Swift's calling convention is the same as C's.
  @_silgen_name("statx")
  private func linuxStatx(
    _ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt, _ mask: CUnsignedInt,
    _ buffer: UnsafeMutableRawPointer
  ) -> CInt

  /// `AT_EMPTY_PATH`: the descriptor itself is queried.
  private let emptyPathFlag: CInt = 0x1000

  /// The status with the birth time; `nil` if the kernel has no `statx`, or a sandbox forbids it.
  private func extendedStatus(
    _ folder: CInt, _ path: UnsafePointer<CChar>, _ flags: CInt
  ) throws(Errno) -> FileStatus? {
    let basicStats: CUnsignedInt = 0x7ff
    let birthTime: CUnsignedInt = 0x800
    var buffer: StatxBuffer = (
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    )
    do throws(Errno) {
      _ = try uninterrupted { linuxStatx(folder, path, flags, basicStats | birthTime, &buffer) }
    } catch {
      guard error.rawValue == ENOSYS || error == .notPermitted else { throw error }
      return nil
    }
    return withUnsafeBytes(of: &buffer) { found in
      let mask = found.load(fromByteOffset: 0, as: UInt32.self)
      let hasBirth = mask & birthTime != 0
      let mode = found.load(fromByteOffset: 28, as: UInt16.self)
      return FileStatus(
        kind: kind(ofMode: UInt32(mode)),
        size: found.load(fromByteOffset: 40, as: Int64.self),
        device: deviceNumber(
          major: found.load(fromByteOffset: 136, as: UInt32.self),
          minor: found.load(fromByteOffset: 140, as: UInt32.self)),
        inode: found.load(fromByteOffset: 32, as: UInt64.self),
        birth: hasBirth ? time(in: found, at: 80) : nil,
        modified: time(in: found, at: 112), permissions: mode & 0o777)
    }
  }

  /// A `struct statx`: the 256 bytes that the kernel fills.
  private typealias StatxBuffer = (
    UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
    UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
    UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
    UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
  )

  /// Reads a `struct statx_timestamp`.
  private func time(in buffer: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
    nanoseconds(
      buffer.load(fromByteOffset: offset, as: Int64.self),
      Int64(buffer.load(fromByteOffset: offset + 8, as: UInt32.self)))
  }

  /// `makedev`: the number that `stat` reports for the same device.
  private func deviceNumber(major: UInt32, minor: UInt32) -> UInt64 {
    let major = UInt64(major)
    let minor = UInt64(minor)
    return (major & 0xffff_f000) << 32 | (major & 0xfff) << 8
      | (minor & 0xffff_ff00) << 12 | (minor & 0xff)
  }
#endif

// MARK: - Machine

/// The operating system's identifier of this installed machine.
func systemMachineIdentity(readingWith read: (String) -> [UInt8]?) -> String? {
  #if os(macOS)
    var identity = [UInt8](repeating: 0, count: 16)
    var patience = timespec(tv_sec: 1, tv_nsec: 0)
    guard gethostuuid(&identity, &patience) == 0 else { return nil }
    let digits = Array("0123456789abcdef".utf8)
    let text = identity.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
  #elseif os(Linux)
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let bytes = read(path) else { continue }
      let text = bytes.drop { $0 <= 0x20 }.prefix { $0 > 0x20 }
      // systemd writes this word until the machine is set up.
      if text.isEmpty || text.elementsEqual("uninitialized".utf8) { continue }
      return String(validating: text, as: UTF8.self)
    }
    return nil
  #else
    return nil
  #endif
}

/// Sets the extended attribute that excludes a file from Apple's backups.
func systemExcludeFromBackup(_ path: String) throws(Errno) {
  #if os(macOS)
    // A property list of the string "com.apple.backupd", as Time Machine's tools write it.
    let value =
      Array("bplist00".utf8) + [0x5f, 0x10, 0x11] + Array("com.apple.backupd".utf8)
      + [0x08, 0, 0, 0, 0, 0, 0, 0x01, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x01]
      + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1c]
    try setAttribute("com.apple.metadata:com_apple_backup_excludeItem", value, of: path)
  #elseif canImport(Darwin)
    try setAttribute("com.apple.MobileBackup", [1], of: path)
  #endif
}

#if canImport(Darwin)
  /// `setxattr`
  private func setAttribute(_ name: String, _ value: [UInt8], of path: String) throws(Errno) {
    try withCPath(path) { (path) throws(Errno) in
      _ = try uninterrupted { setxattr(path, name, value, value.count, 0, 0) }
    }
  }
#endif

// MARK: - Time, threads and messages

/// `clock_gettime(CLOCK_REALTIME)`, in milliseconds since 1970 UTC
func systemWallMilliseconds() -> Int64 {
  milliseconds(of: CLOCK_REALTIME)
}

/// `clock_gettime(CLOCK_MONOTONIC)`, in milliseconds since an arbitrary time
func systemMonotonicMilliseconds() -> Int64 {
  milliseconds(of: CLOCK_MONOTONIC)
}

private func milliseconds(of clock: clockid_t) -> Int64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}

/// `localtime_r`: the offset of the system's time zone from UTC at a time; 0 if unknown
package func systemSecondsEastOfUTC(at seconds: Int64) -> Int64 {
  var time = time_t(clamping: seconds)
  var parts = tm()
  guard localtime_r(&time, &parts) != nil else { return 0 }
  return Int64(parts.tm_gmtoff)
}

/// `nanosleep`, continued after interruptions
func systemSleep(milliseconds: Int64) {
  guard milliseconds > 0 else { return }
  var rest = timespec()
  rest.tv_sec = time_t(clamping: milliseconds / 1000)
  rest.tv_nsec = Int(milliseconds % 1000) * 1_000_000
  var left = timespec()
  while nanosleep(&rest, &left) == -1, Errno.current == .interrupted { rest = left }
}

/// `strerror_r`
func systemMessage(ofError number: CInt) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
    text.initialize(repeating: 0)
    _ = strerror_r(number, text.baseAddress!, text.count)
    let message = String(cString: text.baseAddress!)
    return message.isEmpty ? "Error \(number)" : message
  }
}

// MARK: - Processors and host

/// The number of processors online; a process may be allowed fewer.
func systemProcessorCount() -> Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

/// `gethostname`
func systemHostName() -> String? {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
  let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: bytes, as: UTF8.self)
}

// MARK: - Randomness

private let forks = Atomic(0)
private let countsForks = {
  // Initialized before another thread can fork, or the child may wait for it forever.
  _ = forks.load(ordering: .relaxed)
  return pthread_atfork(nil, nil, { forks.add(1, ordering: .relaxed) }) == 0
}()

/// The number of forks since the first call, in this process or an ancestor, or nil if they can't
/// be counted.
///
/// A fork that bypasses the C library, or by its `_Fork`, isn't counted.
func systemForkCount() -> Int? { countsForks ? forks.load(ordering: .relaxed) : nil }

/// 32 random numbers, read by one call.
func systemRandomNumbers() -> [UInt64] {
  // The most bytes that `getentropy` takes.
  let count = 256 / MemoryLayout<UInt64>.size
  return [UInt64](unsafeUninitializedCapacity: count) { numbers, initializedCount in
    let bytes = UnsafeMutableRawBufferPointer(numbers)
    #if canImport(Darwin)
      arc4random_buf(bytes.baseAddress!, bytes.count)
    #else
      // Fails on kernels without it, where Swift's generator has another source.
      if getentropy(bytes.baseAddress!, bytes.count) != 0 {
        var generator = SystemRandomNumberGenerator()
        for index in 0..<count { numbers[index] = generator.next() }
      }
    #endif
    initializedCount = count
  }
}
