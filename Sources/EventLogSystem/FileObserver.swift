import Dispatch
import Synchronization

/// Reports possible changes to a file, by a watch of the file system or else by polling.
///
/// While polling, it retries the watch each time: watches may have become available, or the folder
/// may have been created.
package final class FileObserver: Sendable {
  /// The ways to notice changes.
  package enum Mode: Sendable, Hashable {
    /// The file system reports changes.
    case watching
    /// The file's size, identity and modification time are compared.
    case polling
  }

  private struct State {
    var mode = Mode.watching
    var watch: (any FileWatch)?
    var timer: RunningSource?
    var lastSeen: FileStatus?
    var isCancelled = false
  }

  /// The maximum delay until polling notices a change.
  package static let pollMilliseconds = 1000

  private let path: String
  private let fileSystem: any FileSystem
  private let pollMilliseconds: Int
  private let onChange: @Sendable () -> Void
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "eventlog.observe")

  /// Starts observing; changes after this returns are noticed.
  ///
  /// `onChange` is called on the observer's own thread, one call at a time, and sometimes without a
  /// change. To miss nothing, read the file in each call, and once after this returns.
  package init(
    _ path: String, in fileSystem: any FileSystem,
    pollMilliseconds: Int = FileObserver.pollMilliseconds,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.path = path
    self.fileSystem = fileSystem
    self.pollMilliseconds = pollMilliseconds
    self.onChange = onChange
    queue.sync { if !watch() { poll() } }
  }

  deinit { cancel() }

  /// The current way to notice changes.
  package var mode: Mode { state.withLock { $0.mode } }

  /// Ends the observation; from any thread, even within a call.
  ///
  /// It doesn't wait: a call in another thread may be starting or still running.
  package func cancel() {
    let (watch, timer) = state.withLock { state in
      state.isCancelled = true
      defer { (state.watch, state.timer) = (nil, nil) }
      return (state.watch, state.timer)
    }
    watch?.cancel()
    timer?.cancel()
  }

  // MARK: - On the queue

  /// Starts watching; false if the file system can't watch.
  private func watch() -> Bool {
    guard
      let watch = try? fileSystem.watch(
        path,
        { [weak self] change in
          guard let self else { return }
          // Waits for the call, so that changes during it share the next one.
          queue.sync { change == .lost ? loseWatch() : tell() }
        })
    else { return false }
    let timer = state.withLock { state in
      defer { state.timer = nil }
      state.mode = .watching
      // If already canceled, the watch ends here with its last reference.
      if !state.isCancelled { state.watch = watch }
      return state.timer
    }
    timer?.cancel()
    return true
  }

  private func loseWatch() {
    state.withLock { $0.watch = nil }
    if !watch() { poll() }
    tell()
  }

  /// Starts polling.
  private func poll() {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let pause = DispatchTimeInterval.milliseconds(pollMilliseconds)
    timer.schedule(deadline: .now() + pause, repeating: pause, leeway: .milliseconds(100))
    timer.setEventHandler { [weak self] in self?.look() }
    let status = try? fileSystem.status(at: path)
    let running = RunningSource(timer)
    state.withLock { state in
      state.mode = .polling
      state.lastSeen = status
      if !state.isCancelled { state.timer = running }
    }
  }

  private func look() {
    if state.withLock({ $0.isCancelled }) { return }
    if watch() { return tell() }
    let status = try? fileSystem.status(at: path)
    let hasChanged = state.withLock { state in
      defer { state.lastSeen = status }
      return state.lastSeen != status
    }
    if hasChanged { tell() }
  }

  private func tell() {
    if !state.withLock({ $0.isCancelled }) { onChange() }
  }
}
