// The system calls of pipes: creating them, waiting for them, and writing without a reader.

import EventLog

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  #error("EventLog needs Darwin, Glibc or Musl")
#endif

/// Calls `pipe`, with both ends closed on `exec` and outside the standard streams.
func systemMakePipe() throws(Errno) -> (reading: CInt, writing: CInt) {
  var ends: [CInt] = [-1, -1]
  #if canImport(Darwin)
    _ = try uninterrupted { pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  #else
    _ = try uninterrupted { linuxPipe2(&ends, CInt(O_CLOEXEC)) }
  #endif
  do throws(Errno) {
    for index in ends.indices where ends[index] <= 2 {
      let raised = try uninterrupted { fcntl(ends[index], F_DUPFD_CLOEXEC, CInt(3)) }
      systemClose(ends[index])
      ends[index] = raised
    }
  } catch {
    for end in ends { systemClose(end) }
    throw error
  }
  return (ends[0], ends[1])
}

#if !canImport(Darwin)
  /// Declares `pipe2`, which the C headers hide from Swift without `_GNU_SOURCE`.
  ///
  /// With two calls instead, a child that another thread starts between them would inherit both
  /// ends.
  @_silgen_name("pipe2")
  private func linuxPipe2(_ ends: UnsafeMutablePointer<CInt>, _ flags: CInt) -> CInt
#endif

func systemSetNonblocking(_ file: CInt) throws(Errno) {
  let flags = try uninterrupted { fcntl(file, F_GETFL) }
  _ = try uninterrupted { fcntl(file, F_SETFL, flags | O_NONBLOCK) }
}

/// The events to wait for.
struct Readiness: OptionSet {
  let rawValue: CShort
  static let reading = Readiness(rawValue: CShort(POLLIN))
  static let writing = Readiness(rawValue: CShort(POLLOUT))
}

/// Calls `poll` and returns which descriptors are ready, or none of them at the deadline.
///
/// A call that would fail at once counts as ready.
///
/// - Parameter deadline: A time of ``monotonicMilliseconds()``.
func systemWait(
  for files: [(file: CInt, readiness: Readiness)], until deadline: Int64
) throws(Errno) -> [Bool] {
  var polled = files.map { pollfd(fd: $0.file, events: $0.readiness.rawValue, revents: 0) }
  while true {
    let left = max(0, deadline - monotonicMilliseconds())
    let count = poll(&polled, nfds_t(polled.count), CInt(clamping: left))
    if count > 0 || (count == 0 && left <= CInt.max) { return polled.map { $0.revents != 0 } }
    guard count == 0 || Errno.current == .interrupted else { throw .current }
  }
}

/// Reads available bytes, at most `limit`, and returns none at the end.
func systemReadAvailable(_ file: CInt, atMost limit: Int) throws(Errno) -> [UInt8] {
  try [UInt8](unsafeUninitializedCapacity: limit) { (buffer, count) throws(Errno) in
    count = try uninterrupted { read(file, buffer.baseAddress!, limit) }
  }
}

/// Writes as many bytes as fit.
///
/// A pipe without a reader is an error, but never a signal, whatever the process's handlers are.
func systemWriteAvailable(_ file: CInt, _ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
  var brokenPipe = sigset_t()
  sigemptyset(&brokenPipe)
  sigaddset(&brokenPipe, SIGPIPE)
  var before = sigset_t()
  pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
  defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
  let wasPending = isPending(SIGPIPE)
  do throws(Errno) {
    return try bytes.withUnsafeBufferPointer { (bytes) throws(Errno) in
      try uninterrupted { write(file, bytes.baseAddress, bytes.count) }
    }
  } catch {
    if error == .brokenPipe, !wasPending, isPending(SIGPIPE) {
      // The signal is pending for this thread only. Consume it here.
      var signal: CInt = 0
      sigwait(&brokenPipe, &signal)
    }
    throw error
  }
}

private func isPending(_ signal: CInt) -> Bool {
  var pending = sigset_t()
  sigpending(&pending)
  return sigismember(&pending, signal) == 1
}

/// The number of bytes that a ready pipe accepts without blocking (`PIPE_BUF`).
let pipeAtomicBytes = Int(PIPE_BUF)
