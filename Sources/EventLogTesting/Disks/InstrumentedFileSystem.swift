// A file system that counts its calls and fails those that a test names.

public import EventLog
import Synchronization

/// Another file system, counted, and failing on demand.
///
/// A call that is made to fail does not reach the file system below: nothing has happened. To let
/// a ``CrashRecorder`` see failed syncs, put it around this one.
public final class InstrumentedFileSystem: Sendable {
  private struct Fault {
    var callsBefore: Int
    var callsFailing: Int
    let error: Errno
  }

  private struct State {
    var counts: [FileOperation: Int] = [:]
    var bytesRead: Int64 = 0
    var faults: [FileOperation: [Fault]] = [:]
    var faultsOfAny: [Fault] = []
    var writeBytesMax = Int.max
  }

  private let base: any FileSystem
  private let identity: String?
  /// A folder that is there for as long as its files may be used by this.
  private let folder: TemporaryFolder?
  private let state = Mutex(State())

  /// Puts itself in front of a file system.
  ///
  /// `machineIdentity` replaces what the file system below says of its machine: two values make
  /// one computer two.
  package convenience init(
    _ base: any FileSystem = SystemFileSystem(), machineIdentity: String? = nil
  ) {
    self.init(base, machineIdentity: machineIdentity, keeping: nil)
  }

  init(_ base: any FileSystem, machineIdentity: String?, keeping folder: TemporaryFolder?) {
    self.base = base
    identity = machineIdentity
    self.folder = folder
  }

  // MARK: - Counting

  /// Returns how often the call was made, failed ones included.
  public func count(of operation: FileOperation) -> Int {
    state.withLock { $0.counts[operation, default: 0] }
  }

  /// Returns how many calls were made that could have failed.
  ///
  /// With ``failNextCall(after:with:times:)`` a test can fail each of them in turn.
  public var failableCount: Int {
    state.withLock { state in
      state.counts.reduce(0) { $0 + ($1.key.canFail ? $1.value : 0) }
    }
  }

  /// How many bytes were read, of all files.
  public var bytesRead: Int64 { state.withLock(\.bytesRead) }

  /// Counts from zero again; planned failures stay.
  public func resetCounts() {
    state.withLock { state in
      state.counts = [:]
      state.bytesRead = 0
    }
  }

  // MARK: - Failing

  /// Lets `after` calls of this kind through, then makes the next `times` throw.
  ///
  /// Plans for one kind of call follow one another. Calls that cannot fail are only counted.
  public func failNext(
    _ operation: FileOperation, after: Int = 0, with error: Errno, times: Int = 1
  ) {
    guard times > 0 else { return }
    let fault = Fault(callsBefore: after, callsFailing: times, error: error)
    state.withLock { $0.faults[operation, default: []].append(fault) }
  }

  /// Lets `after` calls through, of any kind that can fail, then makes the next `times` throw.
  public func failNextCall(after: Int = 0, with error: Errno, times: Int = 1) {
    guard times > 0 else { return }
    let fault = Fault(callsBefore: after, callsFailing: times, error: error)
    state.withLock { $0.faultsOfAny.append(fault) }
  }

  /// Makes every write take at most so many bytes; `nil` ends that, 0 is a full disk.
  public func shortWrites(of maxBytes: Int?) {
    state.withLock { $0.writeBytesMax = maxBytes ?? .max }
  }

  /// Forgets all planned failures and lets writes be whole again.
  public func stopFailing() {
    state.withLock { state in
      state.faults = [:]
      state.faultsOfAny = []
      state.writeBytesMax = .max
    }
  }

  private func willCall(_ operation: FileOperation) throws(Errno) {
    try state.withLock { (state) throws(Errno) in
      state.counts[operation, default: 0] += 1
      if let error = Self.error(from: &state.faults[operation, default: []]) { throw error }
      if let error = Self.error(from: &state.faultsOfAny) { throw error }
    }
  }

  /// Counts one call down in the first plan; returns its error if the call's time has come.
  private static func error(from faults: inout [Fault]) -> Errno? {
    guard var fault = faults.first else { return nil }
    if fault.callsBefore > 0 {
      faults[0].callsBefore -= 1
      return nil
    }
    fault.callsFailing -= 1
    if fault.callsFailing == 0 { faults.removeFirst() } else { faults[0] = fault }
    return fault.error
  }

  private func didCall(_ operation: FileOperation) {
    state.withLock { $0.counts[operation, default: 0] += 1 }
  }
}

// MARK: - FileSystem

extension InstrumentedFileSystem: FileSystem {
  /// Counted as ``FileOperation/open``, and made to fail where that was planned.
  package func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try willCall(.open)
    return try base.open(path, access)
  }

  /// Counted as ``FileOperation/close``; it cannot fail.
  package func close(_ file: FileDescriptor) {
    didCall(.close)
    base.close(file)
  }

  /// Counted as ``FileOperation/read``, and made to fail where that was planned. What was read is
  /// counted too.
  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try willCall(.read)
    let count = try base.read(file, into: buffer, at: offset)
    state.withLock { $0.bytesRead += Int64(count) }
    return count
  }

  /// Counted as ``FileOperation/write``, and made to fail where that was planned. At most as many
  /// bytes go as ``shortWrites(of:)`` lets.
  package func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try willCall(.write)
    let count = min(bytes.count, state.withLock { $0.writeBytesMax })
    if count == 0 { return 0 }
    return try base.write(file, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }

  /// Counted as ``FileOperation/sync``, and made to fail where that was planned.
  package func sync(_ file: FileDescriptor) throws(Errno) {
    try willCall(.sync)
    try base.sync(file)
  }

  /// Counted as ``FileOperation/truncate``, and made to fail where that was planned.
  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try willCall(.truncate)
    try base.truncate(file, to: size)
  }

  /// Counted as ``FileOperation/lock``, and made to fail where that was planned.
  package func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try willCall(.lock)
    return try base.tryLock(file, exclusive: exclusive)
  }

  /// Counted as ``FileOperation/unlock``, and made to fail where that was planned.
  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try willCall(.unlock)
    try base.unlock(file)
  }

  /// Counted as ``FileOperation/status``, and made to fail where that was planned.
  package func status(of file: FileDescriptor) throws(Errno) -> FileStatus {
    try willCall(.status)
    return try base.status(of: file)
  }

  /// Counted as ``FileOperation/status``, and made to fail where that was planned.
  package func status(at path: String) throws(Errno) -> FileStatus {
    try willCall(.status)
    return try base.status(at: path)
  }

  /// Counted as ``FileOperation/rename``, and made to fail where that was planned.
  public func rename(_ source: String, to target: String) throws(Errno) {
    try willCall(.rename)
    try base.rename(source, to: target)
  }

  /// Counted as ``FileOperation/remove``, and made to fail where that was planned.
  public func remove(_ path: String) throws(Errno) {
    try willCall(.remove)
    try base.remove(path)
  }

  /// Counted as ``FileOperation/makeFolder``, and made to fail where that was planned.
  public func makeFolder(_ path: String) throws(Errno) {
    try willCall(.makeFolder)
    try base.makeFolder(path)
  }

  /// Counted as ``FileOperation/contents``, and made to fail where that was planned.
  public func contents(of folder: String) throws(Errno) -> [String] {
    try willCall(.contents)
    return try base.contents(of: folder)
  }

  /// Counted as ``FileOperation/syncFolder``, and made to fail where that was planned.
  public func syncFolder(_ path: String) throws(Errno) {
    try willCall(.syncFolder)
    try base.syncFolder(path)
  }

  /// Counted as ``FileOperation/excludeFromBackup``, and made to fail where that was planned.
  public func excludeFromBackup(_ path: String) throws(Errno) {
    try willCall(.excludeFromBackup)
    try base.excludeFromBackup(path)
  }

  /// Counted as ``FileOperation/watch``, and made to fail where that was planned.
  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try willCall(.watch)
    return try base.watch(path, onChange)
  }

  /// Counted as ``FileOperation/machineIdentity``; it cannot fail.
  public func machineIdentity() -> String? {
    didCall(.machineIdentity)
    return identity ?? base.machineIdentity()
  }
}
