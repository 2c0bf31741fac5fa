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

/// What the command takes from the process it runs in: its streams, its environment, its clock's
/// zone.
///
/// The only file of the command that calls libc.
enum Terminal {
  /// Whether a stream is shown to a person as it is written.
  static func isTerminal(_ stream: Int32) -> Bool { isatty(stream) == 1 }

  /// How many characters fit on a line of standard error.
  static var columns: Int {
    var size = winsize()
    return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Whether colour is wanted on standard output.
  static var takesColor: Bool {
    isTerminal(1) && (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb"
  }

  /// Lets a reader that has gone away show as an error of `write` instead of ending the process.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Takes the places of streams that the caller closed, so that no journal is opened there and
  /// written to as if it were the output. Reading and writing there still fail.
  static func occupyClosedStreams() {
    for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
      _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether the process may open as many files as any verb needs: journals with what is beside
  /// them, a folder, the pipes of another process, and what waiting for them takes. The system's
  /// libraries trap where they get none.
  static var mayOpenFiles: Bool {
    let copies = (0..<24).map { _ in dup(2) }
    for copy in copies where copy >= 0 { close(copy) }
    return copies.allSatisfy { $0 >= 0 }
  }

  /// Whether the process may take the addresses that its threads need, and some for a journal: the
  /// system's libraries end it where they get none, or try again for ever.
  static var mayTakeMemory: Bool {
    let threadCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + 8
    // A thread's stack, and what glibc sets aside for what it allocates. Most of it is never used.
    let (stackBytes, heapBytes) = (8 << 20, 64 << 20)
    let needed = threadCount * (stackBytes + heapBytes) + 64 << 20
    // Asked for, and given back: nothing is written there.
    let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    guard let place = mmap(nil, needed, PROT_NONE, flags, -1, 0), place != MAP_FAILED else {
      return false
    }
    munmap(place, needed)
    return true
  }

  /// Whether the process may have as many threads as any verb needs. Where the person has few
  /// processes, they are tried: the system's libraries would try again for ever.
  static var mayStartThreads: Bool {
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

  /// Keeps threads that are only counted.
  private static let threadGate = DispatchSemaphore(value: 0)

  /// Says that there is too little memory, without any of it.
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

  /// Runs the command, and ends the process with its exit code.
  static func run(_ command: @escaping @Sendable () async -> Int32) -> Never {
    Task { exit(await command()) }
    dispatchMain()
  }

  /// The place of the first argument that is no valid UTF-8, from 1: Swift would repair it in
  /// silence.
  static var invalidArgument: Int? {
    (1..<max(1, Int(CommandLine.argc))).first { index in
      guard let argument = CommandLine.unsafeArgv[index] else { return false }
      return String(validatingCString: argument) == nil
    }
  }

  enum WriteFailure: Error {
    /// Nobody reads any more: no failure of ours.
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

  /// Waits until a stream can be used that whoever started the process has made not to wait.
  private static func wait(for stream: Int32, _ event: Int16) -> Bool {
    var place = pollfd(fd: stream, events: event, revents: 0)
    while poll(&place, 1, -1) < 0 {
      if errno != EINTR { return false }
    }
    return true
  }

  /// Ends the process as a broken pipe would, as soon as nobody reads the output any more.
  ///
  /// A verb that waits has nothing to write by which it could notice. Where the system does not
  /// tell (Apple systems do not for pipes), the next write does.
  static func exitWhenOutputCloses() {
    DispatchQueue(label: "eventlog.output").async {
      var output = pollfd(fd: 1, events: 0, revents: 0)
      while poll(&output, 1, -1) < 0, errno == EINTR {}
      if output.revents & Int16(POLLERR | POLLHUP) != 0 { exit(0) }
    }
  }

  // MARK: - Signals

  /// What a signal that ends the process is to end first.
  private static let interruption = Mutex(Interruption())

  private struct Interruption {
    var isCaught = false
    var body: (@Sendable () -> Void)?
    /// The signal that came.
    var signal: Int32?
  }

  /// The end of the pipe to which the handler of signals writes.
  private static let signalPipe = Atomic<Int32>(-1)

  /// From now on, the first Ctrl-C, hangup or request to end calls what ``onInterrupt(_:)`` was
  /// given, at once or later, instead of ending the process; the second one ends it as always.
  ///
  /// To be called before anything begins that a signal should end, such as another process.
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

  /// Calls `body` when a signal comes that ``catchInterrupts()`` takes, or now if one has come.
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
    // A signal must not come between a process being started and what ends it.
    catchInterrupts()
    let work = Task { try await body() }
    onInterrupt { work.cancel() }
    return try await work.value
  }

  /// Waits for the bytes that the handler of signals writes.
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

  /// Whether the process was started without the signal, as by nohup: then it stays so.
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

  /// Ends the process by the signal that interrupted it, if one did: so whoever started it knows.
  static func endByInterruption() {
    guard let number = interruption.withLock(\.signal) else { return }
    signal(number, SIG_DFL)
    // Threads that run tasks may be closed to signals.
    var numbers = sigset_t()
    sigemptyset(&numbers)
    sigaddset(&numbers, number)
    pthread_sigmask(SIG_UNBLOCK, &numbers, nil)
    raise(number)
  }

  struct ReadFailure: Error {
    /// The system's words for it.
    var reason: String
  }

  /// Reads standard input to its end, at most `limit` bytes; nil if there is more.
  static func readInput(limit: Int) throws(ReadFailure) -> [UInt8]? {
    try readAll(0, limit: limit)
  }

  /// Reads one line of standard input; nil at its end, or for a line of more than 4,096 bytes.
  ///
  /// A terminal doesn't show what is typed. An interruption gives it back as it was.
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

  /// Reads a file or a pipe to its end, at most `limit` bytes; nil if there is more.
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

  /// The folder at which relative paths begin.
  static var currentFolder: String {
    guard let folder = getcwd(nil, 0) else { return "." }
    defer { free(folder) }
    return String(cString: folder)
  }

  /// Whether nothing has that name.
  static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

  /// The one name of a place that several may lead to: links and `..` are followed, as far as there
  /// is something.
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

  /// Whether a file is open to the owner's group, or to all.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
  }

  static func isFolder(_ path: String) -> Bool { kind(of: path) == S_IFDIR }

  static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

  /// How many bytes a file has; 0 if there is none.
  static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Whether two paths lead to one file.
  static func isSameFile(_ one: String, _ other: String) -> Bool {
    var (left, right) = (stat(), stat())
    return stat(one, &left) == 0 && stat(other, &right) == 0 && left.st_dev == right.st_dev
      && left.st_ino == right.st_ino
  }

  /// Makes a zone that of the process; false for one that the system does not know.
  ///
  /// Only for a run that shows no other local times.
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

  /// How far the zone of the process is from UTC at a time.
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
