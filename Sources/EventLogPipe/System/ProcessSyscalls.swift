// The system calls of child processes.

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

/// The end of a child process.
struct ProcessEnding: Sendable {
  var exitCode: CInt?
  var signal: CInt?
}

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  /// Throws, because there are no child processes on these systems.
  func systemSpawn(
    _ words: [String], input: CInt, output: CInt, errors: CInt
  ) throws(Errno) -> CInt {
    throw .notSupported
  }
#else
  /// Calls `posix_spawnp` with the given standard streams.
  ///
  /// The program also inherits the environment and the folder, and on Linux all descriptors that
  /// aren't closed on `exec`.
  ///
  /// - Parameter words: The program, found like in a shell, and its arguments.
  func systemSpawn(
    _ words: [String], input: CInt, output: CInt, errors: CInt
  ) throws(Errno) -> CInt {
    guard !words.isEmpty, words.allSatisfy({ !$0.utf8.contains(0) }) else {
      throw .invalidArgument
    }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
      let environment = _NSGetEnviron().pointee
      let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      let environment = environ
      let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    #endif
    try succeed(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try succeed(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    for (file, stream) in [(input, CInt(0)), (output, 1), (errors, 2)] {
      try succeed(posix_spawn_file_actions_adddup2(&actions, file, stream))
    }
    // Children would otherwise inherit an ignored SIGPIPE.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    var blocked = defaults
    sigaddset(&defaults, SIGPIPE)
    try succeed(posix_spawnattr_setsigdefault(&attributes, &defaults))
    try succeed(posix_spawnattr_setsigmask(&attributes, &blocked))
    try succeed(posix_spawnattr_setflags(&attributes, CShort(flags)))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    try succeed(
      posix_spawnp(&process, arguments[0]!, &actions, &attributes, &arguments, environment))
    return process
  }

  /// Throws a returned error number.
  private func succeed(_ result: CInt) throws(Errno) {
    if result != 0 { throw Errno(rawValue: result) }
  }
#endif

/// Calls `waitpid` without waiting and returns nil while the child runs.
func systemReap(_ process: CInt) -> ProcessEnding? {
  var status: CInt = 0
  while true {
    let result = waitpid(process, &status, WNOHANG)
    if result == 0 { return nil }
    if result == process { break }
    // If the process ignores SIGCHLD, the system has reaped the child.
    if Errno.current != .interrupted { return ProcessEnding() }
  }
  let signal = status & 0x7f
  return signal == 0
    ? ProcessEnding(exitCode: status >> 8 & 0xff) : ProcessEnding(signal: signal)
}

func systemKill(_ process: CInt) {
  _ = kill(process, SIGKILL)
}
