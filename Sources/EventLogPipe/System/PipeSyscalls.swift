// The system calls of pipes: making them, waiting for them, and writing to one that nobody reads.

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

/// `pipe`, both ends closed on `exec`, and neither in the place of a standard stream.
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
  /// `pipe2`, which the C headers hide from Swift (they show it under `_GNU_SOURCE` only). Two
  /// calls instead would let a child that another thread starts between them inherit the ends.
  @_silgen_name("pipe2")
  private func linuxPipe2(_ ends: UnsafeMutablePointer<CInt>, _ flags: CInt) -> CInt
#endif

/// `fcntl` with `O_NONBLOCK`
func systemSetNonblocking(_ file: CInt) throws(Errno) {
  let flags = try uninterrupted { fcntl(file, F_GETFL) }
  _ = try uninterrupted { fcntl(file, F_SETFL, flags | O_NONBLOCK) }
}

/// What a descriptor is waited for.
struct Readiness: OptionSet {
  let rawValue: CShort
  static let reading = Readiness(rawValue: CShort(POLLIN))
  static let writing = Readiness(rawValue: CShort(POLLOUT))
}

/// `poll`: which of the descriptors will not keep a call waiting, be it that it then says why it
/// fails; none when the time is over.
///
/// - Parameter deadline: by ``monotonicMilliseconds()``.
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

/// `read` of what is there, at most so many bytes; empty at the end.
func systemReadAvailable(_ file: CInt, atMost limit: Int) throws(Errno) -> [UInt8] {
  try [UInt8](unsafeUninitializedCapacity: limit) { (buffer, count) throws(Errno) in
    count = try uninterrupted { read(file, buffer.baseAddress!, limit) }
  }
}

/// `write`, of as much as fits; a pipe that nobody reads is an error and no signal, whatever the
/// process does about that signal otherwise.
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
      // It was raised for this thread alone: taken here, it reaches nobody.
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

/// At most so many bytes are taken at once by a pipe that is ready (`PIPE_BUF`).
let pipeAtomicBytes = Int(PIPE_BUF)
