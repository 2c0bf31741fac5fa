// A file system that counts its calls and makes some of them fail.

public import EventLog
import Synchronization

/// A file system that counts calls to another one and makes them fail on demand.
///
/// An injected failure doesn't reach the other file system. Get one of these from
/// ``TemporaryStore/disk``.
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
    /// The number of changes to let through before everything fails.
    var crash: (changesBefore: Int, hasHappened: Bool, error: Errno)?
    var interruption: (callsBefore: Int, body: @Sendable () -> Void)?
    var writeBytesMax = Int.max
    var reportsChanges = true
  }

  private let base: any FileSystem
  private let identity: String?
  /// Keeps the folder from being removed while this file system may use its files.
  private let folder: TemporaryFolder?
  private let state = Mutex(State())

  /// Creates a file system in front of another one.
  ///
  /// - Parameters:
  ///   - base: The other file system. To let a `CrashRecorder` see failed syncs, put it in front of
  ///     this file system.
  ///   - machineIdentity: Replaces the machine's identity. With two values, one computer acts as
  ///     two.
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

  /// Returns the number of calls of an operation, including failed ones.
  ///
  /// - Parameter operation: The operation.
  public func count(of operation: FileOperation) -> Int {
    state.withLock { $0.counts[operation, default: 0] }
  }

  /// The number of calls that could have failed.
  ///
  /// With ``failNextCall(after:with:times:)``, a test can make each of them fail in turn.
  public var failableCount: Int {
    state.withLock { state in
      state.counts.reduce(0) { $0 + ($1.key.canFail ? $1.value : 0) }
    }
  }

  /// The number of bytes read from all files.
  public var bytesRead: Int64 { state.withLock(\.bytesRead) }

  /// Resets all counts to zero.
  ///
  /// Planned failures remain.
  public func resetCounts() {
    state.withLock { state in
      state.counts = [:]
      state.bytesRead = 0
    }
  }

  // MARK: - Failing

  /// Makes later calls of an operation fail.
  ///
  /// If you plan several failures of the same operation, they follow each other. Operations that
  /// can't fail are only counted.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - after: The number of calls to let through first.
  ///   - error: The error to throw.
  ///   - times: The number of calls that then fail.
  public func failNext(
    _ operation: FileOperation, after: Int = 0, with error: Errno, times: Int = 1
  ) {
    guard times > 0 else { return }
    let fault = Fault(callsBefore: after, callsFailing: times, error: error)
    state.withLock { $0.faults[operation, default: []].append(fault) }
  }

  /// Makes later calls fail, whatever their operation.
  ///
  /// Only operations that can fail are affected and counted.
  ///
  /// - Parameters:
  ///   - after: The number of calls to let through first.
  ///   - error: The error to throw.
  ///   - times: The number of calls that then fail.
  public func failNextCall(after: Int = 0, with error: Errno, times: Int = 1) {
    guard times > 0 else { return }
    let fault = Fault(callsBefore: after, callsFailing: times, error: error)
    state.withLock { $0.faultsOfAny.append(fault) }
  }

  /// Makes a later change to the disk and each call after it fail, as if the process ended there.
  ///
  /// Calls that only read aren't counted, because other threads and processes read at any time.
  package func crash(afterChanges count: Int, with error: Errno) {
    state.withLock { $0.crash = (count, false, error) }
  }

  /// Limits the number of bytes that each write accepts.
  ///
  /// - Parameter maxBytes: The maximum number of bytes. 0 simulates a full disk, and `nil` removes
  ///   the limit.
  public func shortWrites(of maxBytes: Int?) {
    state.withLock { $0.writeBytesMax = maxBytes ?? .max }
  }

  /// Cancels all planned failures and removes the write limit.
  public func stopFailing() {
    state.withLock { state in
      state.faults = [:]
      state.faultsOfAny = []
      state.crash = nil
      state.writeBytesMax = .max
    }
  }

  /// Turns the reports of watches on or off.
  ///
  /// After a report, a store reads its journal in the background. A test that counts other calls
  /// would count these as well, depending on the machine's load.
  package func reportChanges(_ reports: Bool) {
    state.withLock { $0.reportsChanges = reports }
  }

  /// Runs a closure on the caller's thread before a later call, as if another process ran then.
  ///
  /// - Parameters:
  ///   - count: The number of calls to let through first. Only operations that can fail are
  ///     counted.
  ///   - body: The closure.
  package func interrupt(after count: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.interruption = (count, body) }
  }

  private func interruption() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard let next = state.interruption else { return nil }
      state.interruption = next.callsBefore > 0 ? (next.callsBefore - 1, next.body) : nil
      return next.callsBefore == 0 ? next.body : nil
    }
  }

  private func willCall(_ operation: FileOperation) throws(Errno) {
    interruption()?()
    try state.withLock { (state) throws(Errno) in
      state.counts[operation, default: 0] += 1
      if let error = Self.error(from: &state.faults[operation, default: []]) { throw error }
      if let error = Self.error(from: &state.faultsOfAny) { throw error }
      if let error = Self.error(from: &state.crash, operation) { throw error }
    }
  }

  /// Counts down the first planned failure and returns its error if the call has to fail.
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

  private static func error(
    from crash: inout (changesBefore: Int, hasHappened: Bool, error: Errno)?,
    _ operation: FileOperation
  ) -> Errno? {
    guard let planned = crash else { return nil }
    if planned.hasHappened { return planned.error }
    guard operation.changesFiles else { return nil }
    crash?.changesBefore -= 1
    guard planned.changesBefore == 0 else { return nil }
    crash?.hasHappened = true
    return planned.error
  }

  private func didCall(_ operation: FileOperation) {
    state.withLock { $0.counts[operation, default: 0] += 1 }
  }
}

// MARK: - FileSystem

extension InstrumentedFileSystem: FileSystem {
  /// Counts as ``FileOperation/open`` and fails on demand.
  package func open(_ path: String, _ access: FileAccess) throws(Errno) -> FileDescriptor {
    try willCall(.open)
    return try base.open(path, access)
  }

  /// Counts as ``FileOperation/close``, which can't fail.
  package func close(_ file: FileDescriptor) {
    didCall(.close)
    base.close(file)
  }

  /// Counts as ``FileOperation/read`` and fails on demand. The bytes read are counted as well.
  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try willCall(.read)
    let count = try base.read(file, into: buffer, at: offset)
    state.withLock { $0.bytesRead += Int64(count) }
    return count
  }

  /// Counts as ``FileOperation/write`` and fails on demand. Writes at most as many bytes as
  /// ``shortWrites(of:)`` allows.
  package func write(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try willCall(.write)
    let count = min(bytes.count, state.withLock { $0.writeBytesMax })
    if count == 0 { return 0 }
    return try base.write(file, UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
  }

  /// Counts as ``FileOperation/sync`` and fails on demand.
  package func sync(_ file: FileDescriptor) throws(Errno) {
    try willCall(.sync)
    try base.sync(file)
  }

  /// Counts as ``FileOperation/truncate`` and fails on demand.
  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try willCall(.truncate)
    try base.truncate(file, to: size)
  }

  /// Counts as ``FileOperation/lock`` and fails on demand.
  package func tryLock(_ file: FileDescriptor, exclusive: Bool) throws(Errno) -> Bool {
    try willCall(.lock)
    return try base.tryLock(file, exclusive: exclusive)
  }

  /// Counts as ``FileOperation/unlock`` and fails on demand.
  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try willCall(.unlock)
    try base.unlock(file)
  }

  /// Counts as ``FileOperation/status`` and fails on demand.
  package func status(of file: FileDescriptor) throws(Errno) -> FileStatus {
    try willCall(.status)
    return try base.status(of: file)
  }

  /// Counts as ``FileOperation/status`` and fails on demand.
  package func status(at path: String) throws(Errno) -> FileStatus {
    try willCall(.status)
    return try base.status(at: path)
  }

  /// Renames a file or folder.
  ///
  /// Counts as ``FileOperation/rename`` and fails on demand.
  public func rename(_ source: String, to target: String) throws(Errno) {
    try willCall(.rename)
    try base.rename(source, to: target)
  }

  /// Removes a file or an empty folder.
  ///
  /// Counts as ``FileOperation/remove`` and fails on demand.
  public func remove(_ path: String) throws(Errno) {
    try willCall(.remove)
    try base.remove(path)
  }

  /// Creates a folder.
  ///
  /// Counts as ``FileOperation/makeFolder`` and fails on demand.
  public func makeFolder(_ path: String) throws(Errno) {
    try willCall(.makeFolder)
    try base.makeFolder(path)
  }

  /// Returns the names in a folder.
  ///
  /// Counts as ``FileOperation/contents`` and fails on demand.
  public func contents(of folder: String) throws(Errno) -> [String] {
    try willCall(.contents)
    return try base.contents(of: folder)
  }

  /// Syncs a folder to disk.
  ///
  /// Counts as ``FileOperation/syncFolder`` and fails on demand.
  public func syncFolder(_ path: String) throws(Errno) {
    try willCall(.syncFolder)
    try base.syncFolder(path)
  }

  /// Excludes a file from backups.
  ///
  /// Counts as ``FileOperation/excludeFromBackup`` and fails on demand.
  public func excludeFromBackup(_ path: String) throws(Errno) {
    try willCall(.excludeFromBackup)
    try base.excludeFromBackup(path)
  }

  /// Counts as ``FileOperation/watch`` and fails on demand.
  package func watch(
    _ path: String, _ onChange: @escaping @Sendable (FileChange) -> Void
  ) throws(Errno) -> any FileWatch {
    try willCall(.watch)
    return try base.watch(path) { [weak self] change in
      if self?.state.withLock(\.reportsChanges) ?? true { onChange(change) }
    }
  }

  /// Returns the identity of the machine.
  ///
  /// Counts as ``FileOperation/machineIdentity``, which can't fail.
  public func machineIdentity() -> String? {
    didCall(.machineIdentity)
    return identity ?? base.machineIdentity()
  }
}
