import Dispatch
import EventLog
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Access to the process: its streams, signals, environment, limits and time zone.
///
/// The only file of the command that calls libc.
enum Terminal {
  static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

  /// The width of the terminal on standard error, in characters.
  static var columns: Int {
    var size = winsize()
    return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Whether standard output shows colors.
  static var takesColor: Bool {
    isTerminal(1) && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// Makes `write` fail on a broken pipe instead of ending the process.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Opens `/dev/null` for closed standard streams.
  ///
  /// Otherwise a journal could get their descriptors, and output would be written to it. Reading
  /// from and writing to these streams still fail.
  static func reserveClosedStreams() {
    for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether the process may open enough files for any verb: journals and their side files, a
  /// folder, the pipes of another process, and those of Dispatch.
  ///
  /// System libraries trap without them.
  static var canOpenEnoughFiles: Bool {
    let copies = (0..<24).map { _ in dup(2) }
    for copy in copies where copy >= 0 { close(copy) }
    return copies.allSatisfy { $0 >= 0 }
  }

  /// Whether the process has enough address space for its threads and a journal.
  ///
  /// System libraries trap or retry forever without it.
  static var hasEnoughMemory: Bool {
    let threadCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 8
    // A thread's stack and glibc's arena, mostly unused.
    let (stackBytes, heapBytes) = (8 << 20, 64 << 20)
    let needed = threadCount * (stackBytes + heapBytes) + 64 << 20
    // Reserve the address range, then release it.
    let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    guard let address = mmap(nil, needed, PROT_NONE, flags, -1, 0), address != MAP_FAILED else {
      return false
    }
    munmap(address, needed)
    return true
  }

  /// Whether the process may start enough threads for any verb.
  ///
  /// If the limit is low, this starts some to find out: system libraries retry forever without
  /// them.
  static var canStartEnoughThreads: Bool {
    #if os(Linux)
      // RLIMIT_NPROC, which the headers hide from Swift.
      var limit = rlimit()
      guard getrlimit(6, &limit) == 0, limit.rlim_cur < 4096 else { return true }
      var threads: [pthread_t] = []
      for _ in 0..<16 {
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
          Terminal.threadGate.wait()
          return nil
        }
        guard pthread_create(&thread, nil, body, nil) == 0 else { break }
        threads.append(thread)
      }
      for _ in threads { threadGate.signal() }
      for thread in threads { pthread_join(thread, nil) }
      return threads.count == 16
    #else
      return true
    #endif
  }

  /// Blocks the threads started by `canStartEnoughThreads`.
  private static let threadGate = DispatchSemaphore(value: 0)

  /// Reports a lack of memory without allocating any, and exits.
  static func exitForLackOfMemory() -> Never {
    let isJSON = (1..<max(1, Int(CommandLine.argc))).contains { index in
      CommandLine.unsafeArgv[index].map { strcmp($0, "--json") == 0 } ?? false
    }
    let text: StaticString =
      isJSON
      ? """
      {"error":{"code":"inputOutput","hint":"Raise the limit: ulimit -v unlimited","message":"The \
      system allows this process too little memory. Nothing was done."}}

      """
      : """
      Error: The system allows this process too little memory. Nothing was done.
      Hint: Raise the limit: ulimit -v unlimited

      """
    _ = systemWrite(2, text.utf8Start, text.utf8CodeUnitCount)
    exit(2)
  }

  /// Runs the command, and exits with its exit code.
  static func run(_ command: @escaping @Sendable () async -> Int32) -> Never {
    Task { exit(await command()) }
    dispatchMain()
  }

  /// The position, from 1, of the first argument with invalid UTF-8, which Swift would repair.
  static var invalidArgument: Int? {
    (1..<max(1, Int(CommandLine.argc))).first { index in
      guard let argument = CommandLine.unsafeArgv[index] else { return false }
      return String(validatingCString: argument) == nil
    }
  }

  enum WriteFailure: Error {
    /// The reader has closed the output, which isn't an error.
    case brokenPipe
    case other(String)
  }

  /// Writes all bytes to a stream.
  static func write(_ bytes: [UInt8], to stream: Int32) throws(WriteFailure) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { systemWrite(stream, $0.baseAddress!, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN, wait(for: stream, Int16(POLLOUT)) { continue }
        if errno == EPIPE { throw .brokenPipe }
        throw .other(String(cString: strerror(errno)))
      }
      done += count
    }
  }

  /// Opens a pipe or device, and writes all bytes into it. Waits until a pipe has a reader.
  static func write(_ bytes: [UInt8], toDevice path: String) throws(WriteFailure) {
    var file: Int32
    repeat { file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) } while file < 0 && errno == EINTR
    guard file >= 0 else { throw .other(String(cString: strerror(errno))) }
    defer { close(file) }
    try write(bytes, to: file)
  }

  /// Returns the open stream of a path such as `/dev/stdout` or `/dev/fd/3`.
  ///
  /// If the path were opened again, a file would be written from its start.
  static func stream(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return 1
    case "/dev/stderr": return 2
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return Int32(path.dropFirst(folder.count))
    }
    return nil
  }

  /// Waits until a nonblocking stream is ready.
  ///
  /// The parent process may have made it nonblocking.
  private static func wait(for stream: Int32, _ event: Int16) -> Bool {
    var descriptor = pollfd(fd: stream, events: event, revents: 0)
    while poll(&descriptor, 1, -1) < 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Exits when the output is closed, as after a broken pipe.
  ///
  /// A verb that waits writes nothing, so it wouldn't notice. On systems that don't report this
  /// (Apple systems don't for pipes), the next write fails instead.
  static func exitWhenOutputCloses() {
    DispatchQueue(label: "eventlog.output").async {
      var output = pollfd(fd: 1, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0, errno == EINTR {}
      if output.revents & Int16(POLLERR | POLLHUP) != 0 { exit(0) }
    }
  }

  // MARK: - Signals

  /// The action that a signal triggers before the process ends.
  private static let interruption = Mutex(Interruption())

  private struct Interruption {
    var isCaught = false
    var body: (@Sendable () -> Void)?
    /// The first signal received.
    var signal: Int32?
  }

  /// The write end of the signal handler's pipe.
  private static let signalPipe = Atomic<Int32>(-1)

  /// Makes the first SIGINT, SIGTERM or SIGHUP call the body passed to ``onInterrupt(_:)``, even if
  /// it is passed later.
  ///
  /// The second one ends the process.
  ///
  /// Call this before starting anything that a signal should end, such as another process.
  static func catchInterrupts() {
    let isCaught = interruption.withLock { state in
      defer { state.isCaught = true }
      return state.isCaught
    }
    var ends: [Int32] = [-1, -1]
    guard !isCaught, pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    signalPipe.store(ends[1], ordering: .releasing)
    let reading = ends[0]
    DispatchQueue(label: "eventlog.signals").async { listen(reading) }
    for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
      var action = Self.action { number in
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = Terminal.systemWrite(Terminal.signalPipe.load(ordering: .acquiring), &byte, 1)
        errno = error
      }
      action.sa_flags = SA_RESTART | Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
  }

  /// Calls `body` on a signal caught by ``catchInterrupts()``, or now if one was received.
  ///
  /// A later call replaces the `body` of an earlier one.
  static func onInterrupt(_ body: @escaping @Sendable () -> Void) {
    catchInterrupts()
    let wasInterrupted = interruption.withLock { state in
      state.body = body
      return state.signal != nil
    }
    if wasInterrupted { body() }
  }

  /// Runs work that a signal cancels.
  static func interruptible<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    // Catch signals before the work starts a process: otherwise nothing would end it.
    catchInterrupts()
    let work = Task { try await body() }
    onInterrupt { work.cancel() }
    return try await work.value
  }

  /// Reads the signals that the handler writes to the pipe.
  private static func listen(_ pipe: Int32) {
    var byte: UInt8 = 0
    while true {
      let count = read(pipe, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return }
      let body = interruption.withLock { state in
        state.signal = state.signal ?? Int32(byte)
        return state.body
      }
      body?()
    }
  }

  /// Whether the signal was ignored when the process started, as under nohup. It then stays
  /// ignored.
  private static func isIgnored(_ number: Int32) -> Bool {
    var before = sigaction()
    sigaction(number, nil, &before)
    #if canImport(Glibc)
      let handler = before.__sigaction_handler.sa_handler
    #elseif canImport(Musl)
      let handler = before.__sa_handler.sa_handler
    #else
      let handler = before.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func action(_ handler: @escaping @convention(c) (Int32) -> Void) -> sigaction {
    var action = sigaction()
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = handler
    #elseif canImport(Musl)
      action.__sa_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
    return action
  }

  /// Ends the process by the signal that interrupted it, if any, so that the parent sees it.
  static func endByInterruption() {
    guard let number = interruption.withLock(\.signal) else { return }
    signal(number, SIG_DFL)
    // Threads that run tasks may have signals blocked.
    var numbers = sigset_t()
    sigemptyset(&numbers)
    sigaddset(&numbers, number)
    pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
  }

  struct ReadFailure: Error {
    /// The system's message.
    var reason: String
  }

  /// Reads standard input to its end; nil if there are more than `limit` bytes.
  static func readInput(limit: Int) throws(ReadFailure) -> [UInt8]? {
    try readAll(0, limit: limit)
  }

  /// Reads one line of standard input.
  ///
  /// Returns nil at its end, or if the line exceeds 4,096 bytes.
  ///
  /// A terminal doesn't echo the input. Its settings are restored, also after an interruption.
  static func readSecretLine(prompt: String) throws(ReadFailure) -> [UInt8]? {
    var before = termios()
    let isTerminal = isTerminal(0) && tcgetattr(0, &before) == 0
    guard isTerminal else { return try readLine() }
    let original = before
    onInterrupt {
      var original = original
      tcsetattr(0, TCSAFLUSH, &original)
      endByInterruption()
    }
    var silent = original
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(0, TCSAFLUSH, &silent)
    defer {
      tcsetattr(0, TCSAFLUSH, &before)
      try? write([0x0A], to: 2)
    }
    try? write(Array(prompt.utf8), to: 2)
    return try readLine()
  }

  private static func readLine() throws(ReadFailure) -> [UInt8]? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while line.count <= 4096 {
      let count = read(0, &byte, 1)
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN, wait(for: 0, Int16(POLLIN)) { continue }
        throw ReadFailure(reason: String(cString: strerror(errno)))
      }
      if count == 0 { return line.isEmpty ? nil : line }
      if byte == 0x0A {
        if line.last == 0x0D { line.removeLast() }
        return line
      }
      line.append(byte)
    }
    return nil
  }

  /// Reads a file or a pipe to its end; nil if there are more than `limit` bytes.
  static func readFile(_ path: String, limit: Int) throws(ReadFailure) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ReadFailure(reason: String(cString: strerror(errno))) }
    defer { close(file) }
    return try readAll(file, limit: limit)
  }

  private static func readAll(
    _ stream: Int32, limit: Int
  ) throws(ReadFailure) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(stream, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        if errno == EAGAIN, wait(for: stream, Int16(POLLIN)) { continue }
        throw ReadFailure(reason: String(cString: strerror(errno)))
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      if bytes.count > limit { return nil }
    }
  }

  /// The current folder, or "." if it's unknown.
  static var currentFolder: String {
    guard let folder = getcwd(nil, 0) else { return "." }
    defer { free(folder) }
    return String(cString: folder)
  }

  static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

  /// Returns the canonical form of a path.
  ///
  /// Symbolic links and `..` are resolved as far as the path exists.
  static func canonicalPath(_ path: String) -> String {
    var (start, rest) = (path, "")
    while true {
      if let found = realpath(start, nil) {
        defer { free(found) }
        let name = String(cString: found)
        return name == "/" && !rest.isEmpty ? rest : name + rest
      }
      guard let slash = start.lastIndex(of: "/"), start != "/" else { return path }
      rest = start[slash...] + rest
      start = slash == start.startIndex ? "/" : String(start[..<slash])
    }
  }

  /// Whether group or others have any permission.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }

  static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

  /// Returns the size of a file in bytes, or 0 if it doesn't exist.
  static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  static func isSameFile(_ one: String, _ other: String) -> Bool {
    var (left, right) = (stat(), stat())
    return stat(one, &left) == 0 && stat(other, &right) == 0 && left.st_dev == right.st_dev
      && left.st_ino == right.st_ino
  }

  /// Sets the time zone of the process; false if the system doesn't have it.
  ///
  /// Only for runs that show no other local times.
  static func useZone(_ name: String) -> Bool {
    let folder = environment("TZDIR") ?? "/usr/share/zoneinfo"
    let isName = name.utf8.allSatisfy { byte in
      byte != 0x3A && byte > 0x20 && byte < 0x7F
    }
    guard isName, !name.hasPrefix("/"), !name.contains(".."),
      let bytes = try? readFile("\(folder)/\(name)", limit: 1 << 20),
      bytes.starts(with: "TZif".utf8)
    else { return false }
    setenv("TZ", name, 1)
    tzset()
    return true
  }

  /// Returns the offset of the process's time zone from UTC, in seconds.
  static func secondsEastOfUTC(at moment: Timestamp) -> Int64 {
    var time = time_t((Double(moment.milliseconds) / 1000).rounded(.down))
    var parts = tm()
    return localtime_r(&time, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
  }

  static func exit(_ code: Int32) -> Never {
    #if canImport(Glibc)
      Glibc.exit(code)
    #elseif canImport(Musl)
      Musl.exit(code)
    #else
      Darwin.exit(code)
    #endif
  }

  private static func systemWrite(
    _ stream: Int32, _ base: UnsafeRawPointer, _ count: Int
  ) -> Int {
    #if canImport(Glibc)
      Glibc.write(stream, base, count)
    #elseif canImport(Musl)
      Musl.write(stream, base, count)
    #else
      Darwin.write(stream, base, count)
    #endif
  }
}
